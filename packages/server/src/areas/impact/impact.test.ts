import type { associations, DataOf } from '@mainline/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { associate, declare, makeInstance } from '../../testing/data/associations.ts'
import { makeHost, makeShop, type Shop } from '../../testing/data/hosts.ts'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'

type Impact = DataOf<typeof associations.getImpact>
type Topology = DataOf<typeof associations.searchInstanceTopology>

eachEngine((engine) => {
  let server: TestServer
  let shop: Shop
  let host: number
  let rack: number
  let spine: number
  let leaf: number
  const impact = (object: string, id: number, query = '', headers: Record<string, string> = {}) =>
    server.call<Impact>('GET', `/impact/${object}/${id}?${query}`, undefined, headers)
  const reached = async (object: string, id: number, query = '') =>
    (await impact(object, id, query)).data.info.map((each) => [each.bk_obj_id, each.bk_inst_id, each.depth])

  /** spine -> leaf -> host, rack -> host, and the host in a module of the shop. */
  beforeAll(async () => {
    server = await startServer(engine)
    shop = await makeShop(server)
    host = await makeHost(server, { business: shop.business, modules: [shop.web] })
    for (const [source, target] of [
      ['bk_switch', 'bk_switch'],
      ['bk_switch', 'host'],
      ['bk_router', 'host'],
    ] as const) {
      await declare(server, source, target)
    }
    spine = await makeInstance(server, 'bk_switch', 'spine')
    leaf = await makeInstance(server, 'bk_switch', 'leaf')
    rack = await makeInstance(server, 'bk_router', 'rack')
    await associate(server, 'bk_switch_connect_bk_switch', spine, leaf)
    await associate(server, 'bk_switch_connect_host', leaf, host)
    await associate(server, 'bk_router_connect_host', rack, host)
  })
  afterAll(() => server.close())

  it('follows associations from source to target, and shows the path to each instance', async () => {
    const { data } = await impact('bk_switch', spine, 'depth=2')
    const start = { bk_obj_id: 'bk_switch', bk_inst_id: spine, bk_inst_name: 'spine' }
    expect(data).toMatchObject({ start, count: 2, truncated: false })
    const [{ bk_inst_name: address }] = data.info.slice(-1) as [Impact['info'][number]]
    expect(data.info.at(-1)).toEqual({
      bk_obj_id: 'host',
      bk_inst_id: host,
      bk_inst_name: address,
      bk_biz_id: shop.business,
      direction: 'down',
      depth: 2,
      path: [
        { bk_obj_id: 'bk_switch', bk_inst_id: leaf, bk_inst_name: 'leaf', through: 'bk_switch_connect_bk_switch' },
        { bk_obj_id: 'host', bk_inst_id: host, bk_inst_name: address, through: 'bk_switch_connect_host' },
      ],
    })
    expect(await reached('bk_switch', spine, 'depth=1')).toEqual([['bk_switch', leaf, 1]])
  })

  it('follows the main line and placement, down and up', async () => {
    const down = await reached('biz', shop.business, 'depth=6')
    expect(down).toContainEqual(['set', shop.set, 1])
    expect(down).toContainEqual(['module', shop.web, 2])
    expect(down).toContainEqual(['host', host, 3])
    expect(await reached('host', host, 'direction=up&depth=3')).toEqual([
      ['module', shop.web, 1],
      ['bk_switch', leaf, 1],
      ['bk_router', rack, 1],
      ['set', shop.set, 2],
      ['bk_switch', spine, 2],
      ['biz', shop.business, 3],
    ])
    const { data } = await impact('module', shop.web, 'direction=both&depth=2')
    expect(data.info.map((each) => [each.direction, each.bk_obj_id])).toEqual([
      ['up', 'set'],
      ['down', 'host'],
      ['up', 'biz'],
    ])
  })

  it('terminates on cycles, and reports that there are more results than requested', async () => {
    await associate(server, 'bk_switch_connect_bk_switch', leaf, spine)
    expect(await reached('bk_switch', spine, 'depth=6')).toEqual([
      ['bk_switch', leaf, 1],
      ['host', host, 2],
    ])
    expect((await impact('biz', shop.business, 'depth=6&limit=2')).data).toMatchObject({ count: 2, truncated: true })
  })

  it.each([
    ['bk_switch', 999_999, '', 1199019],
    ['nosuch', 1, '', 1199019],
    ['host', 0, '', 1199019],
    ['host', 1, 'depth=7', 1199006],
    ['host', 1, 'depth=0', 1199006],
    ['host', 1, 'depth=x', 1199009],
    ['host', 1, 'depth=1&depth=2', 1199009],
    ['host', 1, 'direction=sideways', 1199006],
    ['host', 1, 'limit=1001', 1199006],
  ])('%s %i?%s is refused', async (object, id, query, code) => {
    expect((await impact(object, id, query)).bk_error_code).toBe(code)
  })

  it('is limited to the account and to objects that the caller may search', async () => {
    expect((await impact('host', host, '', { HTTP_BLUEKING_SUPPLIER_ID: 'other' })).bk_error_code).toBe(1199019)
    const bob = { BK_User: 'bob' }
    expect((await impact('bk_switch', spine, '', bob)).bk_error_code).toBe(1199019)
    const { data } = await impact('host', host, 'direction=up', bob)
    expect(new Set(data.info.map((each) => each.bk_obj_id))).toEqual(new Set(['module', 'set', 'biz']))
  })

  it('the neighbours of an instance are grouped by object, sources before it and targets after', async () => {
    const path = `/inst/association/topo/search/owner/0/object/host/inst/${host}`
    const [{ curr, prev, next } = {} as Topology[number]] = (await server.call<Topology>('POST', path, {})).data
    expect(curr).toMatchObject({ bk_obj_id: 'host', bk_inst_id: host, id: String(host) })
    expect(next).toEqual([])
    expect(prev.map((group) => [group.bk_obj_id, group.count])).toEqual([
      ['bk_switch', 1],
      ['bk_router', 1],
    ])
    expect(prev[0]?.children).toMatchObject([{ bk_inst_id: leaf, bk_inst_name: 'leaf', bk_obj_name: 'Switch' }])
    expect((await server.call('POST', path.replace(/\d+$/, '999999'), {})).bk_error_code).toBe(1199019)
  })

  it('instances are searched by what they are associated with', async () => {
    const search = (condition: object, more: object = {}) =>
      server.call<{ count: number; info: Record<string, unknown>[] }>(
        'POST',
        '/inst/association/search/owner/0/object/bk_switch',
        { condition, ...more },
      )
    const is = (field: string, value: unknown, operator = '$eq') => [{ field, operator, value }]
    expect((await search({})).data.count).toBe(2)
    const own = await search(
      { bk_switch: is('bk_inst_name', 'spi', '$regex') },
      { fields: { bk_switch: ['bk_inst_id'] } },
    )
    expect(own.data).toEqual({ count: 1, info: [{ bk_inst_id: spine }] })
    const other = await declare(server, 'bk_switch', 'bk_router')
    await associate(server, other.bk_obj_asst_id, leaf, rack)
    const found = await search({ bk_router: is('bk_inst_name', 'rack') }, { page: { start: 0, limit: 5 } })
    expect(found.data).toMatchObject({ count: 1, info: [{ bk_inst_id: leaf }] })
    expect((await search({ bk_router: is('bk_inst_name', 'nosuch') })).data.count).toBe(0)
    expect((await search({ bk_switch: is('nosuch', 1) })).bk_error_code).toBe(1199011)
    expect((await search({ nosuch: is('bk_inst_name', 'x') })).bk_error_code).toBe(1101016)
  })
})
