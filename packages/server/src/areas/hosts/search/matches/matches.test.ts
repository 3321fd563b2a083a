import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { zoneOf } from '../../../../common/time.ts'
import { makeHosts, makeShop, type Shop, searchHosts } from '../../../../testing/data/hosts.ts'
import { eachEngine, makeStore, startServer, type TestServer, type TestStore } from '../../../../testing/harness.ts'
import { statementsOf } from '../../../../testing/inspect/explain.ts'
import { modelOf } from '../../../model/index.ts'
import { planSearch } from '../plan.ts'
import { type KindEntry, kinds, readHostQuery } from '../query.ts'
import { findHostIds, searchHosts as search } from '../search.ts'

type Filter = [field: string, operator: string, value: unknown]
const entry = (kind: string, ...filters: Filter[]): KindEntry => ({
  bk_obj_id: kind,
  condition: filters.map(([field, operator, value]) => ({ field, operator, value })),
})
const questions: Record<string, KindEntry[]> = {
  everything: [],
  'a number': [entry('host', ['bk_cpu', '$eq', 4])],
  'two attributes': [entry('host', ['bk_cpu', '$gte', 2], ['bk_os_type', '$eq', '1'])],
  'what is not': [entry('host', ['bk_os_type', '$ne', '1'])],
  'a list': [entry('host', ['bk_host_innerip', '$nin', ['10.1.2.3']], ['operator', '$in', ['amy']])],
  'a module': [entry('module', ['bk_module_name', '$eq', 'web'])],
  'a module and a number': [entry('module', ['bk_module_name', '$eq', 'db']), entry('host', ['bk_cpu', '$lt', 4])],
}

