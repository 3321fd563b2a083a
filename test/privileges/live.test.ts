import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeBusiness, setBody } from '../../packages/server/src/testing/data/factories.ts'
import {
  type Answer,
  eachEngine,
  makeStore,
  startServer,
  type TestServer,
} from '../../packages/server/src/testing/harness.ts'

/** A privilege, how it is granted and revoked, and a request that requires it. */
interface Right {
  readonly name: string
  give(server: TestServer): Promise<unknown>
  take(server: TestServer): Promise<unknown>
  use(server: TestServer): Promise<Answer>
}

let business: number
const bob = { BK_User: 'bob' }
const role = (server: TestServer, attributes: Record<string, string>) =>
  server.call('PUT', `/biz/0/${business}`, attributes)
const bind = (server: TestServer, privileges: string[]) =>
  server.call('POST', '/topo/privilege/0/biz/bk_biz_tester', privileges)
const groupOf = async (server: TestServer) =>
  (await server.call<[{ group_id: string }]>('POST', '/topo/privilege/group/0/search', { group_name: 'live' })).data[0]
const members = async (server: TestServer, user_list: string) =>
  server.call('PUT', `/topo/privilege/group/0/${(await groupOf(server)).group_id}`, { user_list })
const give = async (server: TestServer, back_config: string[]) =>
  server.call('POST', `/topo/privilege/group/detail/0/${(await groupOf(server)).group_id}`, { back_config })
const createSet = (server: TestServer) => server.call('POST', `/set/${business}`, setBody(business), bob)
const createModel = (server: TestServer) => server.call('POST', '/object/classification', {}, bob)

const rights: Right[] = [
  {
    name: 'being named in a role',
    give: (server) => role(server, { bk_biz_maintainer: 'amy,bob' }),
    take: (server) => role(server, { bk_biz_maintainer: 'amy' }),
    use: createSet,
  },
  {
    name: 'what is bound to a role',
    give: async (server) => [await role(server, { bk_biz_tester: 'bob' }), await bind(server, ['topoupdate'])],
    take: (server) => bind(server, ['hosttrans']),
    use: createSet,
  },
  {
    name: 'being a member of a group',
    give: async (server) => [await give(server, ['model']), await members(server, 'amy;bob')],
    take: (server) => members(server, 'amy'),
    use: createModel,
  },
  {
    name: 'what a group gives',
    give: async (server) => [await members(server, 'bob'), await give(server, ['event', 'model'])],
    take: (server) => give(server, ['event']),
    use: createModel,
  },
]
const isRefused = ({ bk_error_code }: Answer) => bk_error_code === 9900403

async function prepare(server: TestServer): Promise<void> {
  business = await makeBusiness(server)
  await server.call('POST', '/topo/privilege/group/0', { group_name: 'live', user_list: 'amy' })
}

eachEngine((engine) => {
  describe('a privilege', () => {
    let server: TestServer
    beforeAll(async () => {
      server = await startServer(engine)
      await prepare(server)
    })
    afterAll(() => server.close())

    it.each(rights)('through $name takes effect with the next request, and so does its revocation', async (right) => {
      expect(isRefused(await right.use(server))).toBe(true)
      for (let times = 0; times < 3; times++) {
        await right.give(server)
        expect(isRefused(await right.use(server))).toBe(false)
        await right.take(server)
        expect(isRefused(await right.use(server))).toBe(true)
      }
    })

    it('ends with the group, and with the business', async () => {
      await role(server, { bk_biz_maintainer: 'bob' })
      expect(isRefused(await createSet(server))).toBe(false)
      await server.call('PUT', `/biz/status/disabled/0/${business}`)
      expect(isRefused(await createSet(server))).toBe(true)
      await server.call('PUT', `/biz/status/enable/0/${business}`)
      await members(server, 'bob')
      await give(server, ['model'])
      expect(isRefused(await createModel(server))).toBe(false)
      await server.call('DELETE', `/topo/privilege/group/0/${(await groupOf(server)).group_id}`)
      expect(isRefused(await createModel(server))).toBe(true)
    })
  })
})

describe('two processes on one PostgreSQL', () => {
  let one: TestServer
  let other: TestServer
  beforeAll(async () => {
    const store = await makeStore('postgres')
    one = await startServer('postgres', { store })
    other = await startServer('postgres', { store })
    await prepare(one)
  })
  afterAll(async () => {
    await Promise.all([one.close(), other.close()])
    one.store.remove()
  })

  it.each(rights)('agree immediately on $name', async (right) => {
    expect(isRefused(await right.use(other))).toBe(true)
    for (const [giver, user] of [
      [one, other],
      [other, one],
    ] as const) {
      await right.give(giver)
      expect(isRefused(await right.use(user))).toBe(false)
      await right.take(giver)
      expect(isRefused(await right.use(user))).toBe(true)
    }
  })
})

eachEngine((engine) => {
  it('a role that is created again names no user, whatever values were stored under its name', async () => {
    const server = await startServer(engine)
    await prepare(server)
    await role(server, { bk_biz_developer: 'bob' })
    await server.call('POST', '/topo/privilege/0/biz/bk_biz_developer', ['topoupdate'])
    await members(server, 'bob')
    await give(server, ['model'])
    const attribute = async (bk_property_type: string) => {
      const body = { bk_obj_id: 'biz', bk_property_id: 'oncall', bk_property_name: 'On call', bk_property_type }
      return (await server.call<{ id: number }>('POST', '/object/attr', body, bob)).data.id
    }
    const every = ['hostupdate', 'hosttrans', 'topoupdate', 'customapi', 'proconfig']
    await server.call('POST', '/topo/privilege/0/biz/oncall', every)
    const text = await attribute('singlechar')
    expect(await server.call('PUT', `/biz/0/${business}`, { oncall: 'bob' }, bob)).toMatchObject({ result: true })
    expect(await server.call('DELETE', `/object/attr/${text}`, undefined, bob)).toMatchObject({ result: true })
    await attribute('objuser')
    const query = { bk_biz_id: business, name: 'mine', info: '{"condition":[]}' }
    expect(isRefused(await server.call('POST', '/userapi', query, bob))).toBe(true)
    await role(server, { oncall: 'bob' })
    expect(isRefused(await server.call('POST', '/userapi', query, bob))).toBe(false)
    await server.close()
  })

  it('no user has a role in the resource pool until one is assigned', async () => {
    const server = await startServer(engine)
    const asSystem = { BK_User: 'system' }
    expect(isRefused(await server.call('PUT', '/biz/0/1', { time_zone: 'UTC' }, asSystem))).toBe(true)
    await server.close()
  })
})
