import { afterAll, beforeAll, expect, it } from 'vitest'
import { findRecords, findSets, makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { findInstances, makeInstance, makeModule, putLevel } from '../../../testing/data/levels.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { putAttribute, stored } from '../../../testing/inspect/rows.ts'

const [amy, bob] = [{ BK_User: 'amy' }, { BK_User: 'bob' }]

/** Operations on instances of two levels, biz -> region -> zone -> set. */
eachEngine((engine) => {
  let server: TestServer
  let business: number
  beforeAll(async () => {
    server = await startServer(engine)
    await putLevel(server, 'region')
    await putLevel(server, 'zone', 'region')
    business = await makeBusiness(server)
  })
  afterAll(() => server.close())

  const region = (name: string, within = business) =>
    makeInstance(server, 'region', { bk_biz_id: within, bk_parent_id: within, bk_inst_name: name })
  const zone = (name: string, parent: number, within = business) =>
    makeInstance(server, 'zone', { bk_biz_id: within, bk_parent_id: parent, bk_inst_name: name })

  it('answers the full stored record', async () => {
    const sent = { bk_biz_id: `${business}`, bk_parent_id: `${business}`, bk_inst_name: 'north', bk_inst_id: 1 }
    const made = await server.call('POST', '/inst/0/region', sent, amy)
    expect(made).toMatchObject({ status: 200, result: true })
    expect(made.data).toMatchObject({
      bk_inst_name: 'north',
      bk_parent_id: business,
      bk_biz_id: business,
      bk_supplier_account: '0',
      bk_obj_id: 'region',
      default: 0,
      creator: 'amy',
    })
    const found = await findInstances(server, 'region', { bk_inst_id: made.data.bk_inst_id })
    expect(found.data).toEqual({ count: 1, info: [made.data] })
  })

  it('creates children only under an instance of the level directly above', async () => {
    const north = await region('above')
    const east = await zone('east', north)
    const set = await makeSet(server, business, { bk_parent_id: east })
    expect((await findSets(server, business, { bk_set_id: set })).data.info).toMatchObject([{ bk_parent_id: east }])
    for (const parent of [business, north, 999_999]) {
      const sent = { bk_biz_id: business, bk_parent_id: parent, bk_set_name: 'x', bk_supplier_account: '0' }
      expect((await server.call('POST', `/set/${business}`, sent)).bk_error_code).toBe(1199011)
    }
  })

  it('keeps names unique under the parent only', async () => {
    const [one, two] = [await region('one'), await region('two')]
    const ids = [await zone('same', one), await zone('same', two)]
    expect(new Set(ids).size).toBe(2)
    const again = { bk_biz_id: business, bk_parent_id: one, bk_inst_name: 'same' }
    expect(await server.call('POST', '/inst/0/zone', again)).toMatchObject({ status: 409, bk_error_code: 1199014 })
    const other = await makeBusiness(server)
    await region('one', other)
  })

  it('records before and after in the business, and nothing without a change', async () => {
    await putAttribute(server, 'region', { attribute_id: 'code', type: 'int' })
    const id = await region('audited')
    const path = `/inst/0/region/${id}`
    for (const code of [7, '7']) expect((await server.call('PUT', path, { code })).data).toBe('success')
    expect((await server.call('PUT', path, { bk_inst_name: 'renamed' })).data).toBe('success')
    expect((await server.call('DELETE', path)).data).toBe('success')
    expect((await server.call('DELETE', path)).bk_error_code).toBe(1199019)
    const { info } = (await findRecords(server, { inst_id: id, bk_obj_id: 'region' })).data
    expect(info.map((row) => [row.op_type, row.op_target, row.op_desc, row.bk_biz_id])).toEqual([
      [1, 'object', 'create instance', business],
      [2, 'object', 'update instance', business],
      [2, 'object', 'update instance', business],
      [3, 'object', 'delete instance', business],
    ])
    expect(info[1]?.content).toMatchObject({ pre_data: { code: null }, cur_data: { code: 7 } })
  })

  it('accepts a record as shown, and does not move it', async () => {
    const id = await region('still')
    const [record] = (await findInstances(server, 'region', { bk_inst_id: id })).data.info
    const before = await stored(server)
    for (const more of [{}, { bk_biz_id: 1, bk_parent_id: 1, bk_obj_id: 'set', default: 1 }]) {
      expect((await server.call('PUT', `/inst/0/region/${id}`, { ...record, ...more })).data).toBe('success')
    }
    const { nodes, records } = await stored(server)
    expect({ nodes, records }).toEqual({ nodes: before.nodes, records: before.records })
  })

  it('deletes one or several with everything below, also in several businesses, and records each', async () => {
    const other = await makeBusiness(server)
    const [one, two, three] = [await region('gone 1'), await region('gone 2'), await region('gone 3', other)]
    const east = await zone('east', one)
    const set = await makeSet(server, business, { bk_parent_id: east })
    const module = await makeModule(server, business, set, 'web')
    await zone('west', three, other)
    const { nodes } = await stored(server)
    expect((await server.call('DELETE', `/inst/0/region/${one}`)).data).toBe('success')
    expect((await stored(server)).nodes).toHaveLength(nodes.length - 4)
    const batch = { delete: { inst_ids: [three, two, three] } }
    expect((await server.call('DELETE', '/inst/0/region/batch', batch)).data).toBe('success')
    expect((await stored(server)).nodes).toHaveLength(nodes.length - 7)
    const gone = async (object: string, id: number) =>
      (await findRecords(server, { bk_obj_id: object, inst_id: id, op_type: 'delete' })).data.count
    expect([await gone('zone', east), await gone('set', set), await gone('module', module)]).toEqual([1, 1, 1])
  })

  it('finds the instances of all businesses that are not archived', async () => {
    const own = await makeBusiness(server)
    const ids = [await region('b', own), await region('a', own)]
    const condition = { bk_biz_id: own }
    const idsOf = async (more: Record<string, unknown> = {}) =>
      (await findInstances(server, 'region', condition, more)).data.info.map((row) => row.bk_inst_id)
    expect(await idsOf()).toEqual(ids)
    expect(await idsOf({ page: { sort: 'bk_inst_name' } })).toEqual(ids.toReversed())
    expect((await findInstances(server, 'region', condition, { page: { limit: 1 } })).data.count).toBe(2)
    expect((await server.call('POST', '/inst/search/owner/far/object/bk_switch', {})).data).toEqual({
      count: 0,
      info: [],
    })
    await server.call('PUT', `/biz/status/disabled/0/${own}`)
    expect(await idsOf()).toEqual([])
    expect((await server.call('PUT', `/inst/0/region/${ids[0]}`, { bk_inst_name: 'x' })).bk_error_code).toBe(1199019)
  })

  it('lets the maintainers of the business change them, no other user, and any user find them', async () => {
    const body = { bk_biz_id: business, bk_parent_id: business, bk_inst_name: 'guarded' }
    expect((await server.call('POST', '/inst/0/region', body, bob)).bk_error_code).toBe(9900403)
    const made = await server.call('POST', '/inst/0/region', body, amy)
    const id = made.data.bk_inst_id as number
    const foreign = (await server.call('POST', '/biz/0', { bk_biz_name: 'bob’s', bk_biz_maintainer: 'bob' })).data
    const own = await region('bob’s', foreign.bk_biz_id as number)
    const path = `/inst/0/region/${id}`
    const before = await stored(server)
    // Neither a business in the body nor an instance of one's own beside it opens the other.
    for (const bk_biz_id of [business, foreign.bk_biz_id]) {
      const denied = await server.call('PUT', path, { bk_inst_name: 'x', bk_biz_id }, bob)
      expect(denied).toMatchObject({ status: 403, bk_error_code: 9900403 })
      expect(denied.bk_error_msg).toContain(`needs 'topoupdate' in business ${business}`)
    }
    for (const [method, at, sent] of [
      ['DELETE', path, undefined],
      ['DELETE', `${path}?dry_run=true`, undefined],
      ['DELETE', '/inst/0/region/batch', { delete: { inst_ids: [own, id] } }],
      ['DELETE', '/inst/0/region/batch', { delete: { inst_ids: [id] }, bk_biz_id: foreign.bk_biz_id }],
      ['POST', '/inst/0/region', { ...body, delete: { inst_ids: [own] } }],
    ] as const) {
      expect(await server.call(method, at, sent, bob), JSON.stringify(sent)).toMatchObject({ bk_error_code: 9900403 })
    }
    expect(await stored(server)).toEqual(before)
    expect((await server.call('DELETE', '/inst/0/region/999999', undefined, bob)).bk_error_code).toBe(1199019)
    // A request without a business gets this answer even from a caller who has the privilege in one.
    expect((await server.call('POST', '/inst/0/region', { bk_inst_name: 'x' }, bob)).bk_error_code).toBe(1199010)
    const beyond = { ...body, bk_biz_id: 1e300 }
    expect((await server.call('POST', '/inst/0/region', beyond, bob)).bk_error_code).toBe(1199006)
    expect((await server.call('POST', '/inst/0/region', beyond, { BK_User: 'eve' })).bk_error_code).toBe(9900403)
    expect((await server.call('PUT', path, { bk_inst_name: 'kept' }, amy)).data).toBe('success')
    expect((await server.call('DELETE', path, undefined, amy)).data).toBe('success')
    expect((await server.call('POST', '/inst/search/owner/0/object/region', {}, bob)).result).toBe(true)
  })
})
