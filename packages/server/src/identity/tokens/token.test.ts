import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AuditRow, makeBusiness, setBody } from '../../testing/data/factories.ts'
import { bearing, callWith, idOf, makeToken, startPair } from '../../testing/data/identities.ts'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'
import { stored } from '../../testing/inspect/rows.ts'
import { send } from '../../testing/raw.ts'

type Found = { count: number; info: Record<string, unknown>[] }

eachEngine((engine) => {
  let server: TestServer
  let other: TestServer
  let admin: string
  beforeAll(async () => {
    ;[server, other] = await startPair(engine, ['--auth=token'])
    admin = await makeToken(server)
  })
  afterAll(async () => {
    await server.close()
    if (other !== server) await other.close()
    server.store.remove()
  })
  const search = (authorization: string, at = server) =>
    at.call<Found>('POST', '/biz/search/0', {}, authorization === '' ? {} : { authorization })
  const refused = { status: 401, result: false, bk_error_code: 1199027, data: null }

  it('serves callers with a token as the user of the token', async () => {
    const amy = callWith(server, await makeToken(server, { user: 'amy' }))
    const business = await amy('POST', '/biz/0', { bk_biz_name: 'Amy’s' })
    expect(business).toMatchObject({ status: 403, bk_error_code: 9900403 })
    const made = await callWith(server, admin)('POST', '/biz/0', { bk_biz_name: 'Ours', bk_biz_maintainer: 'amy' })
    expect(made.data.creator).toBe('admin')
    const id = made.data.bk_biz_id as number
    const set = await amy('POST', `/set/${id}`, setBody(id), { BK_User: 'admin', cc_request_id: 'r-1' })
    expect(set.data.creator).toBe('amy')
    expect(set.headers.get('cc_request_id')).toBe('r-1')
  })

  it('refuses callers with no token or an invalid one, always with the same message', async () => {
    const [, id, secret] = /^ml_(\d+)_(.+)$/.exec(admin) as unknown as [string, string, string]
    const wrong = [
      '',
      'Bearer',
      `Basic ${Buffer.from('admin:admin').toString('base64')}`,
      `Bearer ${admin}x`,
      `Bearer ml_${id}_${'A'.repeat(43)}`,
      `Bearer ml_${Number(id) + 10_000}_${secret}`,
      `Bearer ml_${'9'.repeat(40)}_${secret}`,
      `Bearer ml_${id}_${secret}; DROP TABLE token`,
      `Bearer ${'x'.repeat(8_000)}`,
      'Bearer \u00ff',
    ]
    const said = new Set<string | null>()
    for (const authorization of wrong) {
      const answer = await search(authorization)
      expect(answer, authorization).toMatchObject(refused)
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="mainline"')
      said.add(answer.bk_error_msg)
    }
    expect([...said]).toEqual([
      "'token' authorization information query failed: send a valid 'Authorization: Bearer <token>' header",
    ])
    expect(await send(server.url, { path: '/api/v3/biz/search/0', headers: { BK_User: 'admin' } })).toMatchObject(
      refused,
    )
  })

  it('serves valid tokens while others at the same address send invalid ones, which alone are throttled', async () => {
    const bad = () => search(`Bearer ml_1_${'A'.repeat(43)}`)
    for (let tries = 0; tries < 30; tries++) await bad()
    // A failure is forgotten after a while, so that slow ones are throttled later.
    await expect.poll(bad, { interval: 0 }).toMatchObject({ status: 429, bk_error_code: 1199429, data: null })
    // Also one that has never been used before, as after a restart.
    const fresh = await makeToken(server, { user: 'fresh' })
    for (let tries = 0; tries < 40; tries++) {
      void bad()
      expect(await search(`Bearer ${tries % 2 ? admin : fresh}`)).toMatchObject({ status: 200 })
    }
  })

  it('answers unidentified callers in the requested language', async () => {
    const answer = await server.call('POST', '/biz/search/0', {}, { HTTP_BLUEKING_LANGUAGE: 'zh-cn' })
    expect(answer.bk_error_msg).toContain('身份校验失败')
  })

  it('refuses a revoked token on the next request, in every process', async () => {
    const text = await makeToken(server)
    for (const at of [server, other, server, other]) expect((await search(`Bearer ${text}`, at)).status).toBe(200)
    await server.service.tokens.revoke('root', idOf(text))
    for (const at of [other, server]) expect(await search(`Bearer ${text}`, at)).toMatchObject(refused)
    await expect(server.service.tokens.revoke('root', idOf(text))).rejects.toThrow('has been revoked before')
    await expect(server.service.tokens.revoke('root', 999_999)).rejects.toThrow('There is no token 999999')
  })

  it('refuses an expired token', async () => {
    const text = await makeToken(server, { lifetimeMs: 400 })
    const made = Date.now()
    expect((await search(`Bearer ${text}`)).status).toBe(200)
    await expect.poll(async () => (await search(`Bearer ${text}`)).status, { interval: 50 }).toBe(401)
    expect(Date.now() - made).toBeGreaterThanOrEqual(350)
  })

  it('keeps a token within its account, whether path, body or header names another', async () => {
    const far = callWith(server, await makeToken(server, { account: 'far' }))
    const theirs = (await far<{ bk_biz_id: number }>('POST', '/biz/far', { bk_biz_name: 'Theirs' })).data.bk_biz_id
    const before = await stored(server)
    const denied = { status: 403, bk_error_code: 9900403, data: null }
    expect(await far('POST', '/biz/search/0', {})).toMatchObject(denied)
    expect(await far('POST', `/set/${theirs}`, setBody(theirs))).toMatchObject(denied)
    expect(await far('POST', '/audit/search', {}, { HTTP_BK_SUPPLIER_ACCOUNT: '0' })).toMatchObject(denied)
    expect(await far('POST', '/biz/search/far', {}, { HTTP_BLUEKING_SUPPLIER_ID: '0' })).toMatchObject(denied)
    expect((await far('POST', '/biz/search/0', {})).bk_error_msg).toContain("belongs to supplier account 'far'")
    expect(await stored(server)).toEqual(before)
    expect((await far<Found>('POST', '/audit/search', {})).data.count).toBe(2)
    expect((await far('POST', '/biz/search/far', {}, { HTTP_BLUEKING_SUPPLIER_ID: 'far' })).status).toBe(200)
  })

  it('a read-only token can read and search, but change nothing', async () => {
    const business = await makeBusiness({ ...server, call: callWith(server, admin) })
    const reading = callWith(server, await makeToken(server, { readOnly: true }))
    const before = await stored(server)
    expect((await reading('POST', '/biz/search/0', {})).status).toBe(200)
    expect((await reading('GET', `/topo/inst/0/${business}`)).status).toBe(200)
    expect((await reading('POST', '/audit/search', {})).status).toBe(200)
    expect((await reading('POST', '/userapi/find/0', {})).status).toBe(200)
    const changes: [string, string, unknown][] = [
      ['POST', '/biz/0', { bk_biz_name: 'new' }],
      ['PUT', `/biz/0/${business}`, { bk_biz_name: 'other' }],
      ['DELETE', `/biz/0/${business}`, undefined],
      ['DELETE', `/set/${business}/1?dry_run=true`, undefined],
    ]
    for (const [method, path, body] of changes) {
      const answer = await reading(method, path, body)
      expect(answer).toMatchObject({ status: 403, bk_error_code: 9900403 })
    }
    expect((await reading('POST', '/biz/0', {})).bk_error_msg).toContain('the token is read-only')
    expect(await stored(server)).toEqual(before)
  })

  it('stores no secret, and audits the creation and revocation of tokens', async () => {
    const text = await makeToken(server, { user: 'ci', name: 'CI', readOnly: true })
    await server.service.tokens.revoke('root', idOf(text))
    const secret = text.split('_').slice(2).join('_')
    const rows = await server.service.storage.read.selectFrom('token').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(secret)
    expect(JSON.stringify(await server.service.tokens.list())).not.toContain('secret')
    const condition = { op_target: 'privilege', inst_id: idOf(text) }
    const audit = await callWith(server, admin)<{ info: AuditRow[] }>('POST', '/audit/search', {
      condition,
      sort: 'op_time',
    })
    expect(JSON.stringify(audit.data)).not.toContain(secret)
    const told = { token_id: idOf(text), token_name: 'CI', user_name: 'ci', read_only: true }
    expect(audit.data.info).toMatchObject([
      { op_type: 1, op_desc: 'create token', operator: 'test', content: { pre_data: null, cur_data: told } },
      { op_type: 3, op_desc: 'revoke token', operator: 'root', content: { pre_data: told, cur_data: null } },
    ])
  })

  it('stores when a token was last used, without delaying the request', async () => {
    const fresh = await startServer(engine, { flags: ['--auth=token'] })
    const text = await makeToken(fresh)
    const lastUsed = async () => (await fresh.service.tokens.list())[0]?.last_used
    expect(await lastUsed()).toBeNull()
    const before = await stored(fresh)
    await fresh.call('POST', '/biz/search/0', {}, bearing(text))
    await expect.poll(lastUsed).toBeGreaterThan(Date.now() - 60_000)
    const written = await lastUsed()
    await fresh.call('POST', '/biz/search/0', {}, bearing(text))
    expect(await lastUsed()).toBe(written)
    expect(await stored(fresh)).toEqual(before)
    await fresh.close()
  })
})

describe('a token is not created', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer('sqlite', { flags: ['--auth=token'] })
  })
  afterAll(() => server.close())
  it.each([
    [{ user: '' }, '--user must be a name'],
    [{ user: 'a\nb' }, '--user must be a name'],
    [{ user: 'x'.repeat(129) }, '--user must be a name'],
    [{ account: '' }, '--account must be'],
    [{ account: 'x'.repeat(65) }, '--account must be at most 64'],
    [{ name: 'two\nlines' }, '--name must be'],
    [{ lifetimeMs: 0 }, '--expires must be'],
    [{ lifetimeMs: Number.NaN }, '--expires must be'],
    [{ lifetimeMs: Number.POSITIVE_INFINITY }, '--expires must be'],
  ])('for %j', async (asked, sentence) => {
    await expect(makeToken(server, asked)).rejects.toThrow(sentence)
    expect(await server.service.tokens.list()).toEqual([])
  })
})
