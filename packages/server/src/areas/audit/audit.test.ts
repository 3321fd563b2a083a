import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ChangeRecord } from '../../storage/index.ts'
import type { AuditRow } from '../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'
import { refuses } from '../../testing/inspect/rows.ts'

type Found = { count: number; info: AuditRow[] }
type Headers = Record<string, string>

/** Changes in an account of its own, each with its own request id, oldest first. */
const history: [request: string, at: string, operator: string, what: Partial<ChangeRecord>][] = [
  ['new set', '2026-01-01T00:00:00.000Z', 'amy', { instance: 7, business: 2 }],
  ['set changed', '2026-01-01T00:00:00.999Z', 'ben', { instance: 7, business: 2, operation: 'update' }],
  ['set gone', '2026-01-01T00:00:01.000Z', 'amy', { instance: 7, business: 2, operation: 'delete' }],
  ['new host', '2026-01-02T08:00:00.500Z', 'amy', { object: 'host', business: 2, key: '10.0.0.1,10.0.0.2' }],
  ['host moved', '2026-01-02T08:00:00.500Z', 'amy', { object: 'host', operation: 'transfer', key: '10.0.0.11' }],
  ['new query', '2026-01-03T00:00:00.000Z', '小明', { object: 'userapi', business: 3 }],
  ['new rack', '2026-01-03T00:00:00.001Z', 'amy,ben', { object: 'rack', business: 3, instance: 7 }],
]
const all = history.map(([request]) => request)

const conditions: [how: string, condition: unknown, requests: string[]][] = [
  ['nothing', {}, all],
  ['null', null, all],
  ['empty texts', { op_target: '', op_type: '', operator: '', ext_key: '', op_time: [] }, all],
  ['bk_biz_id', { bk_biz_id: 3 }, ['new query', 'new rack']],
  ['bk_biz_id as text', { bk_biz_id: '3' }, ['new query', 'new rack']],
  ['bk_biz_id 0, outside any', { bk_biz_id: 0 }, ['host moved']],
  ['several businesses', { bk_biz_id: { $in: [0, 3] } }, ['host moved', 'new query', 'new rack']],
  ['inst_id', { inst_id: 7 }, ['new set', 'set changed', 'set gone', 'new rack']],
  ['inst_id and op_target', { inst_id: 7, op_target: 'set' }, ['new set', 'set changed', 'set gone']],
  ['op_target host', { op_target: 'host' }, ['new host', 'host moved']],
  ['op_target object, any of the users’ own', { op_target: 'object' }, ['new rack']],
  ['op_target by the id of one of them', { op_target: 'rack' }, ['new rack']],
  ['op_target of an other audited kind', { op_target: 'userapi' }, ['new query']],
  ['op_target that is unknown', { op_target: 'nonsense' }, []],
  [
    'op_target by operators',
    { op_target: { $in: ['set', 'userapi'] } },
    ['new set', 'set changed', 'set gone', 'new query'],
  ],
  ['bk_obj_id', { bk_obj_id: 'rack' }, ['new rack']],
  ['op_type add', { op_type: 'add' }, ['new set', 'new host', 'new query', 'new rack']],
  ['op_type update', { op_type: 'update' }, ['set changed']],
  ['op_type delete', { op_type: 'delete' }, ['set gone']],
  ['op_type as a number', { op_type: 3 }, ['set gone']],
  ['op_type as a number in text', { op_type: '2' }, ['set changed']],
  ['op_type 100, a host moved', { op_type: 100 }, ['host moved']],
  ['op_type that is unknown', { op_type: 'modify' }, []],
  ['op_type in capitals, which is unknown', { op_type: 'ADD' }, []],
  ['op_type of the prototype', { op_type: 'constructor' }, []],
  ['op_type by operators', { op_type: { $in: ['update', 3] } }, ['set changed', 'set gone']],
  ['op_type but one', { op_type: { $ne: 'add' } }, ['set changed', 'set gone', 'host moved']],
  ['op_type set at all', { op_type: { $exists: true } }, all],
  ['operator', { operator: 'ben' }, ['set changed']],
  ['operator, in Chinese', { operator: '小明' }, ['new query']],
  ['operator with a comma in the name', { operator: 'amy,ben' }, ['new rack']],
  ['operator by pattern', { operator: { $regex: '^(ben|小)' } }, ['set changed', 'new query']],
  ['request_id', { request_id: 'new rack' }, ['new rack']],
  ['ext_key, one of several addresses', { ext_key: '10.0.0.2' }, ['new host']],
  ['ext_key, which is no part of another', { ext_key: '10.0.0.1' }, ['new host']],
  ['ext_key as a comma list', { ext_key: '10.0.0.2,10.0.0.11' }, ['new host', 'host moved']],
  ['ext_key as a comma list with nothing behind the comma', { ext_key: '10.0.0.2, ,' }, ['new host']],
  ['ext_key in a list', { ext_key: { $in: ['10.0.0.11', '10.0.0.1'] } }, ['new host', 'host moved']],
  ['ext_key in a list of none', { ext_key: { $in: [] } }, []],
  ['ext_key that is unknown', { ext_key: { $in: ['10.9.9.9'] } }, []],
  [
    'op_time of one second, wholly',
    { op_time: ['2026-01-01 00:00:00', '2026-01-01 00:00:00'] },
    ['new set', 'set changed'],
  ],
  [
    'op_time, both ends included',
    { op_time: ['2026-01-01 00:00:01', '2026-01-02 08:00:00'] },
    ['set gone', 'new host', 'host moved'],
  ],
  ['op_time with offsets', { op_time: ['2026-01-03T08:00:00+08:00', '2026-01-03T08:00:00.000+08:00'] }, ['new query']],
  ['op_time from late to early', { op_time: ['2026-01-03 00:00:00', '2026-01-01 00:00:00'] }, []],
  ['op_time by operators', { op_time: { $gt: '2026-01-02 08:00:00' } }, ['new query', 'new rack']],
  ['$or of our own words', { $or: [{ op_type: 'delete' }, { op_target: 'object' }] }, ['set gone', 'new rack']],
  [
    '$and of our own words',
    { $and: [{ op_type: 'add' }, { op_time: ['2026-01-03 00:00:00', '2026-01-03 00:00:00'] }] },
    ['new query', 'new rack'],
  ],
]

