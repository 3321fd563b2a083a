import { afterAll, beforeAll, expect, it } from 'vitest'
import { asDocumented } from '../../http/dialect.ts'
import { makeSet } from '../../testing/data/factories.ts'
import { makeHost, makeShop, putHosts, type Shop } from '../../testing/data/hosts.ts'
import { makeModule } from '../../testing/data/levels.ts'
import { entry, infoOf, saveQuery } from '../../testing/data/queries.ts'
import { configOf, eachEngine, startServer, type TestServer } from '../../testing/harness.ts'
import { putAttribute, refuses } from '../../testing/inspect/rows.ts'
import { walkQuery } from '../queries/run/index.ts'

type Inventory = { _meta: { hostvars: Record<string, Record<string, unknown>> } } & Record<
  string,
  { hosts?: string[]; children?: string[] }
>

const unsafe = (text: string) => ({ __ansible_unsafe: text })

eachEngine((engine) => {
  let server: TestServer
  let shop: Shop
  let other: Shop
  /** A query that shows everything of hosts, and one that selects attributes. */
  let plain: string
  let chosen: string
  const host: number[] = []
  beforeAll(async () => {
    server = await startServer(engine)
    await putAttribute(server, 'host', { attribute_id: 'rack', type: 'singlechar' })
    shop = await makeShop(server, 'games')
    other = await makeShop(server)
    const here = { business: shop.business }
    const more = await makeSet(server, shop.business, { bk_set_name: 'a.b' })
    const odd = await makeSet(server, shop.business, { bk_set_name: 'a b' })
    const [api, cache] = [
      await makeModule(server, shop.business, more, 'web'),
      await makeModule(server, shop.business, odd, '缓存'),
    ]
    const put = async (modules: number[], attributes: object) =>
      host.push(await makeHost(server, { ...here, modules }, { ...attributes }))
    await put([shop.web], { bk_host_innerip: '10.0.0.1', bk_host_name: 'web-1', bk_os_type: '1', bk_mem: 16 })
    await put([shop.db, api], { bk_host_innerip: '10.0.0.2,10.0.0.3', bk_host_name: 'twin', rack: '=1+1' })
    await put([cache], { bk_host_innerip: 'fd00::1', bk_host_name: 'twin', rack: 'a "b", {{ c }}\nd' })
    plain = await saveQuery(server, shop.business, infoOf(entry('host')))
    chosen = await saveQuery(
      server,
      shop.business,
      JSON.stringify({
        condition: [
          entry('set', [], ['bk_set_name', 'bk_set_env']),
          entry('host', [['bk_host_name', '$regex', '^twin$']], ['rack', 'bk_mem']),
        ],
        page: { sort: '-rack' },
      }),
    )
  })
  afterAll(() => server.close())

  const get = (form: string, id = plain, business = shop.business, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/api/v3/integrations/${form.replace(/(?=\?|$)/, `/${business}/${id}`)}`, { headers })
  const inventoryOf = async (id = plain) => (await (await get('ansible', id)).json()) as Inventory

  it('hosts are targets of Prometheus: a bare array, the first address, IPv6 in brackets, text labels', async () => {
    const answer = await get('prometheus')
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
    const groups = (await answer.json()) as { targets: string[]; labels: Record<string, string> }[]
    expect(groups.map(({ targets }) => targets)).toEqual([['10.0.0.1:9100'], ['10.0.0.2:9100'], ['[fd00::1]:9100']])
    expect(groups[0]?.labels).toMatchObject({
      __meta_mainline_biz: 'games',
      __meta_mainline_set: 'shop',
      __meta_mainline_module: 'web',
      __meta_mainline_host_id: `${host[0]}`,
      __meta_mainline_host_name: 'web-1',
      __meta_mainline_os_type: '1',
      __meta_mainline_mem: '16',
    })
    expect(groups[1]?.labels).toMatchObject({
      __meta_mainline_set: 'shop,a.b',
      __meta_mainline_module: 'db,web',
      __meta_mainline_host_innerip: '10.0.0.2,10.0.0.3',
    })
    const all = groups.flatMap(({ labels }) => Object.entries(labels))
    for (const [name, value] of all)
      expect([/^__meta_mainline_[a-z]\w*$/.test(name), typeof value]).toEqual([true, 'string'])
    expect(all.filter(([, value]) => value === '' || value === 'null')).toEqual([])
  })

  it('labels are the attributes that the query shows, and always placement, name, address and system of the host', async () => {
    const groups = (await (await get('prometheus?port=80', chosen)).json()) as { targets: string[]; labels: object }[]
    expect(groups.map(({ targets }) => targets[0])).toEqual(['10.0.0.2:80', '[fd00::1]:80'])
    expect(groups[0]?.labels).toEqual({
      __meta_mainline_biz: 'games',
      __meta_mainline_biz_id: `${shop.business}`,
      __meta_mainline_set: 'shop,a.b',
      __meta_mainline_set_id: expect.stringMatching(/^\d+,\d+$/),
      __meta_mainline_set_env: '3,3',
      __meta_mainline_module: 'db,web',
      __meta_mainline_module_id: expect.any(String),
      __meta_mainline_host_id: `${host[1]}`,
      __meta_mainline_host_innerip: '10.0.0.2,10.0.0.3',
      __meta_mainline_host_name: 'twin',
      __meta_mainline_cloud_id: '0',
      __meta_mainline_rack: '=1+1',
    })
  })

  it('sets and modules are groups of Ansible; names that would become equal stay distinct', async () => {
    const { _meta, all, ...groups } = await inventoryOf()
    const [second, third] = [`twin_${host[1]}`, `twin_${host[2]}`]
    expect(Object.keys(_meta.hostvars)).toEqual(['web-1', second, third])
    expect(_meta.hostvars['web-1']).toMatchObject({
      ansible_host: unsafe('10.0.0.1'),
      mainline_set: unsafe('shop'),
      mainline_mem: 16,
    })
    const names = Object.keys(groups)
    expect(names.filter((name) => /^set_a_b_[0-9a-f]{6}$/.test(name))).toHaveLength(2)
    expect(groups).toMatchObject({
      set_shop: { hosts: ['web-1', second] },
      module_web: { hosts: ['web-1', second] },
      module_db: { hosts: [second] },
      module_缓存: { hosts: [third] },
    })
    expect(all).toEqual({ children: ['ungrouped', ...names] })
  })

  it('every text is marked as unsafe for Ansible, so that no text, nor two joined, is evaluated as a template', async () => {
    const { hostvars } = (await inventoryOf())._meta
    expect(hostvars[`twin_${host[2]}`]?.mainline_rack).toEqual(unsafe('a "b", {{ c }}\nd'))
    expect(hostvars[`twin_${host[1]}`]?.mainline_rack).toEqual(unsafe('=1+1'))
    const values = Object.values(hostvars).flatMap((each) => Object.values(each))
    expect(values.filter((value) => typeof value === 'string')).toEqual([])
  })

  it('no host gets the name of another host, of a group or of the controller', async () => {
    const { business, web } = await makeShop(server, 'names')
    const put = (bk_host_name: string, last: number) =>
      makeHost(server, { business, modules: [web] }, { bk_host_innerip: `10.9.0.${last}`, bk_host_name })
    const [one, two] = [await put('app', 1), await put('app', 2)]
    const posing = await put(`app_${one}`, 3)
    const grouped = await put('module_web', 4)
    const local = await put('localhost', 5)
    const addressed = await put('', 6)
    const address = await put('10.9.0.6', 7)
    const decoded = await put('__ansible_unsafe', 8)
    const above = await put('..', 9)
    const query = await saveQuery(server, business, infoOf(entry('host')))
    const found = (await (await get('ansible', query, business)).json()) as Inventory
    const names = Object.keys(found._meta.hostvars)
    expect(names).toEqual([
      `app_${one}_${one}`,
      `app_${two}`,
      `app_${one}`,
      `module_web_${grouped}`,
      `localhost_${local}`,
      `10.9.0.6_${addressed}`,
      `10.9.0.6_${address}`,
      `__ansible_unsafe_${decoded}`,
      `.._${above}`,
    ])
    expect(posing).toBeGreaterThan(two)
    expect(found.module_web?.hosts).toEqual(names)
  })

  it('CSV has a header of the attributes shown, is quoted by RFC 4180, and contains no formulas', async () => {
    const answer = await get('csv', chosen)
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const [header, ...lines] = (await answer.text()).split('\r\n')
    expect(header).toBe('set.bk_set_id,set.bk_set_name,set.bk_set_env,host.bk_host_id,host.rack,host.bk_mem')
    expect(lines[0]).toMatch(new RegExp(`^"\\d+,\\d+","shop,a.b","3,3",${host[1]},'=1\\+1,$`))
    expect(lines[1]).toMatch(new RegExp(`^\\d+,a b,3,${host[2]},"a ""b"", {{ c }}\nd",$`))
    expect(lines.slice(2)).toEqual([''])
    expect((await (await get('csv')).text()).split('\r\n')[0]).toMatch(
      /^host.bk_host_id,host.bk_host_innerip,.*host.rack/,
    )
  })

  it('a client with the current answer gets 304 until it changes', async () => {
    for (const form of ['prometheus', 'ansible', 'csv']) {
      const tag = (await get(form)).headers.get('etag') ?? ''
      expect(tag).toMatch(/^"[\w-]{43}"$/)
      const again = await get(form, plain, shop.business, { 'if-none-match': tag })
      expect([again.status, await again.text()]).toEqual([304, ''])
    }
    const before = (await get('prometheus?port=1')).headers.get('etag')
    expect((await get('prometheus?port=2')).headers.get('etag')).not.toBe(before)
  })

  it('refuses an unknown query, one of another business, and an invalid port, in an envelope', async () => {
    for (const form of ['prometheus', 'ansible', 'csv']) {
      const call = (rest: string) => () => server.call('GET', `/integrations/${form}/${rest}`)
      await refuses(server, 1199019, 'No relevant data', call(`${shop.business}/nosuch`))
      await refuses(server, 1199019, 'No relevant data', call(`${other.business}/${plain}`))
      await refuses(server, 1199019, 'No relevant data', call(`999999/${plain}`))
    }
    for (const port of ['0', '65536', '-1', 'x', '', '80&port=81', '1e3', '__proto__']) {
      await refuses(server, 1199006, 'port', () =>
        server.call('GET', `/integrations/prometheus/${shop.business}/${plain}?port=${port}`),
      )
    }
  })

  it('reads queries of any size completely, each host once, up to the limit of an export', async () => {
    const many = await putHosts(server, other.web, 2_500)
    const empty = await saveQuery(server, other.business, infoOf(entry('host', [['bk_host_name', '$eq', 'nosuch']])))
    const all = await saveQuery(server, other.business, infoOf(entry('host', [], ['bk_host_innerip'])))
    const odd = await saveQuery(server, other.business, infoOf(entry('host', [['bk_host_name', '$regex', '[13579]$']])))
    const found = async (id: string) =>
      ((await (await get('prometheus', id, other.business)).json()) as { targets: string[] }[]).map(
        ({ targets }) => targets[0],
      )
    expect(await found(all)).toEqual(many.map(({ ip }) => `${ip}:9100`))
    expect(await found(odd)).toEqual(many.filter(({ id }) => id % 2 === 1).map(({ ip }) => `${ip}:9100`))
    expect(await found(empty)).toEqual([])
    const none = (await (await get('ansible', empty, other.business)).json()) as Inventory
    expect(none).toEqual({ _meta: { hostvars: {} }, all: { children: ['ungrouped'] } })

    const { storage } = server.service
    const actor = { user: 'admin', account: '0', requestId: '', language: 'en' } as const
    const { timezone } = configOf(server.store)
    const rights = { zone: timezone, ...asDocumented.savedQueries, lacks: async () => undefined }
    const wanted = { bizId: other.business, id: all, also: {}, most: 2_000 }
    const { pages } = await walkQuery(storage, actor, rights, wanted)
    await expect(Array.fromAsync(pages)).rejects.toMatchObject({ kind: 'tooMany', code: 1199035 })
  })
})
