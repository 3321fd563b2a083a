// Attempts to make cached matches stale: changes whose records come late, are removed, or belong to another history.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { zoneOf } from '../../../../common/time.ts'
import { removeOldest } from '../../../../storage/log/retention.ts'
import { makeHosts, makeShop } from '../../../../testing/data/hosts.ts'
import { entry, type Filter } from '../../../../testing/data/queries.ts'
import { eachEngine, startServer, type TestServer } from '../../../../testing/harness.ts'
import { readLog } from '../../../../testing/inspect/log.ts'
import { modelOf } from '../../../model/index.ts'
import { planSearch } from '../plan.ts'
import { kinds, readHostQuery } from '../query.ts'
import { findHostIds, searchHosts as search } from '../search.ts'

const actor = { user: 'test', account: '0', requestId: '' }

eachEngine((engine) => {
  let server: TestServer
  let hosts: [number, number, ...number[]]
  beforeAll(async () => {
    server = await startServer(engine)
    const { business, web } = await makeShop(server)
    const rows = Array.from({ length: 12 }, (_, index) => ({ bk_cpu: index % 3, bk_os_type: '1' }))
    hosts = (await makeHosts(server, { business, modules: [web] }, rows)) as typeof hosts
  })
  afterAll(() => server.close())

  const planned = async (filter: Filter) => {
    const { storage } = server.service
    const model = await modelOf(storage.read, '0')
    const reading = { model, zone: zoneOf('UTC'), path: 'condition', kinds, strict: true }
    const query = readHostQuery([entry('host', [filter])], reading)
    return planSearch(storage, { account: '0', model, business: undefined, query, order: [] })
  }
  /** As cached, and as SQL answers it now. */
  const answers = async (filter: Filter) => {
    const plan = await planned(filter)
    const found = await search(server.service.storage, plan, { start: 0, limit: 200 })
    const ids = found.hosts.map((host) => host.host_id)
    expect(found.count).toBe(ids.length)
    return [ids, await findHostIds(server.service.storage, plan)]
  }
  const expectCurrent = async (filter: Filter = ['bk_cpu', '$eq', 2]) => {
    const [cached, now] = await answers(filter)
    expect(cached).toEqual(now)
    return now
  }
  const edit = async (host: number, values: object) => {
    const answer = await server.call('PUT', '/hosts/batch', { bk_host_id: `${host}`, ...values })
    expect(answer.result).toBe(true)
  }
  /** Like retention once all records are old. */
  async function removeAllRecords() {
    const { storage } = server.service
    await readLog(storage.read)
    await storage.seals.sealAll()
    while (await removeOldest(storage.engine, Date.now() + 1_000));
    expect(await storage.read.selectFrom('log').select('position').where('position', '>', 0).execute()).toEqual([])
  }

  it('retention has removed the only record of a change', async () => {
    await removeAllRecords()
    const before = await expectCurrent()
    await edit(hosts[0], { bk_cpu: 2 })
    await removeAllRecords()
    expect(await expectCurrent()).toEqual([hosts[0], ...(before ?? [])])
  })

  it('a change is rolled back while hosts are searched', async () => {
    const plan = await planned(['bk_cpu', '$eq', 2])
    const page = () => search(server.service.storage, plan, { start: 0, limit: 200 })
    const { count } = await page()
    const refused = new Error('refused at last')
    const changing = server.service.storage.change(actor, async (tx) => {
      await tx.updateTable('host').set({ attributes: '{"bk_cpu":2}' }).where('host_id', '=', hosts[1]).execute()
      tx.record({
        ...{ operation: 'update', object: 'host', instance: hosts[1], business: 0, description: 'update host' },
        ...{ revision: 2, before: null, after: null, events: [] },
      })
      expect((await page()).count).toBe(count)
      throw refused
    })
    await expect(changing).rejects.toBe(refused)
    await expectCurrent()
  })

  it('an attribute is deleted, and another created with its id', async () => {
    const define = (bk_property_type: string) =>
      server.call<{ id: number }>('POST', '/object/attr', {
        ...{ bk_obj_id: 'host', bk_property_id: 'rack', bk_property_name: 'rack' },
        bk_property_type,
      })
    const { data } = await define('int')
    await edit(hosts[0], { rack: 7 })
    expect(await expectCurrent(['rack', '$eq', 7])).toEqual([hosts[0]])
    expect((await server.call('DELETE', `/object/attr/${data.id}`)).result).toBe(true)
    expect((await define('singlechar')).result).toBe(true)
    expect(await expectCurrent(['rack', '$eq', '7'])).toEqual([])
    await edit(hosts[1], { rack: '7' })
    expect(await expectCurrent(['rack', '$eq', '7'])).toEqual([hosts[1]])
  })

  it.runIf(engine === 'postgres')(
    'a change with an earlier ticket is committed after a later one was numbered',
    async () => {
      const { storage } = server.service
      const [drawn, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const slow = storage.change(actor, async (tx) => {
        await tx.updateTable('host').set({ attributes: '{"bk_cpu":2}' }).where('host_id', '=', hosts[1]).execute()
        tx.record({
          ...{ operation: 'update', object: 'host', instance: hosts[1], business: 0, description: 'update host' },
          ...{ revision: 3, before: null, after: null, events: [] },
        })
        // Draws the ticket.
        await tx.flush()
        drawn.resolve()
        await held.promise
      })
      await drawn.promise
      await edit(hosts[0], { bk_cpu: 1 })
      await readLog(storage.read)
      const before = await expectCurrent()
      expect(before).not.toContain(hosts[1])
      held.resolve()
      await slow
      expect(await expectCurrent()).toContain(hosts[1])
    },
  )

  it.runIf(engine === 'postgres')(
    'a ticket without a position is drawn again after the database has gone back',
    async () => {
      const { storage } = server.service
      await readLog(storage.read)
      const [numbering, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      // Nothing is numbered while the head is locked.
      const locking = storage.upkeep(async (writer) => {
        await writer.selectFrom('log_head').select('position').forUpdate().execute()
        numbering.resolve()
        while (
          await Promise.race([
            released.promise.then(() => false),
            writer.selectFrom('log_head').select('position').execute(),
          ])
        );
      })
      await numbering.promise
      await edit(hosts[0], { bk_cpu: 2 })
      expect(await expectCurrent()).toContain(hosts[0])
      // That change was lost, and another one, of another host, has its ticket.
      await storage.engine.script(`
      UPDATE log SET txn_id = 'of the new history', inst_id = ${hosts[2]} WHERE position IS NULL;
      UPDATE host SET attributes = '{"bk_cpu":1}' WHERE host_id = ${hosts[0]};
      UPDATE host SET attributes = '{"bk_cpu":2}' WHERE host_id = ${hosts[2]}`)
      const now = await expectCurrent()
      expect([now?.includes(hosts[0]), now?.includes(hosts[2] as number)]).toEqual([false, true])
      released.resolve()
      await locking
    },
  )
})
