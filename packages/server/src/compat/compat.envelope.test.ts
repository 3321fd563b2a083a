import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findSets } from '../testing/data/factories.ts'
import { callWith, makeToken } from '../testing/data/identities.ts'
import { type Both, failure, startBoth } from '../testing/dialects.ts'
import { makeStore, startServer, type TestServer } from '../testing/harness.ts'
import { exchange } from '../testing/raw.ts'

const english = { HTTP_BLUEKING_LANGUAGE: 'en' }

describe('an answer', () => {
  let both: Both
  let business: number
  beforeAll(async () => {
    both = await startBoth('sqlite')
    business = both.business
  })
  afterAll(() => both.close())

  it.each([
    [404, 'GET', '/no/such/path', undefined],
    [405, 'DELETE', '/audit/search', undefined],
    [400, 'POST', '/audit/search', '{'],
    [404, 'GET', '/topo/inst/0/999', undefined],
    [409, 'DELETE', '/topo/model/mainline/owners/0/objectids/set', undefined],
    [413, 'POST', '/audit/search', { condition: { ext_key: 'x'.repeat(9_000_000) } }],
  ])('that is a failure has the status %i, or 200: %s %s', async (status, method, path, body) => {
    const [plain, always] = await both.ask<null>(method, path, body)
    expect(plain).toMatchObject({ status, result: false })
    expect(always).toMatchObject({ status: 200, result: false, bk_error_code: plain.bk_error_code })
  })

  it('to bytes that are not a request has the status 400, or 200', async () => {
    expect(await exchange(both.strict.url, 'nonsense\r\n\r\n')).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/)
    expect(await exchange(both.original.url, 'nonsense\r\n\r\n')).toMatch(/^HTTP\/1.1 200 OK\r\n.*1199400/s)
  })

  it('to an unidentified or unprivileged caller has the status 401 or 403, or 200', async () => {
    for (const [flags, unknown, denied] of [
      [[], 401, 403],
      [['--compat', 'bk-cmdb'], 200, 200],
    ] as const) {
      const server = await startServer('sqlite', { flags: ['--auth', 'token', ...flags] })
      const anonymous = await server.call('GET', '/topo/model/0')
      expect(anonymous).toMatchObject({ ...failure(1199027), status: unknown })
      expect(anonymous.headers.get('www-authenticate')).toMatch(/^Bearer/)
      const reader = callWith(server, await makeToken(server, { user: 'bob' }))
      expect(await reader('POST', '/biz/0', {})).toMatchObject({ ...failure(9900403), status: denied })
      await server.close()
    }
  })

  it('of a success has an empty message, or "success", also if it is cached', async () => {
    const { strict, original } = both.queries
    const ways: [TestServer, query: string, said: string][] = [
      [both.strict, strict, ''],
      [both.original, original, 'success'],
    ]
    for (const [server, query, said] of ways) {
      const kept = [`/topo/inst/0/${business}`, `/topo/inst/0/${business}`, `/userapi/data/${business}/${query}/0/10`]
      for (const path of [...kept, '/topo/model/0', `/userapi/detail/${business}/${query}`]) {
        expect(await server.call('GET', path)).toMatchObject({ result: true, bk_error_msg: said })
      }
      for (const _ of ['written', 'kept']) {
        expect(await findSets(server, business)).toMatchObject({ bk_error_msg: said, data: { count: 4 } })
      }
    }
  })

  it('is in English, or in Chinese, if no language is requested', async () => {
    for (const language of [undefined, 'fr']) {
      const headers: Record<string, string> = language ? { HTTP_BLUEKING_LANGUAGE: language } : {}
      const path = `/topo/internal/0/${business}`
      expect((await both.strict.call('GET', path, undefined, headers)).data.bk_set_name).toBe('idle pool')
      expect((await both.original.call('GET', path, undefined, headers)).data.bk_set_name).toBe('空闲机池')
    }
    const asked = await both.original.call('GET', `/topo/internal/0/${business}`, undefined, english)
    expect(asked.data.bk_set_name).toBe('idle pool')
    expect((await both.original.call('GET', '/topo/inst/0/999')).bk_error_msg).toMatch('没有找到相关数据')
  })

  it('has another ETag in the other dialect', async () => {
    const store = await makeStore('sqlite')
    const tags: string[] = []
    for (const [compat, said] of [
      ['document', ''],
      ['bk-cmdb', 'success'],
    ]) {
      const server = await startServer('sqlite', { store, flags: [`--compat=${compat}`] })
      const tree = (tag: string) =>
        fetch(`${server.url}/api/v3/topo/inst/0/1`, { headers: { 'if-none-match': tag, ...english } })
      const answer = await tree(tags.join())
      expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ bk_error_msg: said })])
      tags.push(answer.headers.get('etag') ?? '')
      expect((await tree(tags.at(-1) ?? '')).status).toBe(304)
      await server.close()
    }
    store.remove()
  })
})
