import { afterAll, beforeAll, expect, it } from 'vitest'
import { eachEngine, makeStore, startServer, type TestServer } from '../../testing/harness.ts'
import { stored } from '../../testing/inspect/rows.ts'
import { startCuttingProxy } from '../../testing/servers/proxy.ts'

interface Favourite {
  id: string
  name: string
  info: string
  query_params: string
  is_default: number
  count: number
  user: string
  create_time: string
  last_time: string
}
const time = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}\+00:00$/)
let people = 0

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
  })
  afterAll(() => server.close())

  /** A user with favourites of these names. */
  const someone = async (...names: string[]) => {
    const headers = { BK_User: `someone ${++people}` }
    const call = <Data = Favourite>(method: string, path: string, body?: unknown, more = {}) =>
      server.call<Data>(method, `/hosts/favorites${path}`, body, { ...headers, ...more })
    const search = async (body: unknown = {}, more = {}) => {
      const { data } = await call<{ count: number; info: Favourite[] }>('POST', '/search', body, more)
      return { count: data.count, names: data.info.map(({ name }) => name), info: data.info }
    }
    const made: Favourite[] = []
    for (const name of names) made.push((await call('POST', '', { name })).data)
    return { user: headers.BK_User, call, search, made }
  }

  it('a search is stored as sent, and the answer is the whole record', async () => {
    const { user, call, search } = await someone()
    const sent = { name: 'Linux 主机', info: '{"exact_search":true}', query_params: '[{"a": "\'; --"}]', is_default: 1 }
    const made = await call('POST', '', { ...sent, id: 'mine', count: 9, user: 'root', create_time: 'never' })
    const record = { ...sent, id: expect.stringMatching(/^[0-9a-v]{20}$/), count: 1, user, create_time: time }
    expect(made).toMatchObject({ status: 200, data: { ...record, last_time: made.data.create_time } })
    expect(await search()).toMatchObject({ count: 1, info: [made.data] })
  })

  it('all fields except the name may be omitted or null', async () => {
    const { call } = await someone()
    const bare = { info: '', query_params: '', is_default: 2 }
    expect((await call('POST', '', { name: 'bare' })).data).toMatchObject(bare)
    const nulls = { name: 'nulls', info: null, query_params: null, is_default: null }
    expect((await call('POST', '', nulls)).data).toMatchObject(bare)
  })

  it('an update changes the sent fields; null counts as not sent', async () => {
    const { call, search } = await someone()
    const { data } = await call('POST', '', { name: 'old', info: 'i', query_params: 'q', is_default: 1 })
    expect(await call('PUT', `/${data.id}`, { name: 'new', count: 9 })).toMatchObject({ data: 'success' })
    const [renamed] = (await search()).info
    expect(renamed).toEqual({ ...data, name: 'new', last_time: time })
    await call('PUT', `/${data.id}`, { name: null, info: null, query_params: '', is_default: null })
    expect((await search()).info).toEqual([{ ...renamed, query_params: '', last_time: time }])
  })

  it('an update without a difference changes nothing', async () => {
    const { call, made } = await someone('same')
    const before = await stored(server)
    for (const body of [{}, undefined, made[0], { name: 'same', colour: 'red' }]) {
      expect(await call('PUT', `/${made[0]?.id}`, body)).toMatchObject({ data: 'success' })
    }
    expect(await stored(server)).toEqual(before)
  })

  it('uses are counted, also of concurrent requests', async () => {
    const { call, search, made } = await someone('used')
    const uses = Array.from({ length: 20 }, () => call<{ id: string; count: number }>('PUT', `/${made[0]?.id}/incr`))
    const counts = (await Promise.all(uses)).map(({ data }) => data.count)
    expect(counts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 2))
    expect((await search()).info).toEqual([{ ...made[0], count: 21 }])
  })

  it('a deleted one is unknown, its name is free, and deleting it again fails', async () => {
    const { call, search, made } = await someone('gone', 'stays')
    expect(await call('DELETE', `/${made[0]?.id}`)).toMatchObject({ data: 'success' })
    expect(await call('DELETE', `/${made[0]?.id}`)).toMatchObject({ status: 404, bk_error_code: 1199019 })
    expect((await search()).names).toEqual(['stays'])
    expect(await call('POST', '', { name: 'gone' })).toMatchObject({ result: true })
  })

  it('a name is unique for each user, also in concurrent requests', async () => {
    const [amy, ben] = [await someone(), await someone('wanted')]
    const answers = await Promise.all(Array.from({ length: 10 }, () => amy.call('POST', '', { name: 'wanted' })))
    expect(answers.filter(({ result }) => result)).toHaveLength(1)
    expect(answers.filter(({ bk_error_code }) => bk_error_code === 1199014)).toHaveLength(9)
    expect((await ben.search()).names).toEqual(['wanted'])
  })

  it('a user may have at most 200, also with concurrent requests', async () => {
    const { user, call, search } = await someone('one')
    const [row] = (await stored(server)).favourites.filter(({ owner }) => owner === user)
    const rest = Array.from({ length: 197 }, (_, index) => ({ favourite_id: `${user} ${index}`, name: `${index}` }))
    await server.service.storage.change({ user, account: '0', requestId: '' }, async (tx) => {
      const { id: _, ...same } = row as NonNullable<typeof row>
      await tx
        .insertInto('favourite')
        .values(rest.map((own) => ({ ...same, ...own })))
        .execute()
    })
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => call('POST', '', { name: `late ${index}` })),
    )
    expect(answers.filter(({ result }) => result)).toHaveLength(2)
    const refused = answers.find(({ result }) => !result)
    expect(refused).toMatchObject({
      status: 400,
      bk_error_code: 1199035,
      bk_error_msg: 'favorites exceed the limit 200',
    })
    expect(await search({ limit: 1 })).toMatchObject({ count: 200 })
  })

  it('they are found by condition, sorted and in pages; by default in order of creation', async () => {
    const { call, search, made } = await someone('b', 'a', 'c', 'A')
    await call('PUT', `/${made[2]?.id}/incr`)
    expect((await search()).names).toEqual(['b', 'a', 'c', 'A'])
    expect((await search({ sort: 'name' })).names).toEqual(['A', 'a', 'b', 'c'])
    expect((await search({ sort: '-count,-name' })).names).toEqual(['c', 'b', 'a', 'A'])
    expect(await search({ start: 1, limit: 2 })).toMatchObject({ count: 4, names: ['a', 'c'] })
    expect(await search({ start: 9 })).toMatchObject({ count: 4, names: [] })
    expect((await search({ condition: { name: 'a' } })).names).toEqual(['a'])
    expect((await search({ condition: { count: { $gt: 1 } } })).names).toEqual(['c'])
    expect((await search({ condition: { id: { $in: [made[0]?.id, made[3]?.id] } } })).names).toEqual(['b', 'A'])
    expect((await search({ condition: { create_time: { $lt: '2020-01-01 00:00:00' } } })).names).toEqual([])
    const pattern = { $or: [{ name: { $regex: '^[ab]$' } }, { count: 2 }] }
    expect(await search({ condition: pattern, start: 1, limit: 1 })).toMatchObject({ count: 3, names: ['a'] })
    expect((await search({ condition: null })).count).toBe(4)
  })

  it('they are visible to their user in their account only', async () => {
    const [amy, ben] = [await someone('mine'), await someone('his')]
    expect((await ben.search({ condition: { user: amy.user } })).count).toBe(0)
    expect((await amy.search({}, { HTTP_BK_SUPPLIER_ACCOUNT: 'far' })).count).toBe(0)
    expect(await amy.call('POST', '', { name: 'mine' }, { HTTP_BK_SUPPLIER_ACCOUNT: 'far' })).toMatchObject({
      result: true,
    })
  })
})

