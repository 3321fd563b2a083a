import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AuditRow, findRecords, makeBusiness, makeSet } from '../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'

type Found = { count: number; info: AuditRow[] }
type Headers = Record<string, string>
const chinese = { HTTP_BLUEKING_LANGUAGE: 'zh-cn' }

eachEngine((engine) => {
  let server: TestServer
  let business: number
  let set: number
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
    set = await makeSet(server, business, { bk_set_name: 'ledger' })
    const change = { bk_biz_id: business, bk_set_name: 'books' }
    await server.call('PUT', `/set/${business}/${set}`, change, { BK_User: 'amy', cc_request_id: 'r-77' })
    await server.call('DELETE', `/set/${business}/${set}`)
  })
  afterAll(() => server.close())
  const steps = async (headers: Headers = {}) => {
    const body = { condition: { inst_id: set, op_target: 'set' }, sort: 'op_time' }
    return (await server.call<Found>('POST', '/audit/search', body, headers)).data.info
  }

  it('has no data before an addition and none after a deletion', async () => {
    const [added, changed, deleted] = await steps()
    expect(added?.content).toMatchObject({ pre_data: null, cur_data: { bk_set_name: 'ledger', bk_set_id: set } })
    expect(changed?.content).toMatchObject({
      pre_data: { bk_set_name: 'ledger' },
      cur_data: { bk_set_name: 'books' },
    })
    expect(deleted?.content).toMatchObject({ pre_data: { bk_set_name: 'books' }, cur_data: null })
    expect(changed).toMatchObject({ operator: 'amy', request_id: 'r-77', bk_biz_id: business })
    expect(changed?.content.pre_data).toEqual(added?.content.cur_data)
    expect(deleted?.content.pre_data).toEqual(changed?.content.cur_data)
  })

  it('has descriptions and headers in the caller’s language, and data in English', async () => {
    const english = await steps()
    expect(english.map((row) => row.op_desc)).toEqual(['create set', 'update set', 'delete set'])
    expect(english[0]?.content.header[0]).toEqual({ bk_property_id: 'bk_set_name', bk_property_name: 'Set name' })
    const translated = await steps(chinese)
    expect(translated.map((row) => row.op_desc)).toEqual(['创建集群', '更新集群', '删除集群'])
    expect(translated[0]?.content.header[0]).toEqual({ bk_property_id: 'bk_set_name', bk_property_name: '集群名' })
    expect(translated[0]?.content.header.map((each) => each.bk_property_id)).toEqual([
      'bk_set_name',
      'bk_set_desc',
      'bk_set_env',
      'bk_service_status',
      'description',
      'bk_capacity',
    ])

    const internal = await server.service.storage.read
      .selectFrom('node')
      .select('inst_id')
      .where('object_id', '=', 'set')
      .where('built_in', '=', 1)
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow()
    const path = `/set/${business}/${internal.inst_id}`
    await server.call('PUT', path, { bk_biz_id: business, bk_set_name: '空闲机池', bk_capacity: 5 }, chinese)
    const { info } = (await findRecords(server, { op_target: 'set', inst_id: internal.inst_id })).data
    expect(info).toMatchObject([{ content: { cur_data: { bk_set_name: 'idle pool', bk_capacity: 5 } } }])
  })

  it('shows other callers than administrators the businesses in which they hold a role', async () => {
    const other = await makeBusiness(server)
    await server.call('PUT', `/biz/0/${other}`, { bk_biz_maintainer: 'bob', bk_biz_tester: 'tim,tom' })
    const businesses = async (user: string, condition: unknown = {}) => {
      const body = { condition, limit: 200 }
      const { data } = await server.call<Found>('POST', '/audit/search', body, { BK_User: user })
      expect(data.count).toBe(data.info.length)
      return new Set(data.info.map((row) => row.bk_biz_id))
    }
    expect(await businesses('admin')).toEqual(new Set([business, other]))
    expect(await businesses('amy')).toEqual(new Set([business]))
    expect(await businesses('bob')).toEqual(new Set([other]))
    expect(await businesses('tim')).toEqual(new Set([other]))
    expect(await businesses('ti')).toEqual(new Set())
    expect(await businesses('tim,tom')).toEqual(new Set())
    expect(await businesses('amy', { bk_biz_id: other })).toEqual(new Set())
    expect(await businesses('amy', { $or: [{ bk_biz_id: other }, { operator: 'admin' }] })).toEqual(new Set([business]))
    await server.call('PUT', `/biz/0/${other}`, { bk_biz_tester: '' })
    expect(await businesses('tim')).toEqual(new Set())
  })

  it('shows all records, and counts all, to members of a group with audit, until they leave it', async () => {
    const group = { group_name: 'auditors', user_list: 'ann' }
    await server.call('POST', '/topo/privilege/group/0', group)
    const found = await server.call<[{ group_id: string }]>('POST', '/topo/privilege/group/0/search', group)
    const give = (back_config: string[]) =>
      server.call('POST', `/topo/privilege/group/detail/0/${found.data[0].group_id}`, { back_config })
    const counted = async (user: string) =>
      (await server.call<Found>('POST', '/audit/search', {}, { BK_User: user })).data.count
    await give(['audit'])
    expect(await counted('ann')).toBe(await counted('admin'))
    await give(['event'])
    expect(await counted('ann')).toBe(0)
  })

  it('tells both sides apart when an attribute has their name', async () => {
    const attribute = { bk_obj_id: 'set', bk_property_id: 'cur', bk_property_name: 'Currency' }
    await server.call('POST', '/object/attr', {
      ...attribute,
      bk_property_type: 'singlechar',
      bk_property_group: 'default',
    })
    const named = await makeSet(server, business, { bk_set_name: 'coins ,"cur":{"pre":', cur: 'EUR' })
    await server.call('PUT', `/set/${business}/${named}`, { bk_biz_id: business, cur: '","cur":null}' })
    const body = { condition: { inst_id: named, op_target: 'set' }, sort: 'op_time' }
    const { info } = (await server.call<Found>('POST', '/audit/search', body)).data
    expect(info.map(({ content }) => [content.pre_data?.cur, content.cur_data?.cur])).toEqual([
      [undefined, 'EUR'],
      ['EUR', '","cur":null}'],
    ])
    expect(info[1]?.content.cur_data?.bk_set_name).toBe('coins ,"cur":{"pre":')
  })
})
