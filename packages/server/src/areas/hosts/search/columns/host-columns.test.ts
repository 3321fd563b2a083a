import { afterAll, beforeAll, expect, it } from 'vitest'
import { present } from '../../../../common/present.ts'
import { zoneOf } from '../../../../common/time.ts'
import type { Connection } from '../../../../storage/connection.ts'
import { connectionOf, readerOver } from '../../../../storage/handles.ts'
import type { Storage } from '../../../../storage/index.ts'
import { addRows, freshAddress, makeHosts, makeShop, type Shop, searchHosts } from '../../../../testing/data/hosts.ts'
import { entry, type Filter } from '../../../../testing/data/queries.ts'
import { eachEngine, startServer, type TestServer } from '../../../../testing/harness.ts'
import { readLog } from '../../../../testing/inspect/log.ts'
import { modelOf } from '../../../model/index.ts'
import { readHostsWithStamp } from '../matches/recorded.ts'
import { planSearch } from '../plan.ts'
import { kinds, readHostQuery } from '../query.ts'
import { findHostIds } from '../search.ts'
import { columnsAt, HostColumns } from './host-columns.ts'
import { columnsFor, matchesIn } from './matching.ts'

eachEngine((engine) => {
  let server: TestServer
  let shop: Shop
  let hosts: number[]
  beforeAll(async () => {
    server = await startServer(engine)
    shop = await makeShop(server)
    const rows = Array.from({ length: 40 }, (_, index) => ({ bk_cpu: index % 4, bk_comment: `${index} `.repeat(400) }))
    hosts = await makeHosts(server, { business: shop.business, modules: [shop.web] }, rows)
  })
  afterAll(() => server.close())

  const storageOf = () => server.service.storage
  const clear = () => storageOf().engine.cache.clear()
  const stampNow = async () => (await readHostsWithStamp(storageOf().read, '0', [])).stamp
  const planned = async (...filters: Filter[]) => {
    const model = await modelOf(storageOf().read, '0')
    const reading = { model, zone: zoneOf('UTC'), path: 'condition', kinds, strict: true }
    const query = readHostQuery([entry('host', filters)], reading)
    return planSearch(storageOf(), { account: '0', model, business: undefined, query, order: [] })
  }
  /** A storage in which this is done after the first statement that may scan. */
  function interrupted(work: () => Promise<unknown>): Storage {
    const { heavy, engine } = storageOf()
    const original = connectionOf(heavy)
    let statements = 0
    const query: Connection['query'] = async (...statement) => {
      const rows = await original.query(...statement)
      if (statements++ === 0) await work()
      return rows
    }
    const connection: Connection = { ...(original.isFar && { isFar: true }), query, script: original.script }
    return { ...storageOf(), heavy: readerOver(connection, engine) }
  }

  it('are of one moment, though hosts change, come and go while they are read', async () => {
    clear()
    // Until then no record of a host has a position from which the log could be read.
    await readLog(storageOf().read)
    const plan = await planned(['bk_cpu', '$eq', 1])
    const asked = present(plan.asked)
    const names = present(columnsFor(asked))
    const edit = (id: number | undefined, bk_cpu: number) =>
      server.call('PUT', '/hosts/batch', { bk_host_id: `${id}`, bk_cpu })
    const changing = async () => {
      await edit(hosts[0], 1)
      await edit(hosts[1], 0)
      await edit(hosts.at(-1), 1)
      await makeHosts(server, { business: shop.business, modules: [shop.db] }, [{ bk_cpu: 1 }])
      const moved = { bk_biz_id: shop.business, bk_host_id: [hosts[5], hosts.at(-3)] }
      await server.call('POST', '/hosts/modules/idle', moved)
      await server.call('POST', '/hosts/modules/resource', moved)
      await server.call('DELETE', '/hosts/batch', { bk_host_id: `${hosts[5]}` })
    }
    const limits = { maxBytes: 1_000_000, hostsPerLoad: 3 }
    const found = await columnsAt(interrupted(changing), '0', names, await stampNow(), limits)
    const ids = (await matchesIn(present(found).columns, asked)).slice(0, 200)
    expect(ids).toEqual(await findHostIds(storageOf(), plan))
    expect([ids.includes(hosts[0] ?? 0), ids.includes(hosts[1] ?? 0), ids.includes(hosts[5] ?? 0)]).toEqual([
      true,
      false,
      false,
    ])
  })

  it('leave out what would take too much memory, and keep the others', async () => {
    clear()
    const names = ['host.business', 'attribute.bk_comment', 'attribute.bk_cpu']
    const limits = { maxBytes: 40_000, hostsPerLoad: 10 }
    const found = await columnsAt(storageOf(), '0', names, await stampNow(), limits)
    expect([...(found?.columns.keys() ?? [])]).toEqual(['host.business', 'attribute.bk_cpu'])
    expect(found?.lacks(['attribute.bk_comment'])).toBe(true)
    // Such a search is answered by SQL.
    const search = { condition: [entry('host', [['bk_comment', '$regex', '^1 1 ']])] }
    expect((await searchHosts(server, search)).data.count).toBe(1)
  })

  it('are read one after the other by searches that need different ones at the same time', async () => {
    clear()
    const filters: Filter[] = ['bk_cpu', 'bk_mem', 'bk_disk', 'bk_sla', 'bk_os_type'].map((name) => [name, '$ne', 3])
    const search = async (filter: Filter) => (await searchHosts(server, { condition: [entry('host', [filter])] })).data
    const found = await Promise.all(filters.map(search))
    expect(found.map(({ count }) => count)).toEqual([expect.any(Number), ...filters.slice(1).map(() => hosts.length)])
    const kept = present(HostColumns.last(storageOf(), '0'))
    expect(kept.has(filters.map(([name]) => `attribute.${name}`))).toBe(true)
  })

  it('are those of one account', async () => {
    const headers = { HTTP_BLUEKING_SUPPLIER_ID: 'other' }
    const search = { condition: [entry('host', [['bk_cpu', '$eq', 77]])] }
    const ids = async (headers = {}) => {
      const { data } = await searchHosts(server, search, headers)
      return data.info.map(({ host }) => host.bk_host_id)
    }
    expect([await ids(), await ids(headers)]).toEqual([[], []])
    const { data } = await addRows(server, { 0: { bk_host_innerip: freshAddress(), bk_cpu: 77 } }, {}, headers)
    expect([await ids(), await ids(headers)]).toEqual([[], data.hosts['0'] === undefined ? [] : [data.hosts['0']]])
    const [own] = await makeHosts(server, { business: shop.business, modules: [shop.web] }, [{ bk_cpu: 77 }])
    expect(await ids()).toEqual([own])
    expect(await ids(headers)).not.toContain(own)
  })
})
