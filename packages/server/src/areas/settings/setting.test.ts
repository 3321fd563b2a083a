import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eachEngine, makeStore, startServer, type TestServer, type TestStore } from '../../testing/harness.ts'
import { stored } from '../../testing/inspect/rows.ts'

type Setting = Record<string, unknown>
const nothing = {
  id: '',
  host_query_column: [],
  host_display_column: [],
  biz_query_column: [],
  biz_display_column: [],
  bk_biz_id: 0,
}
let people = 0
/** A user without saved settings. */
const newcomer = () => `newcomer ${++people}`

eachEngine((engine) => {
  let store: TestStore
  let server: TestServer
  beforeAll(async () => {
    store = await makeStore(engine)
    server = await startServer(engine, { store })
  })
  afterAll(async () => {
    await server.close()
    store.remove()
  })

  const as = (user: string, account = '0') => ({ BK_User: user, HTTP_BK_SUPPLIER_ACCOUNT: account })
  const save = async (user: string, body: unknown, account?: string) => {
    const saved = await server.call('POST', '/usercustom', body, as(user, account))
    expect(saved).toMatchObject({ status: 200, result: true, bk_error_code: 0, data: null })
  }
  const saved = async (user: string, account?: string) =>
    (await server.call<Setting>('POST', '/usercustom/user/search', undefined, as(user, account))).data
  const byDefault = async (user = 'admin', account = '0') =>
    (await server.call<Setting>('POST', '/usercustom/default/search', undefined, as(user, account))).data

  it('a user without saved settings has four empty lists and no id', async () => {
    const user = newcomer()
    expect(await saved(user)).toEqual({ ...nothing, user, bk_user: user })
  })

  it('saved settings are found, with a stable id', async () => {
    const user = newcomer()
    await save(user, { host_query_column: ['bk_host_innerip'], bk_biz_id: 2 })
    const first = await saved(user)
    expect(first.id).toMatch(/^[0-9a-v]{20}$/)
    await save(user, { biz_display_column: ['bk_biz_name'] })
    expect(await saved(user)).toEqual({
      ...nothing,
      id: first.id,
      user,
      bk_user: user,
      host_query_column: ['bk_host_innerip'],
      biz_display_column: ['bk_biz_name'],
      bk_biz_id: 2,
    })
  })

  it('a key replaces the one of its name, and no other; null removes it', async () => {
    const user = newcomer()
    await save(user, { host_query_column: ['a', 'b'], theme: { dark: true, accent: 'red' }, recent: [1, null] })
    await save(user, { host_query_column: ['c'], theme: { dark: false } })
    expect(await saved(user)).toMatchObject({ host_query_column: ['c'], theme: { dark: false }, recent: [1, null] })
    await save(user, { host_query_column: null, theme: null, never_there: null })
    const left = await saved(user)
    expect(left).toEqual({ ...nothing, id: left.id, user, bk_user: user, recent: [1, null] })
  })

  it('a record as shown can be sent back: its own fields are ignored', async () => {
    const user = newcomer()
    await save(user, { host_query_column: ['a'] })
    const own = await saved(user)
    const before = await stored(server)
    await save(user, { ...own, id: 'mine', user: 'root', bk_user: 'root', is_default: 1 })
    expect(await saved(user)).toEqual(own)
    await save(user, { id: 'mine', user: 'root', bk_user: 'root', is_default: 1 })
    await save(user, {})
    await save(user, undefined)
    expect(await saved(user)).toEqual(own)
    expect((await stored(server)).records).toEqual(before.records)
  })

  it('an empty body stores nothing, also for a user without settings', async () => {
    const before = await stored(server)
    const user = newcomer()
    for (const body of [undefined, {}, { is_default: 1 }, { theme: null }]) await save(user, body)
    expect(await saved(user)).toMatchObject({ id: '' })
    expect(await stored(server)).toEqual(before)
  })

  it('settings are visible to their user in their account only', async () => {
    const [amy, ben] = [newcomer(), newcomer()]
    await save(amy, { theme: 'dark' })
    await save(ben, { theme: 'light' })
    await save(amy, { theme: 'far' }, 'far')
    expect([(await saved(amy)).theme, (await saved(ben)).theme, (await saved(amy, 'far')).theme]).toEqual([
      'dark',
      'light',
      'far',
    ])
    expect((await saved(amy)).id).not.toBe((await saved(amy, 'far')).id)
  })

  it('keys with a meaning in JavaScript are ordinary keys', async () => {
    const user = newcomer()
    const text = '{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}},"toString":1,"":[],"1":"one"}'
    await save(user, text)
    await save(user, '{"__proto__":{"admin":"still"},"hasOwnProperty":"x"}')
    const answer = await fetch(`${server.url}/api/v3/usercustom/user/search`, { method: 'POST', headers: as(user) })
    const found = JSON.parse(await answer.text()).data
    expect(Object.getOwnPropertyDescriptor(found, '__proto__')?.value).toEqual({ admin: 'still' })
    expect(found).toMatchObject({
      constructor: { prototype: { admin: true } },
      toString: 1,
      '': [],
      hasOwnProperty: 'x',
    })
    expect({}).not.toHaveProperty('admin')
    await save(user, '{"__proto__":null,"constructor":null}')
    expect(Object.keys(await saved(user))).not.toContain('__proto__')
  })

  it('any JSON is stored under a key unchanged', async () => {
    const user = newcomer()
    const anything = fc.jsonValue({ maxDepth: 4 }).filter((value) => value !== null)
    const given = fc.dictionary(
      fc.string({ unit: 'grapheme' }).map((key) => `x${key}`),
      anything,
      { maxKeys: 5 },
    )
    await fc.assert(
      fc.asyncProperty(given, async (body) => {
        await save(user, body)
        // As in JSON, which has no -0.
        expect(await saved(user)).toMatchObject(JSON.parse(JSON.stringify(body)))
      }),
      { numRuns: 20 },
    )
  })

  it('a record may have 64 KiB, and removed keys make room', async () => {
    const user = newcomer()
    const filling = (bytes: number) => 'é'.repeat((bytes - '{"a":""}'.length) / 2)
    await save(user, { a: filling(65_536) })
    const refused = await server.call('POST', '/usercustom', { b: 1 }, as(user))
    expect(refused).toMatchObject({ status: 400, bk_error_code: 1199015 })
    expect(refused.bk_error_msg).toContain('at most 65536 bytes, got 65542')
    await save(user, { a: null, b: 1 })
    expect(await saved(user)).toMatchObject({ b: 1 })
  })

  it('concurrent requests that save different keys lose nothing', async () => {
    const user = newcomer()
    const keys = Array.from({ length: 40 }, (_, index) => `key ${index}`)
    await Promise.all(keys.map((key, index) => save(user, { [key]: index, shared: index })))
    const all = await saved(user)
    expect(all).toMatchObject(Object.fromEntries(keys.map((key, index) => [key, index])))
    expect(keys).toContain(`key ${all.shared}`)
    await Promise.all(keys.map((key) => save(user, { [key]: null })))
    expect(Object.keys(await saved(user)).filter((key) => key.startsWith('key'))).toEqual([])
  })

  it('the default settings exist from the start, one per account, and are the same for every user', async () => {
    const first = await byDefault()
    expect(first).toMatchObject({ is_default: 1, id: expect.stringMatching(/^[0-9a-v]{20}$/), bk_biz_id: 0 })
    await save('admin', { host_display_column: ['bk_host_innerip'] })
    expect(await byDefault('amy')).toEqual(first)
    expect((await byDefault('amy', 'far')).id).not.toBe(first.id)
    await server.close()
    server = await startServer(engine, { store })
    expect(await byDefault()).toEqual(first)
  })

  it('name existing columns of hosts and businesses', async () => {
    const setting = await byDefault()
    const known = async (bk_obj_id: string) => {
      const { data } = await server.call<{ bk_property_id: string }[]>('POST', '/object/attr/search', { bk_obj_id })
      return data.map((attribute) => attribute.bk_property_id)
    }
    for (const [object, ...columns] of [
      ['host', 'host_query_column', 'host_display_column'],
      ['biz', 'biz_query_column', 'biz_display_column'],
    ] as const) {
      const attributes = await known(object)
      for (const column of columns) {
        expect(setting[column]).not.toEqual([])
        expect(attributes).toEqual(expect.arrayContaining(setting[column] as string[]))
      }
    }
  })
})
