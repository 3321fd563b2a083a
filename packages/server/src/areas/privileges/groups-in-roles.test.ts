import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeBusiness } from '../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'

interface Explained {
  readonly allowed: boolean
  readonly reason: string
  readonly through: readonly object[]
}

/** A role may list a group, as '@' and its name: its members have the role in that business. */
eachEngine((engine) => {
  let server: TestServer
  let business: number
  let elsewhere: number
  let path: string
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
    elsewhere = await makeBusiness(server)
    path = await createGroup('network team', 'nora;marc')
    await server.call('POST', '/topo/privilege/0/biz/operator', ['topoupdate'])
    await listed('amy,@network team')
  })
  afterAll(() => server.close())

  async function createGroup(group_name: string, user_list: string): Promise<string> {
    await server.call('POST', '/topo/privilege/group/0', { group_name, user_list })
    const found = await server.call<[{ group_id: string }]>('POST', '/topo/privilege/group/0/search', { group_name })
    return `/topo/privilege/group/0/${found.data[0].group_id}`
  }
  const listed = (operator: string) => server.call('PUT', `/biz/0/${business}`, { operator })
  let sets = 0
  const mayAddSet = async (BK_User: string, to = business) => {
    const sent = { bk_biz_id: to, bk_parent_id: to, bk_supplier_account: '0', bk_set_name: `set ${++sets}` }
    return (await server.call('POST', `/set/${to}`, sent, { BK_User })).result
  }

  it('members have the role in that business, and in no other', async () => {
    expect([await mayAddSet('nora'), await mayAddSet('amy'), await mayAddSet('olga')]).toEqual([true, true, false])
    expect(await mayAddSet('nora', elsewhere)).toBe(false)
  })

  it('is named by explanations', async () => {
    const query = `operation=create_set&bk_biz_id=${business}`
    const { data } = await server.call<Explained>('GET', `/topo/privilege/explain/0/nora?${query}`)
    const why = "lists @network team, a group that includes 'nora', and grants topoupdate"
    expect(data).toMatchObject({ allowed: true, reason: `operator of business ${business} ${why}` })
    expect(data.through).toMatchObject([{ by: 'role', roles: ['operator'], groups: ['@network team'] }])
  })

  it('members read the audit records of the business', async () => {
    const found = async (BK_User: string) => {
      const { data } = await server.call<{ count: number }>('POST', '/audit/search', { condition: {} }, { BK_User })
      return data.count > 0
    }
    expect([await found('nora'), await found('olga')]).toEqual([true, false])
  })

  it('counts from the next request on when members join or leave, and when the group is renamed or deleted', async () => {
    await server.call('PUT', path, { user_list: 'marc;olga' })
    expect([await mayAddSet('nora'), await mayAddSet('olga')]).toEqual([false, true])
    await server.call('PUT', path, { group_name: 'networkers' })
    expect(await mayAddSet('olga')).toBe(false)
    await server.call('PUT', path, { group_name: 'network team' })
    expect(await mayAddSet('olga')).toBe(true)
    await server.call('DELETE', path)
    expect(await mayAddSet('olga')).toBe(false)
  })

  it('a user who is called like a group in a role is not taken for a member', async () => {
    await listed('@crew')
    expect(await mayAddSet('@crew')).toBe(false)
  })

  it('a group of another account of the same name gives nothing', async () => {
    const sent = { group_name: 'crew', user_list: 'nora' }
    await server.call('POST', '/topo/privilege/group/other', sent, { HTTP_BLUEKING_SUPPLIER_ID: 'other' })
    expect(await mayAddSet('nora')).toBe(false)
    await createGroup('crew', 'nora')
    expect(await mayAddSet('nora')).toBe(true)
  })

  it('works in roles that are not searchable, and finds no group whose name has a comma', async () => {
    const role = { bk_obj_id: 'biz', bk_property_id: 'release_manager', bk_property_name: 'Release manager' }
    await server.call('POST', '/object/attr', { ...role, bk_property_type: 'objuser' })
    await server.call('POST', '/topo/privilege/0/biz/release_manager', ['customapi'])
    await createGroup('a,b', 'rita')
    await createGroup('release', 'tom')
    await server.call('PUT', `/biz/0/${business}`, { release_manager: '@a,b,@release' })
    const may = async (user: string) => {
      const query = `operation=create_custom_query&bk_biz_id=${business}`
      return (await server.call<Explained>('GET', `/topo/privilege/explain/0/${user}?${query}`)).data.allowed
    }
    expect([await may('tom'), await may('rita')]).toEqual([true, false])
  })
})
