import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { refuses } from '../../../testing/inspect/rows.ts'

type Found = { count: number; info: Record<string, unknown>[] }
const chinese = { HTTP_BLUEKING_LANGUAGE: 'zh-cn' }

const company = [
  { bk_biz_name: 'Web shop', bk_biz_maintainer: 'amy,ben', bk_biz_developer: 'ivan' },
  { bk_biz_name: 'Shop floor', bk_biz_maintainer: 'amylee', life_cycle: '1', time_zone: 'Europe/Berlin' },
  { bk_biz_name: '100%_shop', bk_biz_maintainer: 'ben', language: '2' },
  { bk_biz_name: '支付', bk_biz_maintainer: '小明,amy', operator: 'olga' },
]
const all = company.map((each) => each.bk_biz_name)

const conditions: [how: string, condition: unknown, names: string[]][] = [
  ['nothing', {}, all],
  ['null', null, all],
  ['a part of the name', { bk_biz_name: 'shop' }, ['Web shop', '100%_shop']],
  ['a part that SQL would read otherwise', { bk_biz_name: '%_' }, ['100%_shop']],
  ['an empty part', { bk_biz_name: '' }, all],
  ['a part of the zone', { time_zone: 'Berlin' }, ['Shop floor']],
  ['one whole name of a role', { bk_biz_maintainer: 'amy' }, ['Web shop', '支付']],
  ['another of them', { bk_biz_maintainer: '小明' }, ['支付']],
  ['a part of a role’s name', { bk_biz_maintainer: 'am' }, []],
  ['all names of a role, as a record shows them', { bk_biz_maintainer: 'amy,ben' }, ['Web shop']],
  ['all names of a role in another order', { bk_biz_maintainer: 'ben,amy' }, []],
  ['any of the names of a role', { bk_biz_maintainer: { $in: ['ben', '小明'] } }, ['Web shop', '100%_shop', '支付']],
  ['not that name of a role', { bk_biz_maintainer: { $ne: 'amy' } }, ['Shop floor', '100%_shop']],
  ['a role without members', { operator: { $exists: false } }, ['Web shop', 'Shop floor', '100%_shop']],
  ['$eq, the whole name', { bk_biz_name: { $eq: 'Web shop' } }, ['Web shop']],
  ['$eq, a part', { bk_biz_name: { $eq: 'shop' } }, []],
  ['$regex', { bk_biz_name: { $regex: '(?i)^(web )?shop' } }, ['Web shop', 'Shop floor']],
  ['an enum', { life_cycle: 1 }, ['Shop floor']],
  ['$or', { $or: [{ language: '2' }, { operator: 'olga' }] }, ['100%_shop', '支付']],
  ['the account', { bk_supplier_account: '0', default: 0 }, all],
  ['the status', { bk_data_status: 'enable' }, all],
  ['the pool', { default: 1 }, []],
  ['the name of the pool', { bk_biz_name: '资源' }, []],
]

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
    for (const each of company) await server.call('POST', '/biz/0', each)
    await server.call('POST', '/biz/far', { bk_biz_name: 'Web shop', bk_biz_maintainer: 'amy' })
  })
  afterAll(() => server.close())

  const search = (body: unknown, account = '0', headers?: Record<string, string>) =>
    server.call<Found>('POST', `/biz/search/${account}`, body, headers)
  const names = ({ data }: { data: Found }) => data.info.map((record) => record.bk_biz_name)

  it.each(conditions)('finds businesses by %s', async (_, condition, expected) => {
    const found = await search({ condition })
    expect({ count: found.data.count, names: names(found) }).toEqual({ count: expected.length, names: expected })
  })

  it('answers the fields asked for, all of them when none are', async () => {
    const fields = async (wanted?: string[]) => (await search({ fields: wanted })).data.info[0]
    expect(await fields(['bk_biz_name', 'colour'])).toEqual({ bk_biz_name: 'Web shop' })
    const whole = await fields()
    expect(whole).toMatchObject({ bk_biz_name: 'Web shop', bk_data_status: 'enable', bk_biz_developer: 'ivan' })
    expect(await fields([])).toEqual(whole)
  })

  it('sorts by any field, and by id where nothing is said', async () => {
    expect(names(await search({ page: { sort: 'bk_biz_name' } }))).toEqual([...all].sort())
    expect(names(await search({ page: { sort: '-bk_biz_id' } }))).toEqual(all.toReversed())
    expect(names(await search({ page: { sort: 'life_cycle,-language,bk_biz_name' } }))).toEqual([
      'Shop floor',
      '100%_shop',
      'Web shop',
      '支付',
    ])
  })

  it('pages with a limit of 20 unless told otherwise, counting all', async () => {
    for (let index = 0; index < 21; index++) await server.call('POST', '/biz/many', { bk_biz_name: `biz ${index}` })
    const { data } = await search({}, 'many')
    expect([data.count, data.info.length]).toEqual([21, 20])
    const second = await search({ page: { start: 20 } }, 'many')
    expect([second.data.count, names(second)]).toEqual([21, ['biz 20']])
    expect(names(await search({ page: { start: 3, limit: 2 } }, 'many'))).toEqual(['biz 3', 'biz 4'])
  })

  it.each<[wrong: string, code: number, saying: string, body: unknown]>([
    ['limit 0', 1199006, "'page.limit'", { page: { limit: 0 } }],
    ['limit 201', 1199059, 'suggestion 200', { page: { limit: 201 } }],
    ['start -1', 1199006, "'page.start'", { page: { start: -1 } }],
    ['an unknown sort', 1199011, "'sort'", { page: { sort: 'colour' } }],
    ['an unknown field', 1199011, "'colour'", { condition: { colour: 'red' } }],
    ['an unknown operator', 1199011, '$like', { condition: { bk_biz_name: { $like: 'x' } } }],
    ['a condition that is a list', 1199006, "'condition'", { condition: [] }],
    ['a number among the fields', 1199007, "'fields.0'", { fields: [7] }],
  ])('refuses %s', async (_, code, saying, body) => {
    await refuses(server, code, saying, () => search(body))
    await refuses(server, code, saying, () => server.call('POST', '/biz/default/0/search', body))
  })

  describe('the resource pool', () => {
    const pool = (body: unknown, account = '0', headers?: Record<string, string>) =>
      server.call<Found>('POST', `/biz/default/${account}/search`, body, headers)

    it('has a search of its own, with its name in the caller’s language', async () => {
      const found = await pool({})
      expect(found.data.count).toBe(1)
      expect(found.data.info[0]).toMatchObject({ bk_biz_id: 1, bk_biz_name: 'resource pool', default: 1 })
      expect(names(await pool({ fields: ['bk_biz_name'] }, '0', chinese))).toEqual(['资源池'])
      for (const name of ['source', '资源', { $eq: '资源池' }, { $regex: '池$' }]) {
        expect((await pool({ condition: { bk_biz_name: name } })).data.count).toBe(1)
      }
      expect((await pool({ condition: { bk_biz_name: 'Web' } })).data.count).toBe(0)
    })

    it('is different in every account', async () => {
      const [far] = (await pool({}, 'far')).data.info
      expect(far).toMatchObject({ bk_biz_name: 'resource pool', bk_supplier_account: 'far' })
      expect(far?.bk_biz_id).not.toBe(1)
      expect((await pool({}, 'never seen before')).data.count).toBe(1)
    })
  })

  it('keeps accounts apart: in search, in names and in every change', async () => {
    const [far] = (await search({}, 'far')).data.info
    expect(far).toMatchObject({ bk_biz_name: 'Web shop', bk_supplier_account: 'far' })
    const id = far?.bk_biz_id as number
    const requests: [method: string, path: string, body: unknown][] = [
      ['PUT', `/biz/0/${id}`, { operator: 'x' }],
      ['PUT', `/biz/status/disabled/0/${id}`, {}],
      ['PUT', `/biz/status/enable/0/${id}`, {}],
      ['DELETE', `/biz/0/${id}`, {}],
    ]
    for (const [method, path, body] of requests) {
      await refuses(server, 1199019, '', () => server.call(method, path, body))
    }
    const amy = { BK_User: 'amy' }
    expect((await server.call('PUT', `/biz/far/${id}`, { operator: 'x' }, amy)).data).toBe('success')
    await refuses(server, 9900403, '', () => server.call('PUT', `/biz/0/${id}`, { operator: 'y' }, amy))
  })
})
