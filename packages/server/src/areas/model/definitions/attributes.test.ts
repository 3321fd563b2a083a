import type { model } from '@mainline/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findRecords, findSets, makeBusiness, makeSet, setBody } from '../../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'

eachEngine((engine) => {
  let server: TestServer
  let business: number
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
  })
  afterAll(() => server.close())
  const define = (id: string, type: string, more: Record<string, unknown> = {}) =>
    server.call<model.AttributeRecord>('POST', '/object/attr', {
      bk_obj_id: 'set',
      bk_property_id: id,
      bk_property_name: `the ${id}`,
      bk_property_type: type,
      ...more,
    })
  const defined = async (id: string, type: string, more: Record<string, unknown> = {}) => {
    const { result, bk_error_msg, data } = await define(id, type, more)
    expect([result, bk_error_msg]).toEqual([true, ''])
    return data.id
  }
  const create = (more: Record<string, unknown>) => server.call('POST', `/set/${business}`, setBody(business, more))
  const shown = async (condition: unknown, fields: string[], sort = 'bk_set_id') => {
    const found = await findSets(server, business, condition, { fields, page: { start: 0, limit: 200, sort } })
    expect(found).toMatchObject({ result: true })
    return found.data.info
  }

  it('is valid in the next request: in create, update, conditions, fields, sort and audit headers', async () => {
    expect(await create({ height: 5 })).toMatchObject({ bk_error_code: 1199011 })
    await defined('height', 'int', { option: { min: 1, max: 42 } })
    expect(await create({ height: 7 })).toMatchObject({ result: true, data: { height: 7 } })
    expect(await create({ height: 43 })).toMatchObject({ bk_error_code: 1199006 })
    const low = await makeSet(server, business, { height: '3' })
    expect(await shown({ height: { $lt: 7 } }, ['height'])).toEqual([{ height: 3 }])
    expect(await shown({ height: { $exists: true } }, ['height'], '-height')).toEqual([{ height: 7 }, { height: 3 }])
    const update = await server.call('PUT', `/set/${business}/${low}`, { bk_biz_id: business, height: 9 })
    expect(update).toMatchObject({ result: true })
    const [, updated] = (await findRecords(server, { op_target: 'set', inst_id: low })).data.info
    expect(updated?.content).toMatchObject({ pre_data: { height: 3 }, cur_data: { height: 9 } })
    expect(updated?.content.header).toContainEqual({ bk_property_id: 'height', bk_property_name: 'the height' })
  })

  it('holds instances to its kind: required, enum with its default, pattern, bool', async () => {
    const option = [
      { id: 1, name: 'red', type: 'text', is_default: false },
      { id: 'b', name: 'blue', is_default: true },
    ]
    const ids = [
      await defined('colour', 'enum', { option }),
      await defined('code', 'singlechar', { option: '^[A-Z]{3}$', isrequired: true }),
      await defined('spare', 'bool'),
    ]
    expect(await create({})).toMatchObject({ bk_error_code: 1199010 })
    expect(await create({ code: 'abc' })).toMatchObject({ bk_error_code: 1199016 })
    expect(await create({ code: 'ABC', colour: 'green' })).toMatchObject({ bk_error_code: 1199006 })
    expect(await create({ code: 'ABC', spare: 'yes' })).toMatchObject({ bk_error_code: 1199025 })
    expect(await create({ code: 'ABC', spare: true })).toMatchObject({
      data: { colour: 'b', code: 'ABC', spare: true },
    })
    expect(await create({ code: 'ABD', colour: 1 })).toMatchObject({ data: { colour: '1', spare: null } })
    expect(await server.call('PUT', `/object/attr/${ids[1]}`, { isrequired: false, option: '' })).toMatchObject({
      result: true,
    })
    expect(await create({ code: 'anything' })).toMatchObject({ result: true })
    for (const id of ids) expect(await server.call('DELETE', `/object/attr/${id}`)).toMatchObject({ result: true })
  })

  it('is gone in the next request once deleted; what it left counts as unset when it returns with another type', async () => {
    const id = await defined('note', 'singlechar')
    const set = await makeSet(server, business, { note: 'seven' })
    expect(await shown({ note: 'seven' }, ['note'])).toEqual([{ note: 'seven' }])

    expect(await server.call('DELETE', `/object/attr/${id}`)).toMatchObject({ result: true })
    expect(await findSets(server, business, { note: 'seven' })).toMatchObject({ bk_error_code: 1199011 })
    expect(await create({ note: 'x' })).toMatchObject({ bk_error_code: 1199011 })
    expect(await shown({ bk_set_id: set }, ['bk_set_id', 'note'])).toEqual([{ bk_set_id: set }])
    const [row] = await server.service.storage.read
      .selectFrom('node')
      .select('attributes')
      .where('object_id', '=', 'set')
      .where('inst_id', '=', set)
      .execute()
    expect(JSON.parse(row?.attributes ?? '')).toMatchObject({ note: 'seven' })

    const number = await defined('note', 'int')
    expect(await shown({ bk_set_id: set }, ['note'])).toEqual([{ note: null }])
    expect(await shown({ bk_set_id: set, note: { $exists: true } }, ['note'])).toEqual([])
    await server.call('PUT', `/set/${business}/${set}`, { bk_biz_id: business, bk_set_desc: 'touched' })
    await server.call('DELETE', `/object/attr/${number}`)

    await defined('note', 'longchar')
    expect(await shown({ bk_set_id: set }, ['note'])).toEqual([{ note: 'seven' }])
  })

  it('two callers define the same attribute concurrently: one succeeds, the other gets a duplicate error', async () => {
    for (const id of ['first', 'second', 'third']) {
      const answers = await Promise.all([define(id, 'int'), define(id, 'singlechar'), define(id, 'bool')])
      expect(answers.map((answer) => answer.bk_error_code).toSorted()).toEqual([0, 1199014, 1199014])
      const { data } = await server.call('POST', '/object/attr/search', { bk_property_id: id })
      expect(data).toMatchObject([{ id: answers.find((answer) => answer.result)?.data.id }])
    }
  })

  it('a change has a version of its own, also while sets are created', async () => {
    const version = async () =>
      (await server.service.storage.read.selectFrom('account').selectAll().where('name', '=', '0').execute())[0]
    const before = await version()
    const many = Array.from({ length: 10 }, (_, index) => index)
    const answers = await Promise.all([
      ...many.map((index) => define(`many_${index}`, 'int')),
      ...many.map(() => create({})),
    ])
    expect(answers.every((answer) => answer.result)).toBe(true)
    expect((await version())?.model_version).not.toBe(before?.model_version)
    expect(await create(Object.fromEntries(many.map((index) => [`many_${index}`, index])))).toMatchObject({
      data: { many_9: 9 },
    })
  })
})
