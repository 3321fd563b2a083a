import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeSet } from '../../../testing/data/factories.ts'
import { makeShop, putHosts, type Shop } from '../../../testing/data/hosts.ts'
import { makeModule } from '../../../testing/data/levels.ts'
import { entry, type Filter, infoOf, type Rows } from '../../../testing/data/queries.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'

/** Query plans for 20,000 hosts, as reported by the engines. */
eachEngine((engine) => {
  let server: TestServer
  let shop: Shop
  let addresses: string[]
  beforeAll(async () => {
    server = await startServer(engine)
    shop = await makeShop(server)
    const small = await makeSet(server, shop.business, { bk_set_name: 'small' })
    const few = await makeModule(server, shop.business, small, 'few')
    addresses = (await putHosts(server, shop.web, 19_850)).map((host) => host.ip)
    await putHosts(server, shop.db, 100)
    await putHosts(server, few, 50)
    if (engine === 'postgres') await server.service.storage.engine.script('ANALYZE')
  })
  afterAll(() => server.close())

  async function explained(...entries: unknown[]) {
    const path = `/userapi/preview/${shop.business}?explain=true`
    const { data } = await server.call<Rows>('POST', path, { info: infoOf(...entries), limit: 200 })
    const statements = data.explain?.statements ?? []
    expect(statements.map((each) => each.what)).toEqual(['page', 'count'])
    return { count: data.count, statements }
  }
  /** Whether the plan scans all hosts, or all of the business, which here contains all of them. */
  const looksAtAll = (plan: string[]) =>
    plan.some((line) => /\bSCAN host\b|Seq Scan on host\b|host_by_(business|account)/.test(line))
  const lead = (sql: string) => /FROM "(\w+)" AS "lead"/.exec(sql)?.[1]

  const selective: [what: string, found: number, entries: () => unknown[]][] = [
    ['an address', 1, () => [entry('host', [['bk_host_innerip', '$eq', addresses[7]]])]],
    ['some addresses', 3, () => [entry('host', [['bk_host_innerip', '$in', addresses.slice(5, 8)]])]],
    ['an id', 1, () => [entry('host', [['bk_host_id', '$eq', 9]])]],
    ['a module', 100, () => [entry('module', [['bk_module_name', '$eq', 'db']])]],
    ['a set', 50, () => [entry('set', [['bk_set_name', '$eq', 'small']])]],
    [
      'a set and a module',
      50,
      () => [entry('set', [['bk_set_name', '$eq', 'small']]), entry('module', [['bk_module_name', '$in', 'few,db']])],
    ],
  ]
  it.each(selective)('does not scan all hosts to find those of %s', async (_what, found, entries) => {
    const { count, statements } = await explained(...entries())
    expect(count).toBe(found)
    for (const { plan } of statements) expect([looksAtAll(plan), plan]).toEqual([false, plan])
  })

  it('starts from the rarer value', async () => {
    const web = entry('module', [['bk_module_name', '$eq', 'web']])
    const few = entry('module', [['bk_module_name', '$eq', 'few']])
    const ips = (count: number) => entry('host', [['bk_host_innerip', '$in', addresses.slice(0, count)]])
    const cases: [count: number, leading: string, entries: unknown[]][] = [
      [2, 'host_ip', [web, ips(2)]],
      [0, 'placement', [few, ips(5_000)]],
      [1, 'host', [web, entry('host', [['bk_host_id', '$eq', 3]])]],
    ]
    for (const [count, leading, entries] of cases) {
      const told = await explained(...entries)
      expect(told.count).toBe(count)
      for (const { sql, plan } of told.statements) {
        expect(lead(sql)).toBe(leading)
        expect([looksAtAll(plan), plan]).toEqual([false, plan])
      }
    }
  })

  it('the check itself detects a scan of all hosts', async () => {
    const all: Filter = ['bk_comment', '$eq', 'stranger']
    const { statements } = await explained(entry('host', [all]))
    expect(statements.some(({ plan }) => looksAtAll(plan))).toBe(true)
  })
})