const refusals: [wrong: string, code: number, saying: string, body: unknown][] = [
  ['one time', 1199006, "'op_time'", { condition: { op_time: ['2026-01-01 00:00:00'] } }],
  ['three times', 1199006, "'op_time'", { condition: { op_time: Array(3).fill('2026-01-01 00:00:00') } }],
  ['a time that is none', 1199006, "'op_time'", { condition: { op_time: ['2026-01-01 00:00:00', 'now'] } }],
  [
    'a day of no calendar',
    1199006,
    "'op_time'",
    { condition: { op_time: ['2026-02-30 00:00:00', '2026-03-01 00:00:00'] } },
  ],
  ['times as numbers', 1199006, "'op_time'", { condition: { op_time: [1, 2] } }],
  ['a time without a pair', 1199006, "'op_time'", { condition: { op_time: '2026-01-01 00:00:00' } }],
  ['a word for a business', 1199009, "'bk_biz_id'", { condition: { bk_biz_id: 'x' } }],
  ['yes for an op_type', 1199009, "'op_type'", { condition: { op_type: true } }],
  ['a list of op_types without $in', 1199009, "'op_type'", { condition: { op_type: ['add'] } }],
  ['an unknown field', 1199011, "'colour'", { condition: { colour: 'red' } }],
  ['an unknown operator', 1199011, '$like', { condition: { operator: { $like: 'a' } } }],
  ['an unknown operator of ours', 1199011, '$like', { condition: { op_type: { $like: 'a' } } }],
  ['a condition that is a list', 1199006, "'condition'", { condition: [] }],
  ['a condition that is a text', 1199006, "'condition'", { condition: 'op_type' }],
  ['201 filters in $or', 1199035, '200', { condition: { $or: Array(201).fill({ op_type: 'add' }) } }],
  ['limit 201', 1199059, 'suggestion 200', { limit: 201 }],
  ['limit 0', 1199006, "'limit'", { limit: 0 }],
  ['limit as text', 1199009, "'limit'", { limit: '10' }],
  ['start -1', 1199006, "'start'", { start: -1 }],
  ['start beyond all numbers', 1199006, "'start'", { start: 1e300 }],
  ['an unknown sort', 1199011, "'sort'", { sort: 'colour' }],
  ['a number for a sort', 1199007, "'sort'", { sort: 1 }],
]

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
    await server.call('POST', '/biz/default/history/search', {})
    for (const [requestId, at, user, what] of history) {
      const given = { operation: 'add', object: 'set', instance: 1, business: 0, revision: 1, ...what } as const
      await server.service.storage.change({ user, account: 'history', requestId }, async (tx) =>
        tx.record({ description: 'create set', before: null, after: null, ...given }),
      )
      await server.service.storage.change({ user, account: 'history', requestId: '' }, async (tx) => {
        const op_time = Temporal.Instant.from(at).epochMilliseconds
        await tx.updateTable('log').set({ op_time }).where('request_id', '=', requestId).execute()
      })
    }
  })
  afterAll(() => server.close())

  const search = (body: unknown, headers: Headers = {}) =>
    server.call<Found>('POST', '/audit/search', body, { HTTP_BK_SUPPLIER_ACCOUNT: 'history', ...headers })
  const requests = async (body: unknown) => (await search(body)).data.info.map((row) => row.request_id)

  it.each(conditions)('finds records by %s', async (_, condition, expected) => {
    const { data } = await search({ condition, limit: 200, sort: 'op_time' })
    expect({ count: data.count, requests: data.info.map((row) => row.request_id) }).toEqual({
      count: expected.length,
      requests: expected,
    })
  })

  it.each(refusals)('refuses %s', async (_, code, saying, body) => {
    await refuses(server, code, saying, () => search(body))
  })

  it('sorts newest first by default; create_time is the same as op_time', async () => {
    const newest = all.toReversed()
    for (const sort of [undefined, '', '-op_time', '-create_time']) expect(await requests({ sort })).toEqual(newest)
    for (const sort of ['op_time', 'create_time']) expect(await requests({ sort })).toEqual(all)
    expect(await requests({ sort: 'operator,-op_time', condition: { op_target: 'set' } })).toEqual([
      'set gone',
      'new set',
      'set changed',
    ])
    expect((await requests({ sort: '-op_type' }))[0]).toBe('host moved')
  })

  it('has pages of 20 by default, and counts all matches', async () => {
    expect((await search({ start: 2, limit: 3, sort: 'op_time' })).data).toMatchObject({
      count: 7,
      info: [{ request_id: 'set gone' }, { request_id: 'new host' }, { request_id: 'host moved' }],
    })
    expect((await search({ start: 100 })).data).toEqual({ count: 7, info: [] })
    const pattern = { operator: { $regex: 'amy' } }
    expect((await search({ condition: pattern, start: 4, limit: 5, sort: 'op_time' })).data).toMatchObject({
      count: 5,
      info: [{ request_id: 'new rack' }],
    })
    for (let index = 0; index < 21; index++) {
      await server.call('POST', '/biz/many', { bk_biz_name: `biz ${index}` })
    }
    const { data } = await search({}, { HTTP_BK_SUPPLIER_ACCOUNT: 'many' })
    expect([data.count, data.info.length]).toEqual([21, 20])
  })

  it('shows the whole record: user, time, request, and the instance before and after', async () => {
    const [row] = (await search({ condition: { request_id: 'new host' } })).data.info
    expect(row).toMatchObject({
      bk_supplier_account: 'history',
      bk_biz_id: 2,
      op_type: 1,
      op_target: 'host',
      bk_obj_id: 'host',
      operator: 'amy',
      op_from: 'user',
      ext_key: '10.0.0.1,10.0.0.2',
      ext_info: '',
      inst_id: 1,
      op_time: '2026-01-02T08:00:00.500+00:00',
      request_id: 'new host',
      op_desc: 'create set',
      content: { pre_data: null, cur_data: null, type: 'map' },
    })
    const [rack] = (await search({ condition: { request_id: 'new rack' } })).data.info
    expect(rack).toMatchObject({ op_target: 'object', bk_obj_id: 'rack', content: { header: [] } })
  })
})
