import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeHost, makeShop, type Shop } from '../testing/data/hosts.ts'
import { eachEngine, startServer, type TestServer } from '../testing/harness.ts'

type Records = Record<string, unknown>[]

// The requests of the original's console when it starts, in their order and with their bodies.
eachEngine((engine) => {
  let server: TestServer
  let shop: Shop
  let host: number
  beforeAll(async () => {
    server = await startServer(engine, { flags: ['--compat', 'bk-cmdb'] })
    shop = await makeShop(server, 'shop')
    host = await makeHost(server, { business: shop.business, modules: [shop.web] }, { bk_os_type: 1 })
  })
  afterAll(() => server.close())

  async function open<Data>(method: string, path: string, body?: unknown): Promise<Data> {
    const answer = await server.call<Data>(method, path, body, { BK_User: 'admin', HTTP_BLUEKING_SUPPLIER_ID: '0' })
    expect(answer).toMatchObject({ status: 200, result: true, bk_error_code: 0, bk_error_msg: 'success' })
    return answer.data
  }

  it('the businesses, requested with an empty body', async () => {
    type Found = { count: number; info: Records }
    for (const body of [undefined, '', {}, { page: {}, fields: [], condition: {} }, { page: { start: 0, limit: 0 } }]) {
      const { count, info } = await open<Found>('POST', '/biz/search/0', body)
      expect(count).toBe(1)
      expect(info).toMatchObject([{ bk_biz_id: shop.business, bk_biz_name: 'shop', life_cycle: '2', language: '1' }])
    }
  })

  it('the privileges of the user, with every list present', async () => {
    expect(await open('GET', '/topo/privilege/user/detail/0/admin')).toMatchObject({
      bk_group_id: expect.any(String),
      group_id: expect.any(String),
      sys_config: { global_busi: ['resource'], back_config: expect.arrayContaining(['event', 'model', 'audit']) },
      model_config: { bk_network: { bk_switch: expect.arrayContaining(['create', 'update', 'delete', 'search']) } },
    })
    expect(await open('GET', '/topo/privilege/0/biz/bk_biz_maintainer')).toContain('hostupdate')
  })

  it('groups with text ids', async () => {
    await open('POST', '/topo/privilege/group/0', { group_name: 'operators', user_list: 'amy;bob' })
    const [group] = await open<Records>('POST', '/topo/privilege/group/0/search', {})
    expect(group).toEqual({ group_id: expect.any(String), group_name: 'operators', user_list: 'amy;bob' })
  })

  it('classifications with their objects', async () => {
    const found = await open<Records>('POST', '/object/classification/0/objects', {})
    const hosts = found.find((each) => each.bk_classification_id === 'bk_host_manage')
    expect(hosts?.bk_objects).toContainEqual(expect.objectContaining({ bk_obj_id: 'host', bk_obj_name: '主机' }))
  })

  it('attributes of several objects at once, and their groups', async () => {
    const body = { bk_obj_id: { $in: ['biz', 'set', 'module', 'host'] }, bk_supplier_account: '0' }
    const attributes = await open<Records>('POST', '/object/attr/search', body)
    expect(new Set(attributes.map((each) => each.bk_obj_id))).toEqual(new Set(['biz', 'set', 'module', 'host']))
    const system = attributes.find((each) => each.bk_property_id === 'bk_os_type')
    expect(system).toMatchObject({
      bk_property_type: 'enum',
      bk_property_group: 'auto',
      isrequired: false,
      ispre: true,
    })
    expect(system?.option).toContainEqual(expect.objectContaining({ id: '1', name: 'Linux', type: 'text' }))

    const groups = await open<Records>('POST', '/objectatt/group/property/owner/0/object/host', {})
    expect(groups).toContainEqual(expect.objectContaining({ bk_group_id: 'default', bk_isdefault: true }))
    expect(groups).toContainEqual(expect.objectContaining({ bk_group_id: 'auto', bk_group_index: expect.any(Number) }))
  })

  it('the columns of the user, whatever was stored in them, and the defaults', async () => {
    expect(
      await open('POST', '/usercustom', { host_display_column: ['bk_host_innerip'], is_collapsed: true }),
    ).toBeNull()
    expect(await open('POST', '/usercustom/user/search')).toMatchObject({
      id: expect.any(String),
      bk_user: 'admin',
      host_display_column: ['bk_host_innerip'],
      is_collapsed: true,
    })
    expect(await open('POST', '/usercustom/default/search', {})).toMatchObject({ is_default: 1 })
  })

  it('the main line, the tree and the idle pool', async () => {
    const chain = await open<Records>('GET', '/topo/model/0')
    expect(chain.map((each) => each.bk_obj_id)).toEqual(['biz', 'set', 'module', 'host'])
    const [top] = await open<Records>('GET', `/topo/inst/0/${shop.business}?level=-1`)
    expect(top).toMatchObject({
      bk_obj_id: 'biz',
      bk_obj_name: '业务',
      child: [
        { bk_inst_name: 'shop', default: 0, child: [{ bk_inst_name: 'db' }, { bk_inst_name: 'web', child: [] }] },
      ],
    })
    expect(await open('GET', `/topo/internal/0/${shop.business}`)).toMatchObject({
      bk_set_name: '空闲机池',
      module: [
        { bk_module_id: shop.idle, bk_module_name: '空闲机' },
        { bk_module_id: shop.fault, bk_module_name: '故障机' },
      ],
    })
  })

  it('the hosts, with enumerations as text', async () => {
    const kinds = ['biz', 'set', 'module', 'host'].map((bk_obj_id) => ({ bk_obj_id, fields: [], condition: [] }))
    const found = await open<{ count: number; info: Records }>('POST', '/hosts/search', {
      bk_biz_id: shop.business,
      ip: { data: [], exact: 0, flag: 'bk_host_innerip|bk_host_outerip' },
      condition: kinds,
      page: { start: 0, limit: 10, sort: 'bk_host_id' },
      pattern: '',
    })
    expect(found).toMatchObject({
      count: 1,
      info: [
        {
          host: { bk_host_id: host, bk_os_type: '1' },
          biz: [{ bk_biz_name: 'shop' }],
          set: [{ bk_set_env: '3', bk_service_status: '1' }],
          module: [{ bk_module_id: shop.web, bk_module_type: '1', TopModuleName: 'shop##shop##web' }],
        },
      ],
    })
  })

  it('the log, with types as numbers', async () => {
    const condition = { op_target: 'host', op_type: 'add', op_time: [] }
    const body = { condition, start: 0, limit: 10, sort: '-op_time' }
    const { info } = await open<{ info: Records }>('POST', '/audit/search', body)
    expect(info).toMatchObject([{ op_type: 1, inst_id: host, op_target: 'host', content: { type: 'map' } }])
  })

  it('subscriptions, with the timeout under its old name', async () => {
    const sent = { subscription_name: 'ledger', callback_url: 'http://127.0.0.1:9/', subscription_form: 'hostcreate' }
    const made = await open<{ subscription_id: number }>('POST', '/event/subscribe/0/0', { ...sent, time_out: 20 })
    const { subscription_id } = made
    const body = { page: { start: 0, limit: 10, sort: 'subscription_id' }, fields: [], condition: {} }
    expect(await open('POST', '/event/subscribe/search/0/0', body)).toMatchObject({
      count: 1,
      info: [{ ...sent, subscription_id, time_out: 20, statistics: { total: 0, failure: 0 } }],
    })
  })
})
