import { afterAll, beforeAll, expect, it } from 'vitest'
import { findRecords, findSets, makeBusiness, makeSet, setBody } from '../../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { putAttribute, putModule, stored } from '../../../testing/inspect/rows.ts'

eachEngine((engine) => {
  let server: TestServer
  let business: number
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
  })
  afterAll(() => server.close())

  it('answers the full stored record with defaults for missing attributes', async () => {
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

  it('ignores an id and a default in the body, and accepts numbers as text', async () => {
    const sent = setBody(business, { bk_set_id: 1, default: 1, bk_biz_id: `${business}`, bk_parent_id: `${business}` })
    const made = await server.call('POST', `/set/${business}`, { ...sent, bk_set_env: 2, bk_capacity: '12' })
    expect(made.data).toMatchObject({ default: 0, bk_set_env: '2', bk_capacity: 12 })
    expect(made.data.bk_set_id).not.toBe(1)
  })

  it('records before and after, and nothing without a change', async () => {
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

  it.each([{}, { HTTP_BLUEKING_LANGUAGE: 'zh-cn' }])('accepts a record as shown: %o', async (headers) => {
    await makeSet(server, business, { bk_capacity: 5, description: 'as it is' })
    const body = { page: { start: 0, limit: 200 }, fields: [], condition: {} }
    type Found = { info: Record<string, unknown>[] }
    const { info } = (await server.call<Found>('POST', `/set/search/0/${business}`, body, headers)).data
    expect(info.length).toBeGreaterThan(1)
    const before = await stored(server)
    for (const record of info) {
      expect((await server.call('PUT', `/set/${business}/${record.bk_set_id}`, record, headers)).data).toBe('success')
    }
    const { nodes, records } = await stored(server)
    expect({ nodes, records }).toEqual({ nodes: before.nodes, records: before.records })
  })

  it('clears an optional attribute that is sent as null or empty', async () => {
    const made = { bk_capacity: 5, description: 'x', bk_set_env: '1' }
    const id = await makeSet(server, business, made)
    const cleared = { bk_biz_id: business, bk_capacity: null, description: '', bk_set_env: null }
    expect((await server.call('PUT', `/set/${business}/${id}`, cleared)).data).toBe('success')
    expect((await findSets(server, business, { bk_set_id: id })).data.info).toMatchObject([
      { bk_capacity: null, description: '', bk_set_env: null },
    ])
  })

  it('deletes sets with their modules, one or several, and records each', async () => {
    const [one, two, three] = [
      await makeSet(server, business),
      await makeSet(server, business),
      await makeSet(server, business),
    ]
    const modules = [await putModule(server, one), await putModule(server, one, 'db'), await putModule(server, two)]
    const { nodes } = await stored(server)
    expect((await server.call('DELETE', `/set/${business}/${one}`)).data).toBe('success')
    const batch = { delete: { inst_ids: [two, three, two] } }
    expect((await server.call('DELETE', `/set/${business}/batch`, batch)).data).toBe('success')
    expect((await stored(server)).nodes).toHaveLength(nodes.length - 6)
    for (const [target, ids] of [
      ['module', modules],
      ['set', [one, two, three]],
    ] as const) {
      const { info } = (await findRecords(server, { op_target: target, op_type: 'delete', inst_id: { $in: ids } })).data
      expect(info.map((row) => row.inst_id)).toEqual(ids)
    }
  })

  it('accepts user-defined attributes in create, update, conditions, fields and sort', async () => {
    const rack = { attribute_id: 'rack', type: 'singlechar', options: '"^r[0-9]+$"' }
    for (const each of [rack, { attribute_id: 'weight', type: 'float' }, { attribute_id: 'drained', type: 'bool' }]) {
      await putAttribute(server, 'set', each)
    }
    const own = await makeBusiness(server)
    const body = setBody(own, { rack: 'r1', weight: 1.5 })
    const made = await server.call('POST', `/set/${own}`, body)
    expect(made.data).toMatchObject({ rack: 'r1', weight: 1.5, drained: null })
    expect((await server.call('POST', `/set/${own}`, setBody(own, { rack: 'x' }))).bk_error_code).toBe(1199016)
    expect((await server.call('POST', `/set/${own}`, setBody(own, { weight: 'x' }))).bk_error_code).toBe(1199042)
    expect((await server.call('POST', `/set/${own}`, setBody(own, { drained: 1 }))).bk_error_code).toBe(1199025)
    await makeSet(server, own, { rack: 'r2', weight: '0.5', drained: true })

    const path = `/set/${own}/${made.data.bk_set_id}`
    expect((await server.call('PUT', path, { bk_biz_id: own, weight: -2, drained: false })).data).toBe('success')
    const { info } = (await findRecords(server, { inst_id: made.data.bk_set_id, op_target: 'set' })).data
    expect(info[1]?.content).toMatchObject({ pre_data: { weight: 1.5 }, cur_data: { weight: -2, rack: 'r1' } })
    expect(info[1]?.content.header).toContainEqual({ bk_property_id: 'rack', bk_property_name: 'rack' })

    const page = { start: 0, limit: 10, sort: '-weight' }
    const racks = async (condition: unknown) =>
      (await findSets(server, own, condition, { page, fields: ['rack', 'weight', 'drained'] })).data.info
    const [first, second] = [
      { rack: 'r1', weight: -2, drained: false },
      { rack: 'r2', weight: 0.5, drained: true },
    ]
    expect(await racks({ rack: { $exists: true } })).toEqual([second, first])
    expect(await racks({ weight: { $lt: 0 } })).toEqual([first])
    expect(await racks({ drained: true })).toEqual([second])
    expect(await racks({ rack: 'r1', drained: 'false' })).toEqual([first])
  })
})
