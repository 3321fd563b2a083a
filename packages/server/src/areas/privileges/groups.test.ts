import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AuditRow, findRecords } from '../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'
import { refuses } from '../../testing/inspect/rows.ts'

interface UserGroup {
  group_id: string
  group_name: string
  user_list: string
}

const refusals: [wrong: string, code: number, saying: string, body: unknown][] = [
  ['no name', 1199010, "'group_name'", { user_list: 'amy' }],
  ['an empty name', 1199010, "'group_name'", { group_name: '', user_list: 'amy' }],
  ['a name of blanks', 1199010, "'group_name'", { group_name: ' ', user_list: 'amy' }],
  ['null for a name', 1199010, "'group_name'", { group_name: null, user_list: 'amy' }],
  ['a number for a name', 1199007, "'group_name'", { group_name: 7, user_list: 'amy' }],
  ['a name of 257 bytes', 1199015, '257', { group_name: `${'é'.repeat(128)}x`, user_list: 'amy' }],
  ['a name with a line break', 1199006, "'group_name'", { group_name: 'a\nb', user_list: 'amy' }],
  ['no users', 1199010, "'user_list'", { group_name: 'g' }],
  ['users of nothing but separators', 1199010, "'user_list'", { group_name: 'g', user_list: ' ; ;;' }],
  ['a list for users', 1199007, "'user_list'", { group_name: 'g', user_list: ['amy'] }],
  ['a user of 129 characters', 1199015, '128', { group_name: 'g', user_list: `amy;${'x'.repeat(129)}` }],
  ['a user with a control character', 1199006, "'user_list'", { group_name: 'g', user_list: 'amy;b\u0001b' }],
  [
    '10,001 users',
    1199035,
    '10000',
    { group_name: 'g', user_list: Array.from({ length: 10_001 }, (_, index) => `u${index}`).join(';') },
  ],
  ['a list', 1199000, 'object', []],
  ['half a character', 1199006, '', '{"group_name":"\\ud800","user_list":"amy"}'],
]

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
  })
  afterAll(() => server.close())

  const root = '/topo/privilege/group/0'
  const create = (body: unknown, account = '0') => server.call('POST', `/topo/privilege/group/${account}`, body)
  const search = async (body: unknown = {}, account = '0') =>
    (await server.call<UserGroup[]>('POST', `/topo/privilege/group/${account}/search`, body)).data
  const make = async (group_name: string, user_list = 'amy') => {
    expect(await create({ group_name, user_list })).toMatchObject({ result: true, data: null })
    return (await search()).find((group) => group.group_name === group_name) as UserGroup
  }
  const update = (id: string, body: unknown) => server.call('PUT', `${root}/${id}`, body)
  const remove = (id: string) => server.call('DELETE', `${root}/${id}`)
  const members = async (user: string) =>
    (await server.call<{ groups: string[] }>('GET', `/topo/privilege/user/detail/0/${user}`)).data.groups

  describe('a group', () => {
    it('has an id of 20 characters and trimmed users without duplicates, joined by ;', async () => {
      const group = await make('tidy', ' amy ;;ben; amy;小明 ')
      expect(group).toEqual({
        group_id: expect.stringMatching(/^[0-9a-v]{20}$/),
        group_name: 'tidy',
        user_list: 'amy;ben;小明',
      })
      expect(await members('ben')).toContain(group.group_id)
      expect(await members('be')).toEqual([])
    })

    it('can be changed in part: its name, its users, or nothing', async () => {
      const { group_id } = await make('part', 'carla;dan')
      expect(await update(group_id, { group_name: 'parts' })).toMatchObject({ result: true, data: null })
      expect(await search({ group_name: 'parts' })).toMatchObject([{ group_id, user_list: 'carla;dan' }])
      await update(group_id, { user_list: 'dan;eve' })
      expect(await search({ group_name: 'parts' })).toMatchObject([{ group_id, user_list: 'dan;eve' }])
      expect([await members('carla'), await members('dan'), await members('eve')]).toEqual([[], [group_id], [group_id]])
      await update(group_id, { user_list: '' })
      expect(await search({ group_name: 'parts' })).toMatchObject([{ group_id, user_list: '' }])
      expect(await members('eve')).toEqual([])
      expect((await update(group_id, {})).result).toBe(true)
    })

    it('is found by parts of its name and of its users, combined, in order of creation', async () => {
      for (const name of ['find B_%', 'find a', 'find C']) await make(name, name === 'find a' ? 'zoe;xi' : 'zoe')
      const names = async (body: unknown) => (await search(body)).map((group) => group.group_name)
      expect(await names({ group_name: 'find' })).toEqual(['find B_%', 'find a', 'find C'])
      expect(await names({ group_name: 'FIND' })).toEqual([])
      expect(await names({ group_name: '_%' })).toEqual(['find B_%'])
      expect(await names({ user_list: 'zoe;x' })).toEqual(['find a'])
      expect(await names({ group_name: 'C', user_list: 'xi' })).toEqual([])
      expect(await names({ group_name: '', user_list: 'zoe' })).toEqual(['find B_%', 'find a', 'find C'])
      expect(await names({})).toEqual(await names(undefined))
      expect(await search({}, 'elsewhere')).toEqual([])
    })

    it('loses its grants when it is deleted, and cannot be deleted twice', async () => {
      const { group_id } = await make('doomed', 'fay')
      await server.call('POST', `/topo/privilege/group/detail/0/${group_id}`, { back_config: ['model'] })
      expect(await remove(group_id)).toMatchObject({ result: true, data: null })
      expect(await members('fay')).toEqual([])
      await refuses(server, 1199019, '', () => remove(group_id))
      await refuses(server, 1199019, '', () => server.call('GET', `/topo/privilege/group/detail/0/${group_id}`))
      const again = await make('doomed', 'fay')
      expect(again.group_id).not.toBe(group_id)
      expect((await server.call('GET', `/topo/privilege/user/detail/0/fay`)).data).toMatchObject({ back_config: [] })
    })

    it('is created once by concurrent requests with the same name', async () => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) => create({ group_name: 'contested', user_list: `u${index}` })),
      )
      expect(answers.filter((answer) => answer.result)).toHaveLength(1)
      expect(new Set(answers.filter((answer) => !answer.result).map((answer) => answer.bk_error_code))).toEqual(
        new Set([1199014]),
      )
      expect(await search({ group_name: 'contested' })).toHaveLength(1)
    })

    it('has exactly the members of its list after many concurrent changes', async () => {
      const { group_id } = await make('busy', 'gus')
      await Promise.all(Array.from({ length: 8 }, (_, index) => update(group_id, { user_list: `gus;g${index}` })))
      const [{ user_list }] = (await search({ group_name: 'busy' })) as [UserGroup]
      const held = await Promise.all(Array.from({ length: 8 }, (_, index) => members(`g${index}`)))
      expect(held.flatMap((groups, index) => (groups.length > 0 ? [`gus;g${index}`] : []))).toEqual([user_list])
    })

    it('is recorded when created, changed and deleted, and not when nothing changes', async () => {
      const { group_id } = await make('told', 'hal')
      await update(group_id, { group_name: 'told', user_list: ' hal ' })
      await update(group_id, { user_list: 'ida' })
      await remove(group_id)
      const { info } = (await findRecords(server, { op_target: 'usergroup' })).data as { info: AuditRow[] }
      const about = (row: AuditRow) => (row.content.cur_data ?? row.content.pre_data)?.group_id === group_id
      expect(info.filter(about)).toMatchObject([
        { op_desc: 'create user group', op_type: 1, content: { pre_data: null, cur_data: { user_list: 'hal' } } },
        { op_desc: 'update user group', op_type: 2, content: { cur_data: { user_list: 'ida' } } },
        { op_desc: 'delete user group', op_type: 3, content: { pre_data: { back_config: [] }, cur_data: null } },
      ])
      const log = await server.service.storage.read
        .selectFrom('log')
        .select('events')
        .where('object_id', 'in', ['usergroup', 'privilege'])
        .execute()
      expect(new Set(log.map((row) => row.events))).toEqual(new Set(['[]']))
    })

    it('may name ten thousand users', async () => {
      const users = Array.from({ length: 10_000 }, (_, index) => `user${index}`)
      const { group_id } = await make('crowd', users.join(';'))
      expect(await members('user9999')).toEqual([group_id])
      await remove(group_id)
    })
  })

  it.each(refusals)('refuses to create one with %s', async (_, code, saying, body) => {
    await refuses(server, code, saying, () => create(body))
  })

  it('refuses a duplicate or empty name, and a missing group before an invalid body', async () => {
    const { group_id } = await make('taken')
    await refuses(server, 1199014, 'group_name', () => create({ group_name: 'taken', user_list: 'x' }))
    const other = await make('untaken')
    await refuses(server, 1199014, 'group_name', () => update(other.group_id, { group_name: 'taken' }))
    await refuses(server, 1199010, "'group_name'", () => update(group_id, { group_name: '' }))
    await refuses(server, 1199010, "'user_list'", () => create({ group_name: 'new', user_list: null }))
    await refuses(server, 1199019, '', () => update('c0ffee0000000000000g', { group_name: 'x' }))
    await refuses(server, 1199019, '', () => update('c0ffee0000000000000g', { group_name: 7 }))
    await refuses(server, 1199007, "'group_name'", () => server.call('POST', `${root}/search`, { group_name: 7 }))
    expect(await create({ group_name: 'taken', user_list: 'x' }, 'elsewhere')).toMatchObject({ result: true })
  })

  it('belongs to its account', async () => {
    const { group_id } = await make('ours', 'jo')
    for (const [method, path, body] of [
      ['PUT', `/topo/privilege/group/elsewhere/${group_id}`, { user_list: 'x' }],
      ['DELETE', `/topo/privilege/group/elsewhere/${group_id}`, undefined],
      ['GET', `/topo/privilege/group/detail/elsewhere/${group_id}`, undefined],
      ['POST', `/topo/privilege/group/detail/elsewhere/${group_id}`, {}],
    ] as const) {
      await refuses(server, 1199019, '', () => server.call(method, path, body))
    }
    expect((await server.call('GET', '/topo/privilege/user/detail/elsewhere/jo')).data).toMatchObject({ groups: [] })
  })
})
