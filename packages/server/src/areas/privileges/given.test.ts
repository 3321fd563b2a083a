import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AuditRow, findRecords } from '../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'
import { refuses } from '../../testing/inspect/rows.ts'

type Given = Record<string, unknown>

const refusals: [wrong: string, code: number, saying: string, body: unknown][] = [
  ['a list', 1199000, 'object', []],
  ['sys_config as a list', 1199006, "'sys_config'", { sys_config: [] }],
  ['an unknown global_busi', 1199011, "'pool' is not one of resource", { sys_config: { global_busi: ['pool'] } }],
  ['global_busi as text', 1199006, "'sys_config.global_busi'", { sys_config: { global_busi: 'resource' } }],
  ['an unknown back_config', 1199011, "'root' is not one of event, model, audit", { back_config: ['root'] }],
  ['an unknown back_config as a key', 1199011, 'event, model, audit', { back_config: { root: 1 } }],
  ['a back_config of the prototype', 1199011, '', '{"back_config":{"__proto__":1}}'],
  ['a back_config that is denied', 1199006, "'back_config.event'", { back_config: { event: false } }],
  ['back_config as text', 1199006, "'back_config'", { back_config: 'event' }],
  ['two that differ', 1199006, 'differ', { sys_config: { back_config: ['event'] }, back_config: ['model'] }],
  ['model_config as a list', 1199006, "'model_config'", { model_config: ['bk_switch'] }],
  ['an object without actions', 1199006, "'model_config.a.b'", { model_config: { a: { b: 'create' } } }],
  [
    'an unknown action',
    1199011,
    "'read' is not one of create, update, delete, search",
    { model_config: { a: { b: ['read'] } } },
  ],
  ['a number for an action', 1199007, "'model_config.a.b.0'", { model_config: { a: { b: [1] } } }],
  ['an object without a name', 1199006, "'model_config.a'", { model_config: { a: { '': ['create'] } } }],
  [
    '1,001 objects',
    1199035,
    '1000',
    { model_config: { a: Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`o${index}`, []])) } },
  ],
]

