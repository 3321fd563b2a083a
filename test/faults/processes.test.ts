import { expect, it } from 'vitest'
import { makeStore, startServer } from '../../packages/server/src/testing/harness.ts'
import { brokenLinks, isGapless, readLog } from '../../packages/server/src/testing/inspect/log.ts'
import { runCommand, type ServerProcess, spawnServer } from '../../packages/server/src/testing/process.ts'

const processes = 5

interface Acknowledged {
  set: number
  /** The value of the other set when this one was written: read through another process, without any lock. */
  seen: number
  wrote: number
}

it('five processes on one PostgreSQL, two of them killed while writing: one gapless log in which causes come before effects', async () => {
  const store = await makeStore('postgres')
  const spawn = () => spawnServer(store, ['--connections=4'])
  const first = await spawn()
  const servers = [first, ...(await Promise.all(Array.from({ length: processes - 1 }, spawn)))]
  const business = (await first.call<{ bk_biz_id: number }>('POST', '/biz/0', { bk_biz_name: 'shared' })).data.bk_biz_id
  const others = (await first.call<{ bk_biz_id: number }>('POST', '/biz/0', { bk_biz_name: 'other' })).data.bk_biz_id
  const make = async (biz: number, name: string) =>
    (
      await first.call<{ bk_set_id: number }>('POST', `/set/${biz}`, {
        bk_biz_id: biz,
        bk_parent_id: biz,
        bk_supplier_account: '0',
        bk_set_name: name,
        bk_capacity: 1,
      })
    ).data.bk_set_id
  // Two businesses, so that their writers do not wait for each other's locks.
  const places = [
    { biz: business, set: await make(business, 'a') },
    { biz: others, set: await make(others, 'b') },
  ] as const

  const acknowledged: Acknowledged[] = []
  let value = 1
  let stopping = false
  const writer = async (server: ServerProcess, reads: ServerProcess, index: number) => {
    const [own, other] = index % 2 === 0 ? places : [places[1], places[0]]
    while (!stopping) {
      const looked = await reads.call<{ info: [{ bk_capacity: number }] }>('POST', `/set/search/0/${other.biz}`, {
        page: { start: 0, limit: 1 },
        fields: ['bk_capacity'],
        condition: { bk_set_id: other.set },
      })
      const wrote = ++value
      const done = await server.call('PUT', `/set/${own.biz}/${own.set}`, { bk_biz_id: own.biz, bk_capacity: wrote })
      if (done.result) acknowledged.push({ set: own.set, seen: looked.data.info[0].bk_capacity, wrote })
    }
  }
  const running = servers.map((server, index) =>
    writer(server, servers[1 + ((index + 1) % 3)] as ServerProcess, index).catch(() => {}),
  )
  const moreAcknowledged = async () => {
    const before = acknowledged.length
    await expect.poll(() => acknowledged.length, { timeout: 120_000 }).toBeGreaterThan(before + 100)
  }
  // The first holds the numbering lease, since it started first; it is killed, too.
  for (const index of [4, 0]) {
    await moreAcknowledged()
    await servers[index]?.end('SIGKILL')
  }
  await moreAcknowledged()
  stopping = true
  await Promise.all(running)

  const watcher = await startServer('postgres', { store })
  const log = await readLog(watcher.service.storage.read)
  expect(log.length).toBeGreaterThan(100)
  expect(isGapless(log)).toBe(true)
  expect(brokenLinks(log)).toEqual([])
  const positionOf = new Map(log.map((record) => [Number(record.content.cur?.bk_capacity), record.position]))
  expect(acknowledged.filter(({ wrote }) => !positionOf.has(wrote))).toEqual([])
  const tooEarly = acknowledged.filter(
    ({ seen, wrote }) => seen > 1 && (positionOf.get(seen) ?? Number.POSITIVE_INFINITY) > (positionOf.get(wrote) ?? 0),
  )
  expect(tooEarly).toEqual([])

  await Promise.all(servers.map((server) => server.end('SIGTERM')))
  await watcher.close()
  const verified = await runCommand(['verify', ...store.flags])
  expect(verified).toMatchObject({ code: 0, output: expect.stringContaining('The log is intact') })
}, 400_000)
