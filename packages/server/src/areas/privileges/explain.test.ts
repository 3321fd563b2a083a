import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeBusiness } from '../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'
import { refuses } from '../../testing/inspect/rows.ts'

const chinese = { HTTP_BLUEKING_LANGUAGE: 'zh-cn' }

interface Explained {
  allowed: boolean
  reason: string
  through: Record<string, unknown>[]
  missing: Record<string, unknown>[]
}

eachEngine((engine) => {
  let server: TestServer
  let business: number
  let group: string
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
    await server.call('POST', '/topo/privilege/group/0', { group_name: 'modellers', user_list: 'mo' })
    const found = await server.call<[{ group_id: string }]>('POST', '/topo/privilege/group/0/search', {})
    group = found.data[0].group_id
    const model_config = { bk_network: { bk_switch: ['create'] } }
    await server.call('POST', `/topo/privilege/group/detail/0/${group}`, { back_config: ['model'], model_config })
    await server.call('POST', '/topo/privilege/0/biz/operator', ['topoupdate', 'hostupdate'])
    await server.call('PUT', `/biz/0/${business}`, { operator: 'olga', bk_biz_tester: 'tim' })
  })
  afterAll(() => server.close())

  const ask = (user: string, query: string, headers = {}) =>
    server.call<Explained>('GET', `/topo/privilege/explain/0/${user}?${query}`, undefined, headers)
  const why = async (user: string, query: string) => (await ask(user, query)).data

  it('names the role that allows a request', async () => {
    expect(await why('olga', `operation=create_set&bk_biz_id=${business}`)).toEqual({
      user_name: 'olga',
      operation: 'create_set',
      allowed: true,
      reason: `operator of business ${business} lists 'olga' and grants topoupdate`,
      through: [
        {
          by: 'role',
          bk_biz_id: business,
          roles: ['operator'],
          privileges: ['topoupdate'],
          groups: [],
          reason: expect.stringContaining('operator'),
        },
      ],
      missing: [],
    })
  })

  it('names the group or rule that allows a request', async () => {
    expect(await why('mo', 'operation=create_object')).toMatchObject({
      allowed: true,
      through: [{ by: 'group', group_id: group, group_name: 'modellers' }],
    })
    expect(await why('mo', 'operation=create_inst&bk_obj_id=bk_switch')).toMatchObject({ allowed: true })
    expect(await why('mo', `operation=search_group_privilege&group_id=${group}`)).toMatchObject({
      allowed: true,
      reason: "the group 'modellers' includes 'mo'",
    })
    const ruled = async (user: string, query: string) => (await why(user, query)).through
    expect(await ruled('admin', 'operation=delete_business')).toMatchObject([{ by: 'rule', rule: 'administrator' }])
    expect(await ruled('tim', 'operation=search_set')).toMatchObject([{ by: 'rule', rule: 'anyone' }])
    expect(await ruled('tim', 'operation=get_operation_log')).toMatchObject([{ rule: 'own_businesses' }])
    expect(await ruled('tim', 'operation=get_user_privilege&user_name=tim')).toMatchObject([{ rule: 'self' }])
  })

  it('names the missing privilege, the place and who can grant it, with the text of the refusal', async () => {
    const explained = await why('tim', `operation=create_set&bk_biz_id=${business}`)
    const denied = await server.call('POST', `/set/${business}`, {}, { BK_User: 'tim' })
    expect(explained).toMatchObject({ allowed: false, through: [], missing: [{ reason: explained.reason }] })
    expect(explained.missing).toMatchObject([
      { bk_biz_id: business, privileges: ['topoupdate'], holders: ['amy', 'olga'] },
    ])
    expect(denied.bk_error_msg).toBe(`permission denied: ${explained.reason}`)
    expect(explained.reason).toBe(
      `'tim' needs 'topoupdate' in business ${business}, granted by its roles bk_biz_maintainer, operator; none of them lists 'tim'`,
    )
    expect((await ask('tim', `operation=create_set&bk_biz_id=${business}`, chinese)).data.reason).toMatch(/需要业务/)
    const roles = await why('olga', `operation=update_business&bk_biz_id=${business}&bk_biz_tester=x`)
    expect(roles.through).toMatchObject([{ privileges: ['topoupdate'] }])
    expect(roles.reason).toContain('missing: hosttrans, customapi, proconfig')
    expect((await why('mo', 'operation=delete_inst&bk_obj_id=bk_switch')).reason).toContain("'delete' on 'bk_switch'")
  })

  it('reports if no role or group grants the privilege', async () => {
    await server.call('POST', '/topo/privilege/0/biz/bk_biz_maintainer', [])
    await server.call('POST', '/topo/privilege/0/biz/operator', [])
    const { reason } = await why('amy', `operation=create_set&bk_biz_id=${business}`)
    expect(reason).toContain('an administrator can bind it')
    await server.call('POST', '/topo/privilege/0/biz/operator', ['topoupdate', 'hostupdate'])
  })

  it('is available about oneself, and to administrators about every user', async () => {
    expect((await ask('tim', 'operation=search_set', { BK_User: 'tim' })).result).toBe(true)
    await refuses(server, 9900403, "only 'tim'", () => ask('tim', 'operation=search_set', { BK_User: 'olga' }))
  })

  it.each([
    ['no operation', 1199010, "'operation'", ''],
    ['an unknown one, offering the nearest', 1199011, 'the closest known names are create_set', 'operation=creat_set'],
    ['two', 1199007, "'operation'", 'operation=create_set&operation=delete_set'],
    ['one of the prototype', 1199011, "'operation'", 'operation=__proto__'],
    ['no business', 1199010, "'bk_biz_id'", 'operation=create_set'],
    ['a business that is none', 1199011, "'bk_biz_id'", 'operation=create_set&bk_biz_id=two'],
    ['no object', 1199010, "'bk_obj_id'", 'operation=create_inst'],
    ['no group', 1199010, "'group_id'", 'operation=search_group_privilege'],
    ['no user', 1199010, "'user_name'", 'operation=get_user_privilege'],
  ])('refuses a question with %s', async (_, code, saying, query) => {
    await refuses(server, code, saying, () => ask('tim', query))
  })
})
