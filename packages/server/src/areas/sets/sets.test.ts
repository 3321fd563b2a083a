import { afterAll, beforeAll, expect, it } from 'vitest'
import { findRecords, findSets, makeBusiness, makeSet, setBody } from '../../testing/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'

eachEngine((engine) => {
  let server: TestServer
  let business: number
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
  })
  afterAll(() => server.close())

  it('answers the full stored record with defaults for what was left out', async () => {
    const made = await server.call('POST', `/set/${business}`, setBody(business, { bk_set_name: 'storefront' }))
    expect(made).toMatchObject({ status: 200, result: true, bk_error_code: 0, bk_error_msg: '' })
    expect(made.data).toMatchObject({
      bk_set_name: 'storefront',
      bk_parent_id: business,
      bk_biz_id: business,
      bk_supplier_account: '0',
      default: 0,
      bk_set_env: '3',
      bk_service_status: '1',
      bk_capacity: null,
      description: '',
      bk_set_desc: '',
    })
    const found = await findSets(server, business, { bk_set_id: made.data.bk_set_id })
    expect(found.data).toEqual({ count: 1, info: [made.data] })
  })

  it('records what was before and after, and nothing when nothing changed', async () => {
    const id = await makeSet(server, business, { bk_set_name: 'ledger', bk_capacity: 5 })
    const path = `/set/${business}/${id}`
    expect((await server.call('PUT', path, { bk_biz_id: business, bk_capacity: 7 })).data).toBe('success')
    expect((await server.call('PUT', path, { bk_biz_id: business, bk_capacity: '7' })).data).toBe('success')
    const records = await findRecords(server, { inst_id: id, op_target: 'set' })
    expect(records.data.info.map((row) => row.op_type)).toEqual([1, 2])
    expect(records.data.info[1]?.content).toMatchObject({ pre_data: { bk_capacity: 5 }, cur_data: { bk_capacity: 7 } })

    expect((await server.call('DELETE', path)).data).toBe('success')
    expect((await server.call('DELETE', path)).bk_error_code).toBe(1199019)
    expect((await findRecords(server, { inst_id: id, op_target: 'set' })).data.info.map((row) => row.op_type)).toEqual([
      1, 2, 3,
    ])
  })
})
