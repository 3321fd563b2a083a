import { afterAll, beforeAll, expect, it } from 'vitest'
import { associate, declare, makeInstance } from '../../testing/data/associations.ts'
import { makeBusiness } from '../../testing/data/factories.ts'
import { makeHost } from '../../testing/data/hosts.ts'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'

const as = (user: string) => ({ BK_User: user })

eachEngine((engine) => {
  let server: TestServer
  let count = 0
  const make = (object: string) => makeInstance(server, object, `${object} ${count++}`)
  const end = (association: number, user: string) =>
    server.call('DELETE', `/inst/association/${association}/action/delete`, undefined, as(user))
  const may = async (user: string, rights: Readonly<Record<string, readonly string[]>>) => {
    await server.call('POST', '/topo/privilege/group/0', { group_name: user, user_list: user })
    const groups = await server.call<{ group_id: string }[]>('POST', '/topo/privilege/group/0/search', {
      group_name: user,
    })
    const given = { sys_config: { global_busi: [], back_config: [] }, model_config: { bk_network: rights } }
    const group = groups.data[0]?.group_id
    expect(await server.call('POST', `/topo/privilege/group/detail/0/${group}`, given)).toMatchObject({ result: true })
  }
  const maintained = async (user: string) => {
    const business = await makeBusiness(server, `of ${user}`)
    await server.call('PUT', `/biz/0/${business}`, { bk_biz_maintainer: user })
    return makeHost(server, { business })
  }
  beforeAll(async () => {
    server = await startServer(engine)
  })
  afterAll(() => server.close())

  it('the right to change either end is enough to remove an association, so that no caller can block the deletion of hosts of others', async () => {
    const [theirs, ours] = [await maintained('mallory'), await maintained('olga')]
    const { bk_obj_asst_id: name } = await declare(server, 'host', 'host')
    const made = await associate(server, name, theirs, ours, as('mallory'))
    expect(made.result).toBe(true)
    expect(await end(made.data.id, 'stranger')).toMatchObject({ status: 403, bk_error_code: 9900403 })
    const explained = (user: string) =>
      server.call<{ allowed: boolean }>(
        'GET',
        `/topo/privilege/explain/0/${user}?operation=delete_instance_association&association_id=${made.data.id}`,
      )
    for (const user of ['stranger', 'olga', 'mallory']) {
      expect((await explained(user)).data.allowed, user).toBe(user !== 'stranger')
    }
    expect(await end(made.data.id, 'olga')).toMatchObject({ result: true })
    const again = await associate(server, name, theirs, ours, as('mallory'))
    expect(await end(again.data.id, 'mallory')).toMatchObject({ result: true })
    expect((await associate(server, name, ours, theirs, as('mallory'))).bk_error_code).toBe(9900403)
  })

  it('an instance is associated only with what the caller may search', async () => {
    const { bk_obj_asst_id: name } = await declare(server, 'bk_switch', 'bk_router')
    await may('blind', { bk_switch: ['update', 'search'] })
    await may('seeing', { bk_switch: ['update', 'search'], bk_router: ['search'] })
    const [source, target] = [await make('bk_switch'), await make('bk_router')]
    // The same whether it exists or not.
    for (const id of [target, 999_999]) {
      expect(await associate(server, name, source, id, as('blind'))).toMatchObject({
        bk_error_code: 9900403,
        bk_error_msg: expect.stringContaining('bk_router'),
      })
    }
    expect((await associate(server, name, source, target, as('seeing'))).result).toBe(true)
  })

  it('associations of objects that the caller may not search are not shown', async () => {
    const { bk_obj_asst_id: name } = await declare(server, 'bk_apache', 'host')
    await associate(server, name, await make('bk_apache'), await makeHost(server))
    const path = '/inst/association/action/search'
    const body = { condition: { bk_obj_asst_id: name } }
    expect((await server.call('POST', path, body, as('stranger'))).data).toEqual([])
    expect((await server.call('POST', path, body)).data).toHaveLength(1)
  })

  it('no search discloses what an instance is associated with, if the caller may not search that', async () => {
    const { bk_obj_asst_id: name } = await declare(server, 'bk_router', 'bk_load_balance')
    await may('aside', { bk_router: ['search', 'update', 'delete'] })
    const [source, target] = [await make('bk_router'), await make('bk_load_balance')]
    await associate(server, name, source, target)
    const ask = (path: string, body: unknown, user: string) =>
      server.call('POST', `/inst/association${path}`, body, as(user))
    const byName = (value: string) => ({
      condition: { bk_load_balance: [{ field: 'bk_inst_name', operator: '$regex', value }] },
    })
    const path = '/search/owner/0/object/bk_router'
    expect((await ask(path, byName('bk_load'), 'admin')).data).toMatchObject({ count: 1 })
    const answers = [await ask(path, byName('bk_load'), 'aside'), await ask(path, byName('other'), 'aside')]
    const told = answers.map(({ bk_error_code, data }) => ({ bk_error_code, data }))
    expect(told[0]).toEqual(told[1])
    const around = await ask(`/topo/search/owner/0/object/bk_router/inst/${source}`, {}, 'aside')
    const related = { condition: { bk_obj_id: 'bk_router', bk_inst_id: source } }
    expect((await ask('/related/action/search', related, 'aside')).data).toEqual([])
    expect(JSON.stringify(around.data)).not.toContain('bk_load_balance')
    const impact = await server.call('GET', `/impact/bk_router/${source}?direction=both`, undefined, as('aside'))
    expect(impact.data).toMatchObject({ count: 0 })
  })

  it('what a deletion takes with it, the caller may delete, too', async () => {
    const { bk_obj_asst_id: name } = await declare(server, 'bk_switch', 'bk_firewall', { on_delete: 'delete_dest' })
    await may('half', { bk_switch: ['update', 'search', 'delete'], bk_firewall: ['search'] })
    await may('whole', { bk_switch: ['update', 'search', 'delete'], bk_firewall: ['search', 'delete'] })
    const [source, target] = [await make('bk_switch'), await make('bk_firewall')]
    expect((await associate(server, name, source, target, as('half'))).result).toBe(true)
    for (const query of ['', '?dry_run=true']) {
      expect(await server.call('DELETE', `/inst/0/bk_switch/${source}${query}`, undefined, as('half'))).toMatchObject({
        bk_error_code: 9900403,
        bk_error_msg: expect.stringContaining('bk_firewall'),
      })
    }
    const left = await server.call('POST', '/inst/search/owner/0/object/bk_firewall', {
      condition: { bk_inst_id: target },
    })
    expect(left.data).toMatchObject({ count: 1 })
    expect(await server.call('DELETE', `/inst/0/bk_switch/${source}`, undefined, as('whole'))).toMatchObject({
      result: true,
    })
  })
})
