import { afterAll, beforeAll, expect, it } from 'vitest'
import { findRecords, findSets, makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { findModules, makeModule } from '../../../testing/data/levels.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { putAttribute, stored } from '../../../testing/inspect/rows.ts'

const chinese = { HTTP_BLUEKING_LANGUAGE: 'zh-cn' }

eachEngine((engine) => {
  let server: TestServer
  let business: number
  let idlePool: number
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
    idlePool = (await findSets(server, business, { default: 1 })).data.info[0]?.bk_set_id as number
  })
  afterAll(() => server.close())

  it('answers the full stored record with defaults for missing attributes', async () => {
    const set = await makeSet(server, business)
    const sent = { bk_module_name: 'gateway', bk_module_id: 1, default: 2, bk_set_id: 999, bk_parent_id: 999 }
    const made = await server.call('POST', `/module/${business}/${set}`, sent, { BK_User: 'amy' })
    expect(made).toMatchObject({ status: 200, result: true, bk_error_code: 0 })
    expect(made.data).toMatchObject({
      bk_module_name: 'gateway',
      bk_set_id: set,
      bk_parent_id: set,
      bk_biz_id: business,
      bk_supplier_account: '0',
      default: 0,
      bk_module_type: '1',
      operator: '',
      bk_bak_operator: '',
      creator: 'amy',
    })
    expect(made.data.bk_module_id).toBeGreaterThan(2)
    expect((await findModules(server, business, set)).data).toEqual({ count: 1, info: [made.data] })
  })

  it('records before and after, and nothing without a change', async () => {
    const set = await makeSet(server, business)
    const id = await makeModule(server, business, set, 'ledger')
    const path = `/module/${business}/${set}/${id}`
    for (const operator of ['amy, bob', 'amy,bob']) {
      expect((await server.call('PUT', path, { operator })).data).toBe('success')
    }
    expect((await server.call('PUT', path, { bk_module_name: 'books' })).data).toBe('success')
    expect((await server.call('DELETE', path)).data).toBe('success')
    expect((await server.call('DELETE', path)).bk_error_code).toBe(1199019)
    const { info } = (await findRecords(server, { inst_id: id, op_target: 'module' })).data
    expect(info.map((row) => [row.op_type, row.op_desc, row.bk_biz_id])).toEqual([
      [1, 'create module', business],
      [2, 'update module', business],
      [2, 'update module', business],
      [3, 'delete module', business],
    ])
    expect(info[1]?.content).toMatchObject({ pre_data: { operator: '' }, cur_data: { operator: 'amy,bob' } })
    expect(info[3]?.content).toMatchObject({ pre_data: { bk_module_name: 'books', bk_set_id: set }, cur_data: null })
  })

  it('changes the tree version when a module is created, renamed or deleted, and not otherwise', async () => {
    const own = await makeBusiness(server)
    const set = await makeSet(server, own)
    const version = async () => {
      const { businesses } = await stored(server)
      return businesses.find((row) => row.biz_id === own)?.tree_version ?? 0
    }
    const before = await version()
    const id = await makeModule(server, own, set, 'web')
    const created = await version()
    await server.call('PUT', `/module/${own}/${set}/${id}`, { operator: 'amy' })
    expect(await version()).toBe(created)
    await server.call('PUT', `/module/${own}/${set}/${id}`, { bk_module_name: 'www' })
    const renamed = await version()
    await server.call('DELETE', `/module/${own}/${set}/${id}`)
    expect(new Set([before, created, renamed, await version()]).size).toBe(4)
  })

  it('requires unique names within the set only', async () => {
    const [one, two] = [await makeSet(server, business), await makeSet(server, business)]
    await makeModule(server, business, one, 'web')
    await makeModule(server, business, two, 'web')
    const again = await server.call('POST', `/module/${business}/${one}`, { bk_module_name: 'web' })
    expect(again).toMatchObject({ status: 409, bk_error_code: 1199014 })
  })

  it.each([{}, chinese])('accepts records as shown, built-in ones too: %o', async (headers) => {
    const { info } = (await findModules(server, business, idlePool, {}, headers)).data
    expect(info).toHaveLength(2)
    const before = await stored(server)
    for (const record of info) {
      const path = `/module/${business}/${idlePool}/${record.bk_module_id}`
      expect((await server.call('PUT', path, record, headers)).data).toBe('success')
    }
    const { nodes, records } = await stored(server)
    expect({ nodes, records }).toEqual({ nodes: before.nodes, records: before.records })
  })

  it('shows and finds built-in modules in both languages', async () => {
    const names = async (body: Record<string, unknown>, headers = {}) =>
      (await findModules(server, business, idlePool, body, headers)).data.info.map((row) => row.bk_module_name)
    expect(await names({})).toEqual(['idle machine', 'fault machine'])
    expect(await names({}, chinese)).toEqual(['空闲机', '故障机'])
    expect(await names({ condition: { bk_module_name: '故障机' } })).toEqual(['fault machine'])
    expect(await names({ condition: { bk_module_name: 'idle machine' } }, chinese)).toEqual(['空闲机'])
  })

  it('finds by page, fields and condition, in order of id, all of them optional', async () => {
    await putAttribute(server, 'module', { attribute_id: 'port', type: 'int' })
    const set = await makeSet(server, business)
    const ids: number[] = []
    for (const name of ['c', 'a', 'b']) ids.push(await makeModule(server, business, set, name))
    expect(
      (await server.call('PUT', `/module/${business}/${set}/${ids[1]}`, { port: '80', bk_module_type: 2 })).data,
    ).toBe('success')
    const find = async (body: Record<string, unknown>) => (await findModules(server, business, set, body)).data
    const idsOf = async (body: Record<string, unknown>) => (await find(body)).info.map((row) => row.bk_module_id)
    expect(await idsOf({})).toEqual(ids)
    expect(await find({ page: { start: 1, limit: 1 }, fields: ['bk_module_name', 'nonsense'] })).toEqual({
      count: 3,
      info: [{ bk_module_name: 'a' }],
    })
    expect(await idsOf({ page: { sort: '-bk_module_name' } })).toEqual([ids[0], ids[2], ids[1]])
    expect(await idsOf({ condition: { port: 80, bk_set_id: set } })).toEqual([ids[1]])
    expect(await idsOf({ condition: { bk_set_id: { $ne: set } } })).toEqual([])
    expect(await idsOf({ condition: { bk_module_name: { $regex: '^[ab]$' } } })).toEqual([ids[1], ids[2]])
    await server.call('DELETE', `/module/${business}/${set}/${ids[0]}`)
    expect(await find({ page: { start: 5 } })).toEqual({ count: 2, info: [] })
  })

  it('lets a maintainer of the business change modules, and anyone find them', async () => {
    const set = await makeSet(server, business)
    const path = `/module/${business}/${set}`
    const [amy, bob] = [{ BK_User: 'amy' }, { BK_User: 'bob' }]
    expect((await server.call('POST', path, { bk_module_name: 'web' }, bob)).bk_error_code).toBe(9900403)
    const made = await server.call('POST', path, { bk_module_name: 'web' }, amy)
    expect(made.result).toBe(true)
    expect((await findModules(server, business, set, {}, bob)).data.count).toBe(1)
    expect((await server.call('DELETE', `${path}/${made.data.bk_module_id}`, undefined, bob)).status).toBe(403)
    expect((await server.call('DELETE', `${path}/${made.data.bk_module_id}`, undefined, amy)).data).toBe('success')
  })
})