eachEngine((engine) => {
  let store: TestStore
  let server: TestServer
  let shop: Shop
  let hosts: number[]
  beforeAll(async () => {
    store = await makeStore(engine)
    server = await startServer(engine, { store })
    shop = await makeShop(server)
    const rows = Array.from({ length: 60 }, (_, index) => ({ bk_cpu: index % 6, bk_os_type: index % 2 ? '1' : '2' }))
    hosts = await makeHosts(server, { business: shop.business, modules: [shop.web] }, rows)
  })
  afterAll(async () => {
    await server.close()
    store.remove()
  })

  const planned = async (on: TestServer, entries: readonly KindEntry[], business?: number) => {
    const { storage } = on.service
    const model = await modelOf(storage.read, '0')
    const query = readHostQuery(entries, { model, zone: zoneOf('UTC'), path: 'condition', kinds, strict: true })
    return planSearch(storage, { account: '0', model, business, query, order: [] })
  }
  const answered = async (on: TestServer, entries: readonly KindEntry[]) => {
    const found = await search(on.service.storage, await planned(on, entries), { start: 0, limit: 200 })
    expect(found.count).toBe(found.hosts.length)
    return found.hosts.map((host) => host.host_id)
  }
  /** With any cache content, each answer equals that of SQL. */
  const expectCurrent = async (on = server) => {
    for (const [what, entries] of Object.entries(questions)) {
      const ids = await findHostIds(on.service.storage, await planned(on, entries))
      expect([what, await answered(on, entries)]).toEqual([what, ids])
    }
  }
  const edit = (ids: readonly number[], values: object) =>
    server.call('PUT', '/hosts/batch', { bk_host_id: ids.join(','), ...values })
  const move = (ids: readonly number[], modules: number[]) =>
    server.call('POST', '/hosts/modules', { bk_biz_id: shop.business, bk_host_id: ids, bk_module_id: modules })

  it('includes all changes since the same question was cached', async () => {
    await expectCurrent()
    const steps: (() => Promise<unknown>)[] = [
      () => edit(hosts.slice(0, 3), { bk_cpu: 4 }),
      () => edit(hosts.slice(1, 9), { bk_os_type: '1', operator: 'amy,bob' }),
      () => edit([hosts[2] as number], { bk_cpu: null }),
      () => move(hosts.slice(5, 12), [shop.db]),
      () => move(hosts.slice(6, 8), [shop.db, shop.web]),
      () => makeHosts(server, { business: shop.business, modules: [shop.db] }, [{ bk_cpu: 1 }, { operator: 'amy' }]),
      () => server.call('POST', '/hosts/modules/idle', { bk_biz_id: shop.business, bk_host_id: hosts.slice(20, 24) }),
      () =>
        server.call('POST', '/hosts/modules/resource', { bk_biz_id: shop.business, bk_host_id: hosts.slice(20, 22) }),
      () => server.call('DELETE', '/hosts/batch', { bk_host_id: hosts.slice(20, 22).join(',') }),
    ]
    for (const step of steps) {
      await step()
      await expectCurrent()
    }
  })

  it('reads only the stamp and the rows of the page while no host changes', async () => {
    const plan = await planned(server, questions['two attributes'] ?? [])
    await search(server.service.storage, plan, { start: 0, limit: 20 })
    // On PostgreSQL a new record has no position yet.
    await expect.poll(() => unnumbered()).toBe(0)
    await search(server.service.storage, plan, { start: 0, limit: 20 })
    const page = () => search(server.service.storage, plan, { start: 20, limit: 20 })
    expect(await statementsOf(server.service.storage, page)).toHaveLength(1)
  })
  const unnumbered = async () => {
    const { read } = server.service.storage
    return (await read.selectFrom('log').select('ticket').where('position', 'is', null).execute()).length
  }

  it('shows a change of many hosts completely or not at all, and counts what it shows', async () => {
    const some = hosts.slice(30, 50)
    await edit(some, { bk_mem: 1 })
    let isDone = false
    const toggling = (async () => {
      for (let turn = 0; turn < 12; turn++) await edit(some, { bk_mem: 1 + (turn % 2) })
      isDone = true
    })()
    const seen = new Set<number>()
    const condition = [entry('host', ['bk_mem', '$eq', 1])]
    while (!isDone) {
      const { data } = await searchHosts(server, { condition, page: { limit: 200 } })
      expect(data.info.length).toBe(data.count)
      seen.add(data.count)
    }
    await toggling
    expect([...seen].filter((count) => count !== 0 && count !== some.length)).toEqual([])
  })

  it('sorts the cached matches in another order', async () => {
    const condition = [entry('host', ['bk_os_type', '$eq', '1'])]
    const sorted = await searchHosts(server, { condition, page: { limit: 200, sort: '-bk_host_id' } })
    const plain = await searchHosts(server, { condition, page: { limit: 200 } })
    const ids = (found: typeof plain) => found.data.info.map((row) => row.host.bk_host_id)
    expect(ids(sorted)).toEqual(ids(plain).reverse())
    const beyond = await searchHosts(server, { condition, page: { start: 1_000, sort: 'bk_cpu' } })
    expect([beyond.data.count, beyond.data.info]).toEqual([plain.data.count, []])
  })

  it('reads all hosts again if the log cannot tell what has changed', async () => {
    await expectCurrent()
    const actor = { user: 'test', account: '0', requestId: '' }
    const [lost] = hosts
    await edit([hosts[3] as number], { bk_comment: 'last seen' })
    await expectCurrent()
    // Simulates a database that has gone back: the record is unknown, and this host has changed without one.
    await server.service.storage.change(actor, async (tx) => {
      await tx.updateTable('log').set({ txn_id: sql`'another ' || txn_id` }).where('object_id', '=', 'host').execute()
      await tx
        .updateTable('host')
        .set({ attributes: '{"bk_cpu":4}' })
        .where('host_id', '=', lost as number)
        .execute()
    })
    await expectCurrent()
  })

  it.runIf(engine === 'postgres')('includes changes of other processes', async () => {
    const other = await startServer(engine, { store })
    try {
      await expectCurrent(other)
      await edit(hosts.slice(40, 45), { bk_cpu: 4, bk_os_type: '1' })
      await expectCurrent(other)
      await expectCurrent()
    } finally {
      await other.close()
    }
  })
})
