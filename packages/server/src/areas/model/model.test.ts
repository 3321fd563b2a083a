import type { model } from '@mainline/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findRecords } from '../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'

type Classification = model.ClassificationRecord & { bk_objects: model.ObjectRecord[] }
const chinese = { HTTP_BLUEKING_LANGUAGE: 'zh-cn' }
const success = { result: true, data: 'success' }

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
  })
  afterAll(() => server.close())
  const post = async <Data>(path: string, body: unknown = {}, headers = {}): Promise<Data> => {
    const answer = await server.call<Data>('POST', path, body, headers)
    expect(answer).toMatchObject({ result: true })
    return answer.data
  }
  const attributes = (condition: unknown, headers = {}) =>
    post<model.AttributeRecord[]>('/object/attr/search', condition, headers)
  const groups = (object: string, headers = {}) =>
    post<model.GroupRecord[]>(`/objectatt/group/property/owner/0/object/${object}`, {}, headers)
  /** Audit records of the model since the caller started. */
  const history = async (operator: string) =>
    (await findRecords(server, { op_target: 'model', operator })).data.info.map(({ op_type, op_desc, inst_id }) => [
      op_type,
      op_desc,
      inst_id,
    ])

  it('a classification is created, found, changed and deleted', async () => {
    const made = await post<Classification>('/object/classification', {
      bk_classification_id: 'storage',
      bk_classification_name: 'Storage',
    })
    expect(made).toEqual({
      id: expect.any(Number),
      bk_classification_id: 'storage',
      bk_classification_name: 'Storage',
      bk_classification_icon: 'icon-cc-default',
      bk_classification_type: '',
      bk_supplier_account: '0',
    })
    expect(await post('/object/classifications', { bk_classification_id: 'storage' })).toEqual([made])
    const path = `/object/classification/${made.id}`
    expect(await server.call('PUT', path, { bk_classification_name: 'Disks' })).toMatchObject(success)
    expect(await post('/object/classifications', { id: made.id })).toEqual([
      { ...made, bk_classification_name: 'Disks' },
    ])
    expect(await server.call('DELETE', path)).toMatchObject(success)
    expect(await post('/object/classifications', { id: made.id })).toEqual([])
    const rows = (await findRecords(server, { op_target: 'model', inst_id: made.id })).data.info
    expect(rows.map((row) => [row.op_desc, row.bk_biz_id])).toEqual([
      ['create classification', 0],
      ['update classification', 0],
      ['delete classification', 0],
    ])
    expect(rows[1]?.content).toMatchObject({
      pre_data: { bk_classification_name: 'Storage' },
      cur_data: { bk_classification_name: 'Disks' },
    })
  })

  it('built-in parts exist from the start, in the language of the caller', async () => {
    const all = await post<Classification[]>('/object/classification/0/objects')
    expect(all.map((each) => each.bk_classification_id)).toEqual(
      expect.arrayContaining(['bk_host_manage', 'bk_biz_topo', 'bk_organization', 'bk_network', 'bk_middleware']),
    )
    const topology = all.find((each) => each.bk_classification_id === 'bk_biz_topo')
    expect(topology).toMatchObject({ bk_classification_type: 'inner', bk_classification_name: 'Business topology' })
    expect(topology?.bk_objects.map((object) => object.bk_obj_id)).toEqual(['module', 'set'])
    expect(await post('/object/classifications', { bk_classification_name: 'Network' }, chinese)).toMatchObject([
      { bk_classification_name: '网络' },
    ])
    expect(await post('/objects', { bk_obj_name: '主机' })).toMatchObject([{ bk_obj_id: 'host', bk_obj_name: 'Host' }])
    expect(await post('/objects', { bk_obj_name: { $ne: '主机' }, bk_obj_id: 'host' })).toEqual([])
    const [status] = await attributes({ bk_obj_id: 'set', bk_property_id: 'bk_service_status' }, chinese)
    expect(status).toMatchObject({ bk_property_name: '服务状态', bk_property_group_name: '基础信息', ispre: true })
    expect(status?.option).toMatchObject([
      { id: '1', name: '开放', is_default: true },
      { id: '2', name: '关闭' },
    ])
    expect((await groups('host', chinese)).map((group) => group.bk_group_name)).toEqual(['基础信息', '自动发现信息'])
  })

  it('an object is created with a group and a name attribute, and deleted with all of its parts', async () => {
    const made = await post<model.ObjectRecord>('/object', {
      bk_obj_id: 'rack',
      bk_obj_name: 'Rack',
      bk_classification_id: 'bk_network',
      bk_obj_icon: 'icon-rack',
    })
    expect(made).toMatchObject({ bk_obj_id: 'rack', bk_obj_icon: 'icon-rack', ispre: false, bk_ispaused: false })
    expect(await groups('rack')).toMatchObject([{ bk_group_id: 'default', bk_isdefault: true, ispre: true }])
    expect(await attributes({ bk_obj_id: 'rack' }, chinese)).toMatchObject([
      { bk_property_id: 'bk_inst_name', bk_property_name: '实例名', isrequired: true, ispre: true, isonly: true },
    ])
    const path = `/object/${made.id}`
    const changes = { bk_obj_name: 'Cabinet', bk_classification_id: 'bk_middleware', bk_ispaused: true }
    expect(await server.call('PUT', path, { ...made, ...changes })).toMatchObject(success)
    const [changed] = await post<model.ObjectRecord[]>('/objects', { bk_obj_id: { $in: ['rack'] } })
    expect(changed).toEqual({ ...made, ...changes, last_time: changed?.last_time })
    await post('/object/attr', {
      bk_obj_id: 'rack',
      bk_property_id: 'units',
      bk_property_name: 'Units',
      bk_property_type: 'int',
    })
    await post('/objectatt/group/new', { bk_obj_id: 'rack', bk_group_id: 'money', bk_group_name: 'Cost' })
    expect(await server.call('DELETE', path)).toMatchObject(success)
    expect(await post('/objects', { bk_obj_id: 'rack' })).toEqual([])
    expect(await attributes({ bk_obj_id: 'rack' })).toEqual([])
    expect((await history('admin')).slice(-3)).toEqual([
      [3, 'delete attribute', expect.any(Number)],
      [3, 'delete attribute group', expect.any(Number)],
      [3, 'delete object', made.id],
    ])
  })

  it('an attribute is created with all properties, changed except for identifier and type, and deleted', async () => {
    const [last] = (await attributes({ bk_obj_id: 'module' })).slice(-1)
    const made = await post<model.AttributeRecord>('/object/attr', {
      bk_supplier_account: '0',
      bk_obj_id: 'module',
      bk_property_id: 'port',
      bk_property_name: 'Port',
      bk_property_type: 'int',
      option: { min: '1', max: 65535 },
      unit: 'tcp',
      placeholder: 'a number',
      editable: false,
      isrequired: false,
    })
    expect(made).toEqual({
      id: expect.any(Number),
      bk_supplier_account: '0',
      bk_obj_id: 'module',
      bk_property_id: 'port',
      bk_property_name: 'Port',
      bk_property_type: 'int',
      bk_property_group: 'default',
      bk_property_group_name: 'Basic information',
      bk_property_index: (last?.bk_property_index ?? 0) + 1,
      option: { min: 1, max: 65535 },
      unit: 'tcp',
      placeholder: 'a number',
      editable: false,
      isrequired: false,
      ispre: false,
      isreadonly: false,
      isonly: false,
      searchable: false,
      bk_searchable_state: '',
      creator: 'admin',
      create_time: expect.stringMatching(/^\d{4}-.*\+00:00$/),
      last_time: made.create_time,
    })
    expect((await attributes({ bk_obj_id: { $in: ['module'] } })).at(-1)).toEqual(made)
    expect(await attributes({ bk_property_type: 'int', unit: 'tcp', ispre: false, page: { start: 0 } })).toEqual([made])
    const path = `/object/attr/${made.id}`
    expect(await server.call('PUT', path, { ...made, bk_property_name: 'TCP port', option: '' })).toMatchObject(success)
    const [changed] = await attributes({ bk_property_id: 'port' })
    expect(changed).toEqual({ ...made, bk_property_name: 'TCP port', option: null, last_time: changed?.last_time })
    const count = (await history('admin')).length
    expect(await server.call('PUT', path, { ...changed, unit: 'tcp' })).toMatchObject(success)
    expect(await history('admin')).toHaveLength(count)
    expect(await server.call('DELETE', path)).toMatchObject(success)
    expect(await attributes({ bk_property_id: 'port' })).toEqual([])
  })

  it('a built-in attribute sent back as shown, in any language, is no change; renamed, it keeps its new name', async () => {
    const [read] = await attributes({ bk_obj_id: 'set', bk_property_id: 'bk_set_env' }, chinese)
    const count = (await history('admin')).length
    expect(await server.call('PUT', `/object/attr/${read?.id}`, read)).toMatchObject(success)
    expect(await history('admin')).toHaveLength(count)
    const option = [...((read?.option ?? []) as object[]), { id: '4', name: 'Canary' }]
    await server.call('PUT', `/object/attr/${read?.id}`, { bk_property_name: 'Stage', option })
    const [changed] = await attributes({ bk_obj_id: 'set', bk_property_id: 'bk_set_env' })
    expect(changed).toMatchObject({
      bk_property_name: 'Stage',
      option: { 0: { name: 'Testing' }, 3: { name: 'Canary' } },
    })
    const [shown] = await attributes({ bk_obj_id: 'set', bk_property_id: 'bk_set_env' }, chinese)
    expect(shown).toMatchObject({ bk_property_name: 'Stage', option: { 0: { name: '测试' }, 3: { name: 'Canary' } } })
  })

  it('a group is created last in order, changed, holds attributes and is deleted when empty', async () => {
    const made = await post<model.GroupRecord>('/objectatt/group/new', {
      bk_obj_id: 'host',
      bk_group_id: 'money',
      bk_group_name: 'Cost',
    })
    expect(made).toMatchObject({ bk_group_index: 2, bk_isdefault: false, ispre: false, bk_obj_id: 'host' })
    const update = { condition: { id: made.id }, data: { bk_group_name: 'Expenses', bk_group_index: 0 } }
    expect(await server.call('PUT', '/objectatt/group/update', update)).toMatchObject(success)
    expect((await groups('host')).map((group) => group.bk_group_name)).toEqual([
      'Basic information',
      'Expenses',
      'Discovered',
    ])
    const price = await post<model.AttributeRecord>('/object/attr', {
      bk_obj_id: 'host',
      bk_property_id: 'price',
      bk_property_name: 'Price',
      bk_property_type: 'float',
      bk_property_group: 'money',
    })
    expect(price).toMatchObject({ bk_property_group: 'money', bk_property_group_name: 'Expenses', option: null })
    const path = `/objectatt/group/groupid/${made.id}`
    expect(await server.call('DELETE', path)).toMatchObject({ status: 409, bk_error_code: 1101026, data: null })
    expect(await server.call('PUT', `/object/attr/${price.id}`, { bk_property_group: 'auto' })).toMatchObject(success)
    expect(await server.call('DELETE', path)).toMatchObject(success)
    expect(await attributes({ bk_property_id: 'price' })).toMatchObject([{ bk_property_group_name: 'Discovered' }])
  })

  it('a level of the main line is renamed like any object, but has its own operations for insertion and removal', async () => {
    const level = {
      bk_obj_id: 'region',
      bk_obj_name: 'Region',
      bk_classification_id: 'bk_biz_topo',
      bk_asst_obj_id: 'biz',
    }
    await post('/topo/model/mainline', { ...level, bk_supplier_account: '0', bk_obj_icon: '' })
    const [made] = await post<model.ObjectRecord[]>('/objects', { bk_obj_id: 'region' })
    const path = `/object/${made?.id}`
    expect(await server.call('PUT', path, { bk_obj_name: 'Area' })).toMatchObject(success)
    expect(await post('/objects', { bk_obj_name: 'Area' })).toMatchObject([{ id: made?.id }])
    expect(await server.call('PUT', path, { bk_ispaused: true })).toMatchObject({ bk_error_code: 1001035 })
    expect(await server.call('DELETE', path)).toMatchObject({ status: 409, bk_error_code: 1001035 })
  })

  it('definitions of one account are unknown in another', async () => {
    const far = { bk_supplier_account: 'far' }
    const made = { bk_obj_id: 'set', bk_property_id: 'far', bk_property_name: 'Far', bk_property_type: 'bool' }
    const { id } = await post<model.AttributeRecord>('/object/attr', { ...far, ...made })
    expect(await attributes({ bk_property_id: 'far' })).toEqual([])
    expect(await attributes({ ...far, bk_property_id: 'far' })).toMatchObject([far])
    expect(await server.call('DELETE', `/object/attr/${id}`)).toMatchObject({ bk_error_code: 1199019 })
  })
})