it('a favourite whose commit was interrupted exists once and is counted once, or the outcome is reported as unknown', async () => {
  const store = await makeStore('postgres')
  const proxy = await startCuttingProxy(store.databaseUrl)
  const server = await startServer('postgres', { store, flags: [`--database-url=${proxy.url}`] })
  for (const how of ['after it was answered', 'before it arrives'] as const) {
    proxy.cutCommitOf(how, how)
    expect(await server.call('POST', '/hosts/favorites', { name: how })).toMatchObject({ data: { name: how } })
    proxy.cutCommitOf(how, how)
    expect(await server.call('POST', '/hosts/history', { content: how })).toMatchObject({ data: { content: how } })
  }
  expect(proxy.cuts).toBe(4)
  const { favourites, searches } = await stored(server)
  expect([favourites.length, searches.length]).toEqual([2, 2])

  // Counting and deleting leave no row that identifies a repetition.
  const unknown = { status: 503, bk_error_code: 1199504 }
  const { favourite_id: id } = favourites[0] as { favourite_id: string }
  const uses = async () => (await stored(server)).favourites.find((row) => row.favourite_id === id)?.uses
  proxy.cutCommitOf(id, 'after it was answered')
  expect(await server.call('PUT', `/hosts/favorites/${id}/incr`)).toMatchObject(unknown)
  expect(await uses()).toBe(2)
  proxy.cutCommitOf(id, 'before it arrives')
  expect(await server.call('DELETE', `/hosts/favorites/${id}`)).toMatchObject(unknown)
  expect(await uses()).toBe(2)
  proxy.cutCommitOf(id, 'after it was answered')
  expect(await server.call('DELETE', `/hosts/favorites/${id}`)).toMatchObject(unknown)
  expect(await uses()).toBeUndefined()
  await server.close()
  proxy.close()
  store.remove()
})
