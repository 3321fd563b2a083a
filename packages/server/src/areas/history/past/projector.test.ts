import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Writer } from '../../../storage/index.ts'
import { removeOldest } from '../../../storage/log/retention.ts'
import { sealNext } from '../../../storage/log/seals.ts'
import { makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { makeHosts, makeShop } from '../../../testing/data/hosts.ts'
import { isFull } from '../../../testing/full.ts'
import { eachEngine, makeStore, openedStores, startServer, type TestServer } from '../../../testing/harness.ts'
import { readLog } from '../../../testing/inspect/log.ts'
import { caughtUp, rebuild } from '../../../testing/inspect/past.ts'
import { changeAtRandom, randomFrom } from '../../../testing/random/changes.ts'
import { Projector, stages, verifyState } from './index.ts'
import { recordsAfter } from './steps.ts'

const day = 86_400_000

const expectProof = async ({ service }: TestServer) =>
  expect(await verifyState(service.storage.read, () => {})).toMatchObject({ difference: undefined, unfinished: [] })

eachEngine((engine) => {
  let server: TestServer
  beforeEach(async () => {
    server = await startServer(engine, { flags: ['--retention-days=30'] })
  })
  afterEach(() => server.close())

  const script = (text: string) => server.service.storage.engine.script(text)
  const head = async () => (await readLog(server.service.storage.read)).at(-1)?.position ?? 0
  const readSet = (business: number, set: number, position: number) =>
    server.call<{ count: number; info: object[] }>('POST', `/set/search/0/${business}?as_of=position:${position}`, {
      page: { start: 0, limit: 5 },
      condition: { bk_set_id: set },
      fields: ['bk_set_name'],
    })
  const metric = async () => {
    const text = await (await fetch(`${server.url}/metrics`)).text()
    return Number(/^mainline_past_lag_records (\d+)$/m.exec(text)?.[1])
  }
  /** Turns back the clock: all records are older than the retention, and are removed. */
  async function retentionRemovesAll(): Promise<number> {
    const last = await head()
    await script(`UPDATE log SET op_time = op_time - ${31 * day} WHERE position > (SELECT sealed FROM log_head)`)
    const { read } = server.service.storage
    const floor = async () => (await read.selectFrom('log_head').select('floor').executeTakeFirstOrThrow()).floor
    await expect.poll(floor).toBe(last + 1)
    return last + 1
  }

  it('waits for the process that is at work, and for no hold that ends later than possible', async () => {
    const business = await makeBusiness(server)
    await caughtUp(server)
    // Of a process that was killed.
    await script(`UPDATE past_head SET holder = 'gone', expires = ${Date.now() + 700}`)
    const set = await makeSet(server, business, { bk_set_name: 'one' })
    expect((await readSet(business, set, await head())).data.count).toBe(1)
    // The clock was set back by a day since.
    await script(`UPDATE past_head SET holder = 'gone', expires = ${Date.now() + day}`)
    const other = await makeSet(server, business, { bk_set_name: 'two' })
    const began = performance.now()
    expect((await readSet(business, other, await head())).data.count).toBe(1)
    expect(performance.now() - began).toBeLessThan(3_000)
  })

  it('begins an account whose turn is later than possible', async () => {
    const business = await makeBusiness(server)
    await caughtUp(server)
    await script(`UPDATE past_account SET stage = -1, begin_after = ${Date.now() + day}`)
    server.service.past.hurry()
    await caughtUp(server)
    expect((await readSet(business, business, await head())).result).toBe(true)
    await expectProof(server)
  })

  it('reports by how much it lags behind, also when it has never got anywhere', async () => {
    const business = await makeBusiness(server)
    await caughtUp(server)
    expect(await metric()).toBe(0)
    await script('ALTER TABLE past_node RENAME TO past_node_gone')
    await makeSet(server, business)
    await expect.poll(metric).toBeGreaterThan(0)
    expect(await readSet(business, business, await head())).toMatchObject({ status: 503 })
    await script('ALTER TABLE past_node_gone RENAME TO past_node')
    await caughtUp(server)
    await expect.poll(metric).toBe(0)
    await expectProof(server)
  })

  it('removes what only moments need that retention has passed, and keeps the rest', async () => {
    const business = await makeBusiness(server)
    const set = await makeSet(server, business, { bk_set_name: 'first' })
    const gone = await makeSet(server, business, { bk_set_name: 'gone' })
    const rename = (bk_set_name: string) =>
      server.call('PUT', `/set/${business}/${set}`, { bk_biz_id: business, bk_set_name })
    await rename('second')
    await server.call('DELETE', `/set/${business}/${gone}`)
    const removed = await head()
    const floor = await retentionRemovesAll()
    await rename('third')
    await rename('fourth')
    await caughtUp(server)
    const names = async () => {
      const rows = await server.service.storage.read
        .selectFrom('past_node')
        .select('name')
        .where('biz_id', '=', business)
        .where('object_id', '=', 'set')
        .where('built_in', '=', 0)
        .orderBy('from_position')
        .execute()
      // The second one ended at the floor: it is kept until the floor is raised again, if trimming was faster than the third change.
      return rows.map(({ name }) => name).filter((name) => name !== 'second')
    }
    await expect.poll(names).toEqual(['third', 'fourth'])
    expect((await readSet(business, set, floor)).data.info).toEqual([{ bk_set_name: 'third' }])
    expect((await readSet(business, set, floor + 1)).data.info).toEqual([{ bk_set_name: 'fourth' }])
    expect(await readSet(business, set, removed)).toMatchObject({
      status: 410,
      bk_error_code: 1199410,
      bk_error_msg: expect.stringContaining(`${floor}`),
    })
    await expectProof(server)
    await rebuild(server)
    expect((await readSet(business, set, floor)).data.info).toEqual([{ bk_set_name: 'third' }])
    await expectProof(server)
  })

  it('gives up a write that began before another process went on with the account', async () => {
    const business = await makeBusiness(server)
    await makeSet(server, business)
    await caughtUp(server)
    const { storage } = server.service
    const released = Promise.withResolvers<void>()
    let isStopped = false
    // The write that clears the account is stopped before it begins, as a process is that was frozen.
    const upkeep: typeof storage.upkeep = async (work, options) => {
      const { stage } = await storage.read.selectFrom('past_account').select('stage').executeTakeFirstOrThrow()
      if (stage === stages.clearing && !isStopped) {
        isStopped = true
        await released.promise
      }
      return storage.upkeep(work, options)
    }
    const frozen = new Projector({ ...storage, upkeep })
    const stopped = async () => {
      if (!isStopped) await script('UPDATE past_head SET position = -1, expires = 0')
      frozen.hurry()
      return isStopped
    }
    // Again, if the other one was faster.
    await expect.poll(stopped, { interval: 200 }).toBe(true)
    // Another process may take over, comes to the end, and rests for longer than it holds the head.
    await script('UPDATE past_head SET expires = 0')
    await caughtUp(server)
    await script('UPDATE past_head SET expires = 0')
    released.resolve()
    await frozen.stop()
    await expectProof(server)
  })

  it('begins after what is left of a change whose beginning retention has removed', async () => {
    const business = await makeBusiness(server)
    const set = await makeSet(server, business)
    for (const bk_module_name of ['a', 'b', 'c']) {
      await server.call('POST', `/module/${business}/${set}`, { bk_module_name })
    }
    await caughtUp(server)
    const before = await head()
    await server.call('DELETE', `/set/${business}/${set}`)
    await caughtUp(server)
    await script(`DELETE FROM log WHERE position <= ${before + 1}; UPDATE log_head SET floor = ${before + 2}`)
    await rebuild(server)
    // Two of the modules are gone, and the third one with the set is not: that was never so.
    expect(await readSet(business, set, before + 2)).toMatchObject({ bk_error_code: 1199410 })
    expect((await readSet(business, set, await head())).data.count).toBe(0)
    await expectProof(server)
  })

  it('takes no part of a change before all of it is numbered', async () => {
    const business = await makeBusiness(server)
    const set = await makeSet(server, business)
    for (const bk_module_name of ['a', 'b']) await server.call('POST', `/module/${business}/${set}`, { bk_module_name })
    const before = await head()
    await server.call('DELETE', `/set/${business}/${set}`)
    const after = await head()
    const { storage } = server.service
    const seen = async (writer: Writer) => {
      await writer.updateTable('log').set({ position: null }).where('position', '=', after).execute()
      return [await recordsAfter(writer, before), await recordsAfter(writer, before - 1)]
    }
    // As another process sees the log meanwhile; then it is as before.
    let found: Awaited<ReturnType<typeof seen>> = []
    await storage
      .upkeep(async (writer) => {
        found = await seen(writer)
        throw new Error('rolled back')
      })
      .catch(() => {})
    const [none, previous] = found
    expect(none).toEqual({ records: [], isUnfinished: true })
    expect(previous?.records.map(({ position }) => position)).toEqual([before])
    expect((await recordsAfter(storage.read, before)).records).toHaveLength(after - before)
  })

  it('begins again if retention has removed records that it had not come to', async () => {
    const business = await makeBusiness(server)
    const set = await makeSet(server, business, { bk_set_name: 'first' })
    await caughtUp(server)
    await script('ALTER TABLE past_node RENAME TO past_node_gone')
    const update = { bk_biz_id: business, bk_set_name: 'second' }
    await server.call('PUT', `/set/${business}/${set}`, update)
    await retentionRemovesAll()
    const later = await makeSet(server, business)
    await script('ALTER TABLE past_node_gone RENAME TO past_node')
    await caughtUp(server)
    expect((await readSet(business, set, await head())).data.info).toEqual([{ bk_set_name: 'second' }])
    expect((await readSet(business, later, await head())).data.count).toBe(1)
    await expectProof(server)
  })
})

describe('several processes on one PostgreSQL', () => {
  it('derive, rebuild and trim the past together, while all of them change and one after the other stops', async () => {
    const place = await makeStore('postgres', openedStores())
    const start = () => startServer('postgres', { store: place })
    const servers = [await start(), await start(), await start()]
    const [first] = servers as [TestServer]
    const shop = await makeShop(first)
    await makeHosts(first, { business: shop.business, modules: [shop.web] }, [{}, {}, {}])
    const random = randomFrom(Number(process.env.SEED ?? 11))
    const { read, engine: store } = first.service.storage
    const floor = async () => (await read.selectFrom('log_head').select('floor').executeTakeFirstOrThrow()).floor
    for (let round = 0; round < (isFull ? 12 : 4); round++) {
      const changes = servers.flatMap((server) => [server, server].map(() => changesOf(server)))
      if (round % 2 === 1) await rebuild(first)
      const before = await floor()
      await Promise.race(changes)
      await sealNext(store, Date.now(), true)
      await removeOldest(store, Date.now() + day)
      await Promise.all(changes)
      expect(await floor()).toBeGreaterThan(before)
      await caughtUp(first)
      await expectProof(first)
      const last = servers.length > 1 ? servers.pop() : undefined
      await last?.close()
    }
    async function changesOf(server: TestServer): Promise<void> {
      for (let index = 0; index < (isFull ? 40 : 12); index++) await changeAtRandom(server, random)
    }
    const trimmed = async () => (await read.selectFrom('past_head').select('trimmed').executeTakeFirstOrThrow()).trimmed
    await expect.poll(trimmed).toBeGreaterThanOrEqual((await floor()) - 1)
    await expectProof(first)
    await first.close()
    place.remove()
  })
})
