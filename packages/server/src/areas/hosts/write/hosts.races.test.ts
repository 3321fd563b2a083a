import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  addRows,
  freshAddress,
  type HostRecord,
  makeHost,
  makeHosts,
  makeShop,
  modulesOf,
  readHost,
  recordsOf,
  type Shop,
} from '../../../testing/data/hosts.ts'
import { makeInstance, makeModule } from '../../../testing/data/levels.ts'
import { entry, infoOf, preview } from '../../../testing/data/queries.ts'
import { type Answer, eachEngine, makeStore, startServer, type TestServer } from '../../../testing/harness.ts'
import { brokenLinks, readLog } from '../../../testing/inspect/log.ts'
import { stored } from '../../../testing/inspect/rows.ts'
import { startCuttingProxy } from '../../../testing/servers/proxy.ts'

/** Concurrent requests: on PostgreSQL through two services on one database, otherwise through one. */
eachEngine((engine) => {
  let server: TestServer
  let second: TestServer
  let shop: Shop
  beforeAll(async () => {
    const store = await makeStore(engine)
    server = await startServer(engine, { store })
    second = engine === 'postgres' ? await startServer(engine, { store }) : server
    shop = await makeShop(server)
  })
  afterAll(async () => {
    if (second !== server) await second.close()
    await server.close()
    server.store.remove()
  })
  // SQLite runs one change at a time, so there is little concurrency.
  const rounds = Array.from({ length: engine === 'postgres' ? 8 : 3 }, (_, index) => index)
  const move = (at: TestServer, where: string, host: number, more: object = {}) =>
    at.call('POST', `/hosts/modules${where}`, { bk_biz_id: shop.business, bk_host_id: [host], ...more })
  const codes = (answers: Answer[]) => answers.map((answer) => answer.bk_error_code)

  it('two concurrent moves of one host are serialised: it is never in idle and another module, and no record is written twice', async () => {
    for (const round of rounds) {
      const host = await makeHost(server, { business: shop.business, modules: [shop.web] })
      const beside = { bk_module_id: [shop.db], is_increment: true }
      const moves = [() => move(server, '/idle', host), () => move(second, '', host, beside)]
      const answers = await Promise.all((round % 2 ? moves : moves.toReversed()).map((start) => start()))
      expect(codes(answers)).toEqual([0, 0])
      const placement = await modulesOf(server, host)
      // The host is idle finally, or was idle first and then moved; no other result is possible in either order.
      expect([[shop.idle], [shop.db]]).toContainEqual(placement)
      const [, ...moved] = await recordsOf(server, host)
      expect(moved).toHaveLength(2)
      expect(moved[1]?.content.pre).toEqual(moved[0]?.content.cur)
      const at = (side: 'pre' | 'cur', index: number) => (moved[index] as HostRecord).content[side]?.module
      expect(at('pre', 0)).toMatchObject([{ bk_module_id: shop.web }])
      expect(at('cur', 1)).toMatchObject(placement.map((bk_module_id) => ({ bk_module_id })))
    }
  })

  it('an address added twice concurrently becomes one host', async () => {
    for (const _ of rounds) {
      const [ip, another] = [freshAddress(), freshAddress()]
      const answers = await Promise.all(
        [server, second, server, second].map((at, index) =>
          addRows(at, { 1: { bk_host_innerip: `${ip},${another}`, bk_host_name: `name ${index}` } }),
        ),
      )
      expect(codes(answers)).toEqual([0, 0, 0, 0])
      const ids = new Set(answers.map((answer) => answer.data.hosts[1]))
      expect(ids.size).toBe(1)
      const [id] = [...ids] as [number]
      const records = await recordsOf(server, id)
      expect(records.map((record) => record.operation)).toEqual([1, 2, 2, 2])
      expect(records.at(-1)?.content.cur).toMatchObject(await readHost(server, id))
    }
  })

  it('a host added again during its deletion exists afterwards exactly once, or was updated before the deletion', async () => {
    for (const _ of rounds) {
      const ip = freshAddress()
      const host = await makeHost(server, {}, { bk_host_innerip: ip })
      const [gone, added] = await Promise.all([
        server.call('DELETE', '/hosts/batch', { bk_host_id: host }),
        addRows(second, { 1: { bk_host_innerip: ip } }),
      ])
      expect(codes([gone, added])).toEqual([0, 0])
      const { hosts, addresses } = await stored(server)
      const left = hosts.filter((row) => row.inner_ip === ip).map((row) => row.host_id)
      expect(left).toEqual(added.data.hosts[1] === host ? [] : [added.data.hosts[1]])
      expect(addresses.filter((row) => row.ip === ip)).toHaveLength(left.length)
    }
  })

  it('either a module is deleted or a host is added to it, never both', async () => {
    for (const round of rounds) {
      const module = await makeModule(server, shop.business, shop.set, `short-lived ${round}`)
      const host = await makeHost(server, { business: shop.business })
      const [moved, deleted] = await Promise.all([
        move(server, '', host, { bk_module_id: [module] }),
        second.call('DELETE', `/module/${shop.business}/${shop.set}/${module}`),
      ])
      expect([
        [0, 1101030],
        [1101080, 0],
      ]).toContainEqual(codes([moved, deleted]))
      expect(await modulesOf(server, host)).toEqual([moved.result ? module : shop.idle])
    }
  })

  it('either a business is archived or a host is added to it, never both', async () => {
    for (const _ of rounds) {
      const { business, idle } = await makeShop(server)
      const host = await makeHost(server)
      const [assigned, archived] = await Promise.all([
        server.call('POST', '/hosts/modules/resource/idle', { bk_biz_id: business, bk_host_id: [host] }),
        second.call('PUT', `/biz/status/disabled/0/${business}`),
      ])
      expect([
        [0, 1101030],
        [1199011, 0],
      ]).toContainEqual(codes([assigned, archived]))
      expect(await modulesOf(server, host)).toEqual([assigned.result ? idle : 1])
    }
  })

  it('either a cloud area is deleted or a host is added to it, never both', async () => {
    for (const round of rounds) {
      const area = await makeInstance(server, 'plat', { bk_cloud_name: `short-lived ${round}` })
      const [added, deleted] = await Promise.all([
        addRows(server, { 1: { bk_host_innerip: freshAddress(), bk_cloud_id: area } }),
        second.call('DELETE', `/inst/0/plat/${area}`),
      ])
      expect([
        [0, 1101036],
        [1110004, 0],
      ]).toContainEqual(codes([added, deleted]))
    }
  })

  it('a host that moves to another business during a search is never shown with its placement there', async () => {
    const [here, there] = [await makeShop(server), await makeShop(server)]
    const hosts = await makeHosts(
      server,
      { business: here.business },
      rounds.map(() => ({})),
    )
    const to = (where: string, business: number) =>
      second.call('POST', `/hosts/modules/resource${where}`, { bk_biz_id: business, bk_host_id: hosts })
    let done = false
    const wandering = (async () => {
      for (let [from, into] = [here, there]; !done; [from, into] = [into, from]) {
        await to('', from.business)
        await to('/idle', into.business)
      }
    })()
    const info = infoOf(entry('biz', [], ['bk_biz_id']), entry('module', [], ['bk_module_name']))
    const shown = new Set<string>()
    for (let asked = 0; asked < 6 * rounds.length; asked++) {
      const { data } = await preview(server, here.business, info)
      for (const { biz, module } of data.info) shown.add(`${biz.bk_biz_id} ${module.bk_module_id ?? 'nothing'}`)
    }
    done = true
    await wandering
    const right = [`${here.business} ${here.idle}`, `${here.business} nothing`]
    expect([...shown].filter((each) => !right.includes(each))).toEqual([])
  })

  it('two concurrent updates of one host keep each other’s values', async () => {
    const host = await makeHost(server)
    for (const round of rounds) {
      const [name, comment] = [`name ${round}`, `comment ${round}`]
      const answers = await Promise.all([
        server.call('PUT', '/hosts/batch', { bk_host_id: host, bk_host_name: name }),
        second.call('PUT', '/hosts/batch', { bk_host_id: host, bk_comment: comment }),
      ])
      expect(codes(answers)).toEqual([0, 0])
      expect(await readHost(server, host)).toMatchObject({ bk_host_name: name, bk_comment: comment })
    }
    const log = await readLog(server.service.storage.read)
    expect(brokenLinks(log.filter((record) => record.object_id === 'host' && record.inst_id === host))).toEqual([])
  })
})

it.each(['after it arrived', 'before it arrives'] as const)(
  'a move whose connection breaks at its commit, %s, happens exactly once',
  async (how) => {
    const store = await makeStore('postgres')
    const direct = await startServer('postgres', { store })
    const proxy = await startCuttingProxy(store.databaseUrl)
    const flags = [`--database-url=${proxy.url}`, '--connections=2']
    const server = await startServer('postgres', { store, flags })
    const { business, web } = await makeShop(direct)
    for (let round = 1; round <= 3; round++) {
      const ip = freshAddress()
      const host = await makeHost(direct, { business }, { bk_host_innerip: ip })
      proxy.cutCommitOf(ip, how)
      const moved = { bk_biz_id: business, bk_host_id: [host], bk_module_id: [web] }
      expect(await server.call('POST', '/hosts/modules', moved)).toMatchObject({ status: 200, result: true })
      expect(proxy.cuts).toBe(round)
      expect(await modulesOf(direct, host)).toEqual([web])
      expect((await recordsOf(direct, host)).map((record) => record.operation)).toEqual([1, 100])
    }
    await Promise.all([server.close(), direct.close()])
    proxy.close()
    store.remove()
  },
)
