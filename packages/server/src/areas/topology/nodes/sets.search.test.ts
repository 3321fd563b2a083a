import { afterAll, beforeAll, expect, it } from 'vitest'
import { findSets, makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { refuses } from '../../../testing/inspect/rows.ts'

/** In code point order, which differs from any dictionary. */
const fleet = [
  { bk_set_name: 'Beta', bk_capacity: 20, bk_set_env: 2, description: 'second' },
  { bk_set_name: 'alpha', bk_capacity: 10, bk_set_env: '1', bk_service_status: '2' },
  { bk_set_name: 'gamma' },
  { bk_set_name: '集群', bk_capacity: '30', bk_set_desc: "100% O'Neil_\\" },
  { bk_set_name: '😀', bk_capacity: 999_999_999 },
]
const all = ['Beta', 'alpha', 'gamma', 'idle pool', '集群', '😀']

const conditions: [how: string, condition: unknown, names: string[]][] = [
  ['nothing', {}, all],
  ['a text', { bk_set_name: 'alpha' }, ['alpha']],
  ['a text in another case', { bk_set_name: 'Alpha' }, []],
  ['a part of a text', { bk_set_name: 'alph' }, []],
  ['a text that SQL would read otherwise', { bk_set_desc: "100% O'Neil_\\" }, ['集群']],
  ['a number', { bk_capacity: 20 }, ['Beta']],
  ['a number as text', { bk_capacity: '20' }, ['Beta']],
  ['an enum by number', { bk_set_env: 1 }, ['alpha']],
  ['an enum by text', { bk_set_env: '1' }, ['alpha']],
  ['$eq null, the unset', { bk_capacity: { $eq: null } }, ['gamma', 'idle pool']],
  ['null in place of operators, which is as good as left out', { bk_set_env: '1', bk_capacity: null }, ['alpha']],
  ['several fields', { bk_set_env: '3', bk_capacity: 30 }, ['集群']],
  ['$eq', { bk_set_name: { $eq: 'gamma' } }, ['gamma']],
  ['$ne, which the unset meet', { bk_capacity: { $ne: 20 } }, ['alpha', 'gamma', 'idle pool', '集群', '😀']],
  ['$neq, the same', { bk_capacity: { $neq: '20' } }, ['alpha', 'gamma', 'idle pool', '集群', '😀']],
  ['$in', { bk_set_name: { $in: ['alpha', '😀', 'stranger'] } }, ['alpha', '😀']],
  ['$in of nothing', { bk_set_name: { $in: [] } }, []],
  ['$in with the unset', { bk_capacity: { $in: [null, 10] } }, ['alpha', 'gamma', 'idle pool']],
  ['$nin, which the unset meet', { bk_capacity: { $nin: [10, 20] } }, ['gamma', 'idle pool', '集群', '😀']],
  ['$gt', { bk_capacity: { $gt: 20 } }, ['集群', '😀']],
  ['$gte and $lte together', { bk_capacity: { $gte: 20, $lte: '30' } }, ['Beta', '集群']],
  ['$lt', { bk_capacity: { $lt: 20 } }, ['alpha']],
  ['$lt of a text, by code point', { bk_set_name: { $lt: 'b' } }, ['Beta', 'alpha']],
  ['$regex', { bk_set_name: { $regex: '^[a-g]' } }, ['alpha', 'gamma']],
  ['$regex and another filter', { bk_set_name: { $regex: 'a$' }, bk_set_env: '2' }, ['Beta']],
  ['$exists', { bk_capacity: { $exists: false } }, ['gamma', 'idle pool']],
  ['$exists of a text', { description: { $exists: true } }, ['Beta']],
  ['$or', { $or: [{ bk_set_name: 'alpha' }, { bk_capacity: { $gt: 30 } }] }, ['alpha', '😀']],
  ['$and', { $and: [{ bk_set_env: '3' }, { $or: [{ bk_capacity: 30 }, { default: 1 }] }] }, ['idle pool', '集群']],
  ['default', { default: 1 }, ['idle pool']],
  ['the account', { bk_supplier_account: '0', bk_obj_id: 'set' }, all],
  ['the creator', { creator: 'stranger' }, []],
  ['a time', { create_time: { $gt: '2020-01-01 00:00:00' }, last_time: { $lt: '2999-01-01T00:00:00Z' } }, all],
  ['another business', { bk_biz_id: 1 }, []],
  ['the idle pool by its Chinese name', { bk_set_name: '空闲机池' }, ['idle pool']],
  ['the idle pool by a pattern of that', { bk_set_name: { $regex: '^空闲' } }, ['idle pool']],
  ['all but the idle pool by that', { bk_set_name: { $ne: '空闲机池' } }, all.filter((name) => name !== 'idle pool')],
]

const page = (more: Record<string, unknown>) => ({ page: { start: 0, limit: 10, ...more } })
const where = (condition: unknown) => ({ condition })
const many = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const refusals: [wrong: string, code: number, saying: string, sent: object][] = [
  ['no page', 1199010, "'page'", { page: undefined }],
  ['no fields', 1199010, "'fields'", { fields: undefined }],
  ['no condition', 1199010, "'condition'", { condition: undefined }],
  ['a page that is null', 1199010, "'page'", { page: null }],
  ['fields that are null', 1199010, "'fields'", { fields: null }],
  ['a condition that is null', 1199010, "'condition'", where(null)],
  ['a page without start', 1199010, "'page.start'", page({ start: undefined })],
  ['a page without limit', 1199010, "'page.limit'", page({ limit: undefined })],
  ['a list for a page', 1199006, "'page'", { page: [] }],
  ['start -1', 1199006, "'page.start'", page({ start: -1 })],
  ['start as text', 1199009, "'page.start'", page({ start: '0' })],
  ['start beyond all numbers', 1199006, "'page.start'", page({ start: 1e300 })],
  ['limit 0', 1199006, "'page.limit'", page({ limit: 0 })],
  ['limit -5', 1199006, "'page.limit'", page({ limit: -5 })],
  ['limit 201', 1199059, 'suggestion 200', page({ limit: 201 })],
  ['limit 1.5', 1199009, "'page.limit'", page({ limit: 1.5 })],
  ['an unknown sort', 1199011, "'sort'", page({ sort: 'colour' })],
  ['a sort with SQL in it', 1199011, "'sort'", page({ sort: 'bk_set_id; DROP TABLE node' })],
  ['a sort without end', 1199006, "'page.sort'", page({ sort: 'bk_set_id,'.repeat(101) })],
  ['a number for a sort', 1199007, "'page.sort'", page({ sort: 5 })],
  ['one field without a list', 1199006, "'fields'", { fields: 'bk_set_id' }],
  ['a number among the fields', 1199007, "'fields.0'", { fields: [1] }],
  ['501 fields', 1199035, '500', { fields: Array<string>(501).fill('bk_set_id') }],
  ['a list for a condition', 1199006, "'condition'", where([])],
  ['a text for a condition', 1199006, "'condition'", where('bk_set_id = 1')],
  ['an unknown field', 1199011, "'colour'", where({ colour: 'red' })],
  ['a field with SQL in its name', 1199011, '1=1', where({ '1=1 OR name': 'x' })],
  ['an unknown operator', 1199011, '$where', where({ bk_set_name: { $where: '1' } })],
  ['an operator of the prototype', 1199011, 'constructor', where({ bk_set_name: { constructor: 1 } })],
  ['a word for an id', 1199009, "'bk_set_id'", where({ bk_set_id: 'x' })],
  ['an object for a name', 1199007, "'bk_set_name'", where({ bk_set_name: { $eq: { a: 1 } } })],
  ['a pattern that is none', 1199006, '$regex', where({ bk_set_name: { $regex: '(' } })],
  ['a pattern only a backtracking engine knows', 1199006, '$regex', where({ bk_set_name: { $regex: '(a)\\1' } })],
  ['$exists of 1', 1199025, '$exists', where({ bk_set_name: { $exists: 1 } })],
  ['a time that is none', 1199006, "'create_time'", where({ create_time: { $gt: 'yesterday' } })],
  ['an empty $or', 1199006, "'$or'", where({ $or: [] })],
  ['201 filters', 1199035, '200', where({ $or: many(201).map((bk_set_id) => ({ bk_set_id })) })],
  ['10,001 values', 1199035, '10000', where({ bk_set_id: { $in: many(10_001) } })],
]

eachEngine((engine) => {
  let server: TestServer
  let business: number
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
    for (const each of fleet) await makeSet(server, business, each)
  })
  afterAll(() => server.close())

  const names = async (condition: unknown, page: Record<string, unknown> = {}) => {
    const asked = { page: { start: 0, limit: 200, sort: 'bk_set_name', ...page }, fields: ['bk_set_name'] }
    const { count, info } = (await findSets(server, business, condition, asked)).data
    return { count, names: info.map((record) => record.bk_set_name) }
  }

  it.each(conditions)('finds by %s', async (_, condition, expected) => {
    expect(await names(condition)).toEqual({ count: expected.length, names: expected })
  })

  it('answers exactly the requested fields; unknown ones are ignored, none means all', async () => {
    const fields = async (wanted: string[]) => (await findSets(server, business, {}, { fields: wanted })).data.info[1]
    expect(await fields(['bk_set_name', 'bk_capacity'])).toEqual({ bk_set_name: 'Beta', bk_capacity: 20 })
    expect(await fields(['colour', 'bk_set_env', '__proto__'])).toEqual({ bk_set_env: '2' })
    expect(await fields(['colour'])).toEqual({})
    const whole = await fields([])
    expect(Object.keys(whole ?? {})).toEqual(expect.arrayContaining(['bk_set_id', 'bk_parent_id', 'last_time']))
    expect(await fields(Object.keys(whole ?? {}))).toEqual(whole)
  })

  it('sorts by one field or several, ascending or descending, and by id by default', async () => {
    const byId = ['idle pool', ...fleet.map((each) => each.bk_set_name)]
    expect((await names({}, { sort: '' })).names).toEqual(byId)
    expect((await names({}, { sort: undefined })).names).toEqual(byId)
    expect((await names({}, { sort: 'bk_set_name' })).names).toEqual(all)
    expect((await names({}, { sort: '-bk_set_name' })).names).toEqual(all.toReversed())
    expect((await names({}, { sort: '-bk_set_id' })).names).toEqual(byId.toReversed())
    const byCapacity = ['idle pool', 'gamma', 'alpha', 'Beta', '集群', '😀']
    expect((await names({}, { sort: 'bk_capacity' })).names).toEqual(byCapacity)
    expect((await names({}, { sort: 'bk_set_env, -bk_set_name' })).names).toEqual([
      'alpha',
      'Beta',
      '😀',
      '集群',
      'idle pool',
      'gamma',
    ])
  })

  it('pages through the matches and counts all of them', async () => {
    expect(await names({}, { start: 0, limit: 4 })).toEqual({ count: 6, names: all.slice(0, 4) })
    expect(await names({}, { start: 4, limit: 4 })).toEqual({ count: 6, names: all.slice(4) })
    expect(await names({}, { start: 6, limit: 200 })).toEqual({ count: 6, names: [] })
    expect(await names({}, { start: Number.MAX_SAFE_INTEGER, limit: 1 })).toEqual({ count: 6, names: [] })
    const matching = { bk_set_name: { $regex: 'a' } }
    expect(await names(matching, { start: 1, limit: 1 })).toEqual({ count: 3, names: ['alpha'] })
  })

  it('shows the idle pool under the name it has in the caller’s language', async () => {
    const body = { page: { start: 0, limit: 1 }, fields: ['bk_set_name'], condition: { default: 1 } }
    const headers = { HTTP_BLUEKING_LANGUAGE: 'zh-cn' }
    const { data } = await server.call('POST', `/set/search/0/${business}`, body, headers)
    expect(data).toEqual({ count: 1, info: [{ bk_set_name: '空闲机池' }] })
  })

  const whole = { ...page({}), fields: [], condition: {} }
  it.each(refusals)('refuses %s', async (_, code, saying, sent) => {
    await refuses(server, code, saying, () => findSets(server, business, {}, { ...whole, ...sent }))
  })

  it('refuses a business that does not exist, is in another account, or has an invalid id', async () => {
    const far = await server.call<{ bk_biz_id: number }>('POST', '/biz/far', { bk_biz_name: 'Far' })
    const search = (code: number, path: string) =>
      refuses(server, code, '', () => server.call('POST', `/set/search/${path}`, whole))
    for (const path of ['0/999999', `0/${far.data.bk_biz_id}`, `far/${business}`]) await search(1199019, path)
    for (const path of ['0/x', '0/0']) await search(1199009, path)
  })

  it('refuses the key __proto__ in a condition', async () => {
    const body = `{"page":{"start":0,"limit":1},"fields":[],"condition":{"__proto__":{"$ne":1}}}`
    await refuses(server, 1199011, "'__proto__'", () => server.call('POST', `/set/search/0/${business}`, body))
  })
})
