import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AuditRow, findRecords, makeBusiness } from '../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'
import { readLog } from '../../testing/inspect/log.ts'
import { refuses } from '../../testing/inspect/rows.ts'

const all = ['hostupdate', 'hosttrans', 'topoupdate', 'customapi', 'proconfig']
const bob = { BK_User: 'bob' }

const refusals: [wrong: string, code: number, saying: string, body: unknown][] = [
  ['nothing', 1199000, 'array', undefined],
  ['an object', 1199000, 'array', { hostupdate: true }],
  ['a text', 1199000, 'array', '"hostupdate"'],
  ['null', 1199000, 'array', 'null'],
  ['an unknown identifier', 1199011, "'root' is not one of hostupdate", ['hostupdate', 'root']],
  ['one in capitals', 1199011, "'[0]'", ['HOSTUPDATE']],
  ['an empty one', 1199011, "'[0]'", ['']],
  ['a number', 1199007, "'0' must be a string type: 1 is not valid here", [1]],
  ['a list in the list', 1199007, '', [['hostupdate']]],
  ['a word of the prototype', 1199011, '', ['__proto__']],
  ['NUL', 1199006, '', '["\\u0000"]'],
]

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
  })
  afterAll(() => server.close())

  const path = (role: string, object = 'biz', account = '0') => `/topo/privilege/${account}/${object}/${role}`
  const bind = (role: string, body: unknown, headers = {}) => server.call('POST', path(role), body, headers)
  const bound = async (role: string, object = 'biz', account = '0') =>
    (await server.call('GET', path(role, object, account), undefined, bob)).data

  describe('what is bound to a role', () => {
    it('is initially, in every account, all five privileges for maintainers and none for other roles', async () => {
      for (const account of ['0', 'new']) {
        expect(await bound('bk_biz_maintainer', 'biz', account)).toEqual(all)
        expect(await bound('bk_biz_tester', 'biz', account)).toEqual([])
      }
    })

    it('is replaced as a whole, without duplicates, in the order sent', async () => {
      const answer = await bind('operator', ['proconfig', 'hostupdate', 'proconfig'])
      expect(answer).toMatchObject({ status: 200, result: true, data: null })
      expect(await bound('operator')).toEqual(['proconfig', 'hostupdate'])
      await bind('operator', ['customapi'])
      expect(await bound('operator')).toEqual(['customapi'])
      await bind('operator', [])
      expect(await bound('operator')).toEqual([])
    })

    it('can be stored for attributes that do not exist yet and for other objects, separately per account', async () => {
      await server.call('POST', path('someday'), ['hosttrans'])
      await server.call('POST', path('operator', 'host'), ['hostupdate'])
      await server.call('POST', path('operator', 'biz', 'other'), ['topoupdate'])
      expect(await bound('someday')).toEqual(['hosttrans'])
      expect(await bound('operator', 'host')).toEqual(['hostupdate'])
      expect(await bound('operator', 'biz', 'other')).toEqual(['topoupdate'])
      expect(await bound('operator')).toEqual([])
    })

    it('takes effect once an attribute of that name holds users', async () => {
      const business = await makeBusiness(server)
      const change = () => server.call('PUT', `/biz/0/${business}`, { life_cycle: '3' }, { BK_User: 'rita' })
      await server.call('POST', path('release_manager'), ['topoupdate'])
      expect((await change()).bk_error_code).toBe(9900403)
      const attribute = { bk_obj_id: 'biz', bk_property_id: 'release_manager', bk_property_name: 'Release manager' }
      await server.call('POST', '/object/attr', { ...attribute, bk_property_type: 'objuser' })
      await server.call('PUT', `/biz/0/${business}`, { release_manager: 'rita,tom' })
      expect((await change()).result).toBe(true)
    })

    it('is recorded only when it changes', async () => {
      await bind('bk_biz_developer', ['customapi'])
      await bind('bk_biz_developer', ['customapi'])
      await bind('bk_biz_developer', ['customapi', 'hosttrans'])
      const rows = (await findRecords(server, { op_target: 'privilege' })).data.info as AuditRow[]
      const own = rows.filter((row) => row.content.cur_data?.bk_property_id === 'bk_biz_developer')
      expect(own).toMatchObject([
        { op_desc: 'bind role privilege', op_type: 2, content: { pre_data: { privileges: [] } } },
        { content: { pre_data: { privileges: ['customapi'] }, cur_data: { privileges: ['customapi', 'hosttrans'] } } },
      ])
    })

    it('is, after many concurrent bindings, exactly one of them, and the records form a sequence', async () => {
      const sent = Array.from({ length: 10 }, (_, index) => all.slice(index % 5, (index % 5) + 1))
      await Promise.all(sent.map((privileges) => bind('bk_biz_productor', privileges)))
      const log = await readLog(server.service.storage.read)
      const own = log.filter(({ content }) => content.cur?.bk_property_id === 'bk_biz_productor')
      expect(own.at(-1)?.content.cur?.privileges).toEqual(await bound('bk_biz_productor'))
      for (const [index, { content }] of own.entries()) {
        expect(content.pre?.privileges).toEqual(own[index - 1]?.content.cur?.privileges ?? [])
      }
    })
  })

  it.each(refusals)('refuses to bind %s', async (_, code, saying, body) => {
    await refuses(server, code, saying, () => bind('operator', body))
  })

  it('can be bound by administrators only, whatever the body', async () => {
    for (const body of [['hostupdate'], { wrong: true }]) {
      await refuses(server, 9900403, 'only administrators', () => bind('operator', body, bob))
    }
  })
})