eachEngine((engine) => {
  let server: TestServer
  let id: string
  beforeAll(async () => {
    server = await startServer(engine)
    id = await group('staff', 'kim;lee')
  })
  afterAll(() => server.close())

  async function group(name: string, users: string): Promise<string> {
    await server.call('POST', '/topo/privilege/group/0', { group_name: name, user_list: users })
    const found = await server.call<{ group_id: string }[]>('POST', '/topo/privilege/group/0/search', {
      group_name: name,
    })
    return found.data[0]?.group_id as string
  }
  const detail = (which = id) => `/topo/privilege/group/detail/0/${which}`
  const give = (body: unknown, which = id) => server.call('POST', detail(which), body)
  const given = async (which = id) => (await server.call<Given>('GET', detail(which))).data
  const ofUser = async (user: string, headers = {}) =>
    (await server.call<Given>('GET', `/topo/privilege/user/detail/0/${user}`, undefined, headers)).data

  describe('the grants of a group', () => {
    it('are initially empty, in every place where the API shows them', async () => {
      const empty = await group('empty', 'x')
      expect(await given(empty)).toEqual({
        group_id: empty,
        bk_supplier_account: '0',
        sys_config: { global_busi: [], back_config: [] },
        back_config: [],
        model_config: {},
        privilege: { sys_config: { global_busi: [], back_config: [] }, model_config: {} },
      })
    })

    it('are replaced as a whole, and can be sent as they were read', async () => {
      const model_config = { bk_network: { bk_switch: ['search', 'create', 'search'] }, nowhere: { nothing: [] } }
      const answer = await give({ sys_config: { global_busi: ['resource'] }, back_config: ['audit'], model_config })
      expect(answer).toMatchObject({ result: true, data: null })
      const models = { bk_network: { bk_switch: ['search', 'create'] }, nowhere: { nothing: [] } }
      const sys_config = { global_busi: ['resource'], back_config: ['audit'] }
      const full = { sys_config, back_config: ['audit'], model_config: models }
      expect(await given()).toEqual({
        group_id: id,
        bk_supplier_account: '0',
        ...full,
        privilege: { sys_config, model_config: models },
      })
      await give(await given())
      expect(await given()).toMatchObject(full)
      await give({})
      expect(await given()).toMatchObject({ back_config: [], sys_config: { global_busi: [] }, model_config: {} })
    })

    it.each([
      ['beside', { back_config: ['event', 'model'] }],
      ['inside', { sys_config: { back_config: ['event', 'model'] } }],
      ['as keys', { back_config: { event: true, model: {} } }],
      ['inside as keys', { sys_config: { back_config: { event: [], model: 1 } } }],
      ['twice, alike', { sys_config: { back_config: ['model', 'event'] }, back_config: { event: 1, model: 1 } }],
    ])('may have back_config %s', async (_, body) => {
      await give(body)
      const { back_config } = (await given()) as { back_config: string[] }
      expect(back_config.toSorted()).toEqual(['event', 'model'])
    })

    it('keeps hostile names as names', async () => {
      await give('{"model_config":{"__proto__":{"constructor":["create"]}}}')
      const { model_config } = await given()
      expect(JSON.stringify(model_config)).toBe('{"__proto__":{"constructor":["create"]}}')
      expect(JSON.stringify((await ofUser('kim')).model_config)).toBe('{"__proto__":{"constructor":["create"]}}')
      const denied = await server.call('POST', '/inst/0/toString', {}, { BK_User: 'kim' })
      expect(denied.bk_error_code).toBe(9900403)
    })

    it('are one of the two after two concurrent replacements', async () => {
      const one = { back_config: ['event'], model_config: { a: { b: ['create'] } } }
      const other = { back_config: ['model'], model_config: { c: { d: ['delete'] } } }
      await Promise.all([give(one), give(other), give(one), give(other)])
      const { back_config, model_config } = await given()
      expect([one, other]).toContainEqual({ back_config, model_config })
    })

    it('are recorded when they change', async () => {
      const told = await group('told', 'x')
      await give({ back_config: ['audit'] }, told)
      await give({ back_config: ['audit'] }, told)
      const { info } = (await findRecords(server, { op_target: 'privilege' })).data as { info: AuditRow[] }
      expect(info.filter((row) => row.content.cur_data?.group_id === told)).toMatchObject([
        {
          op_desc: 'update group privilege',
          op_type: 2,
          content: { pre_data: { back_config: [] }, cur_data: { group_name: 'told', back_config: ['audit'] } },
        },
      ])
    })

    it('are visible to members and administrators', async () => {
      expect((await server.call('GET', detail(), undefined, { BK_User: 'lee' })).result).toBe(true)
      for (const which of [id, 'c0ffee0000000000000g']) {
        const seen = () => server.call('GET', detail(which), undefined, { BK_User: 'mia' })
        await refuses(server, 9900403, 'only members of the group', seen)
      }
      await refuses(server, 1199019, '', () => server.call('GET', detail('c0ffee0000000000000g')))
    })
  })

  describe('the grants of a user', () => {
    it('are empty without a group', async () => {
      expect(await ofUser('stranger')).toEqual({
        bk_group_id: '',
        group_id: '',
        groups: [],
        bk_supplier_account: '0',
        sys_config: { global_busi: [], back_config: [] },
        back_config: [],
        model_config: {},
        privilege: { sys_config: { global_busi: [], back_config: [] }, model_config: {} },
      })
    })

    it('are those of all groups that contain exactly that name', async () => {
      const [first, second] = [await group('first', 'ned;noa'), await group('second', 'ned')]
      await group('third', 'nedd;ne')
      await give({ back_config: ['model'], model_config: { a: { b: ['update'] } } }, first)
      const more = { a: { b: ['create'], c: ['search'] } }
      await give({ sys_config: { global_busi: ['resource'] }, back_config: ['event'], model_config: more }, second)
      expect(await ofUser('ned', { BK_User: 'ned' })).toMatchObject({
        bk_group_id: first,
        group_id: first,
        groups: [first, second],
        sys_config: { global_busi: ['resource'], back_config: ['event', 'model'] },
        back_config: ['event', 'model'],
        model_config: { a: { b: ['create', 'update'], c: ['search'] } },
      })
    })

    it('are everything for administrators, for every object', async () => {
      const every = ['create', 'update', 'delete', 'search']
      expect(await ofUser('admin')).toMatchObject({
        sys_config: { global_busi: ['resource'], back_config: ['event', 'model', 'audit'] },
        model_config: { bk_network: { bk_switch: every }, bk_host_manage: { host: every } },
      })
    })

    it('are visible to the user and administrators', async () => {
      const path = '/topo/privilege/user/detail/0/kim'
      await refuses(server, 9900403, "only 'kim' and", () => server.call('GET', path, undefined, { BK_User: 'lee' }))
    })
  })

  it.each(refusals)('refuses to give %s', async (_, code, saying, body) => {
    await refuses(server, code, saying, () => give(body))
  })

  it('reports a missing group before an invalid body', async () => {
    await refuses(server, 1199019, '', () => give({ back_config: 'x' }, 'c0ffee0000000000000g'))
    await refuses(server, 1199019, '', () => give({ back_config: ['root'] }, 'c0ffee0000000000000g'))
  })
})
