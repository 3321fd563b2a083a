import { generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CookieJar } from '../../testing/clients/jar.ts'
import { bearing } from '../../testing/data/identities.ts'
import { eachEngine, makeStore, startServer, type TestServer, type TestStore } from '../../testing/harness.ts'
import { exchange } from '../../testing/raw.ts'
import { freePort } from '../../testing/servers/postgres.ts'
import { client, startProvider, type TestProvider } from '../../testing/servers/provider.ts'

interface Session {
  user: string | null
  bk_supplier_account: string | null
  sign_in: { way: string; url: string }
}

/** A server that trusts a provider, with a registered redirect address. */
async function startBoth(flags: string[] = []) {
  const url = `http://127.0.0.1:${await freePort()}`
  const provider = await startProvider(`${url}/login/callback`)
  const all = [
    '--auth=oidc',
    `--oidc-issuer=${provider.issuer}`,
    `--oidc-audience=${client.audience}`,
    `--oidc-client-id=${client.id}`,
    `--oidc-client-secret=${client.secret}`,
    `--url=${url}`,
    ...flags,
  ]
  return { url, provider, flags: all }
}

const refused = { status: 401, result: false, bk_error_code: 1199027, data: null }

describe('a token of the provider', () => {
  let server: TestServer
  let provider: TestProvider
  beforeAll(async () => {
    const both = await startBoth(['--admins=admin,service-7'])
    provider = both.provider
    server = await startServer('sqlite', { flags: both.flags })
  })
  afterAll(async () => {
    await server.close()
    await provider.close()
  })
  const whoami = async (jwt: string) =>
    (await server.call<Session>('GET', '/session', undefined, bearing(jwt))).data.user
  const search = (jwt: string) => server.call('POST', '/biz/search/0', {}, { ...bearing(jwt), BK_User: 'admin' })

  it('identifies the caller by preferred_username, else by sub', async () => {
    expect(await whoami(await provider.sign())).toBe('service-7')
    expect(await whoami(await provider.sign({ preferred_username: 'amy' }))).toBe('amy')
    const made = await server.call('POST', '/biz/0', { bk_biz_name: 'Ours' }, bearing(await provider.sign()))
    expect(made.data.creator).toBe('service-7')
  })

  it('tolerates a small clock skew', async () => {
    expect((await search(await provider.sign({}, { expires: '-10s' }))).status).toBe(200)
    expect((await search(await provider.sign({ nbf: Math.floor(Date.now() / 1000) + 10 }))).status).toBe(200)
  })

  it('is refused unless the provider signed it for this audience, without revealing the reason', async () => {
    const other = await generateKeyPair('RS256')
    const keys = (await (await fetch(`${provider.issuer}/jwks`)).json()) as { keys: { n: string; kid: string }[] }
    const [published] = keys.keys as [{ n: string; kid: string }]
    const claims: JWTPayload = { sub: 'admin', aud: client.audience, iss: provider.issuer }
    const whole = await provider.sign({ preferred_username: 'admin' })
    const [head, , signature] = whole.split('.') as [string, string, string]
    const forged = Buffer.from(JSON.stringify({ ...claims, exp: 9_999_999_999 })).toString('base64url')
    const bad: Record<string, string> = {
      expired: await provider.sign({}, { expires: '-5m' }),
      'not yet in force': await provider.sign({ nbf: Math.floor(Date.now() / 1000) + 600 }),
      'for another audience': await provider.sign({ aud: 'another-client' }),
      'for a browser': await provider.sign({ aud: client.id }),
      'of another issuer': await provider.sign({ iss: 'https://evil.example' }),
      'of a swapped key': await provider.sign({}, { key: other.privateKey }),
      'of an unknown key': await provider.sign({}, { key: other.privateKey, kid: 'another' }),
      unsigned: new UnsecuredJWT(claims).setExpirationTime('5m').encode(),
      'signed with what is public': await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', kid: published.kid })
        .setExpirationTime('5m')
        .sign(Buffer.from(published.n, 'base64url')),
      changed: `${head}.${forged}.${signature}`,
      'without a user': await provider.sign({ preferred_username: '' }),
      'with a user that is no name': await provider.sign({ preferred_username: ['admin'] as never }),
      'without an end': await provider.sign({}, { expires: null }),
      'no token': 'admin',
    }
    const said = new Set<string | null>()
    for (const [why, jwt] of Object.entries(bad)) {
      const answer = await search(jwt)
      expect(answer, why).toMatchObject(refused)
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="mainline"')
      said.add(answer.bk_error_msg)
    }
    expect([...said]).toEqual([
      "'oidc' authorization information query failed: send a valid 'Authorization: Bearer <JWT>' header",
    ])
  })

  it('is throttled when guessed, and valid or expired ones are not', async () => {
    const both = await startServer('sqlite', {
      flags: ['--auth=oidc', `--oidc-issuer=${provider.issuer}`, `--oidc-audience=${client.audience}`],
    })
    const ask = (jwt: string) => both.call('POST', '/biz/search/0', {}, bearing(jwt))
    const good = await provider.sign()
    expect((await ask(good)).status).toBe(200)
    for (let tries = 0; tries < 11; tries++) expect((await ask(`guess.${tries}.x`)).status).toBe(401)
    // A failure is forgotten after a while, so that slow ones are throttled later.
    let slowed = await ask('guess.again.x')
    while (slowed.status === 401) slowed = await ask('guess.again.x')
    expect(slowed).toMatchObject({ status: 429, bk_error_code: 1199429, data: null })
    expect(Number(slowed.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(slowed.bk_error_msg).toContain('retry in 1 s')
    expect((await ask(good)).status).toBe(200)
    await both.close()
  })

  it('is accepted with a new key soon after a key rotation, and refused with the old key', async () => {
    const old = await provider.sign()
    await provider.rotate()
    const fresh = await provider.sign()
    await expect.poll(async () => (await search(fresh)).status, { interval: 200 }).toBe(200)
    expect(await search(old)).toMatchObject(refused)
  })
})

it('the account is taken from a claim, which is required', async () => {
  const { provider, flags } = await startBoth(['--oidc-account-claim=tenant', '--oidc-user-claim=email'])
  const server = await startServer('sqlite', { flags })
  const call = async (path: string, claims: JWTPayload) =>
    server.call('POST', path, {}, bearing(await provider.sign({ email: 'amy@far.example', ...claims })))
  expect((await call('/biz/search/far', { tenant: 'far' })).status).toBe(200)
  expect(await call('/biz/search/0', { tenant: 'far' })).toMatchObject({ status: 403, bk_error_code: 9900403 })
  expect(await call('/biz/search/0', {})).toMatchObject(refused)
  expect(await call('/biz/search/0', { tenant: 'far', email: undefined })).toMatchObject(refused)
  await server.close()
  await provider.close()
})

it('reports an unreachable provider, and recovers once it answers', async () => {
  const { provider, flags } = await startBoth()
  const server = await startServer('sqlite', { flags })
  const jwt = await provider.sign()
  const ask = () => server.call('POST', '/biz/search/0', {}, bearing(jwt))
  provider.sleep()
  expect(await ask()).toMatchObject({ status: 503, bk_error_code: 1199503, data: null })
  expect((await fetch(`${server.url}/login`, { redirect: 'manual' })).status).toBe(503)
  provider.wake()
  expect((await ask()).status).toBe(200)
  await server.close()
  await provider.close()
})

eachEngine((engine) => {
  describe('a browser', () => {
    let server: TestServer
    let other: TestServer
    let store: TestStore
    let provider: TestProvider
    let origin: string
    beforeAll(async () => {
      const both = await startBoth(['--admins=admin,amy.name'])
      provider = both.provider
      store = await makeStore(engine)
      server = await startServer(engine, { flags: both.flags, store })
      other = engine === 'postgres' ? await startServer(engine, { flags: both.flags, store }) : server
      origin = server.url
    })
    afterAll(async () => {
      await server.close()
      if (other !== server) await other.close()
      await provider.close()
      store.remove()
    })

    /** Redirects go to the registered address; the test replaces its port by the actual one. */
    const atCallback = (url: URL) => url.pathname === '/login/callback'
    const here = (url: URL) => new URL(url.pathname + url.search, origin)
    async function signIn(jar: CookieJar, to = '/') {
      const back = await jar.follow(`${origin}/login?to=${encodeURIComponent(to)}`, atCallback)
      return jar.fetch(here(back.url))
    }
    const session = async (jar: CookieJar, at = origin) =>
      ((await (await jar.fetch(`${at}/api/v3/session`)).json()) as { data: Session }).data
    const cookieOf = (jar: CookieJar) => jar.find(origin, 'mainline')

    it('learns how to sign in, signs in at the provider and is identified in every process', async () => {
      const jar = new CookieJar()
      expect(await session(jar)).toMatchObject({ user: null, sign_in: { way: 'login', url: '/login' } })
      const back = await signIn(jar, '/topology?business=2#tree')
      expect(back.status).toBe(302)
      expect(back.headers.get('location')).toBe('/topology?business=2#tree')
      expect(back.headers.get('cache-control')).toBe('no-store')
      expect(cookieOf(jar)?.attributes).toBe('; Path=/; Max-Age=43200; HttpOnly; SameSite=Lax')
      expect(jar.find(origin, 'mainline_login')).toBeUndefined()
      expect(await session(jar)).toMatchObject({ user: 'amy.name', bk_supplier_account: '0', administrator: true })
      const cookie = { cookie: `mainline=${cookieOf(jar)?.value}` }
      const elsewhere = await other.call('POST', '/biz/0', { bk_biz_name: 'By browser' }, cookie)
      expect(elsewhere.data.creator).toBe('amy.name')
      const rows = await server.service.storage.read.selectFrom('session').selectAll().execute()
      expect(JSON.stringify(rows)).not.toContain(cookieOf(jar)?.value)
    })

    it('is anonymous after signing out, in every process', async () => {
      const jar = new CookieJar()
      await signIn(jar)
      const kept = { cookie: `mainline=${cookieOf(jar)?.value}` }
      const out = await jar.fetch(`${origin}/logout`, { method: 'POST' })
      expect(await out.json()).toMatchObject({ result: true, data: null })
      expect(cookieOf(jar)).toBeUndefined()
      for (const at of [other, server]) expect(await at.call('POST', '/biz/search/0', {}, kept)).toMatchObject(refused)
    })

    describe('stays signed in as long as the provider confirms it', () => {
      const stored = () => server.service.storage.read.selectFrom('session').selectAll().execute()
      const due = () => server.service.storage.engine.script('UPDATE session SET renew_at = 1')
      async function signedIn(refreshes: boolean) {
        await server.service.storage.engine.script('DELETE FROM session')
        provider.refreshes = refreshes
        const jar = new CookieJar()
        await signIn(jar)
        return { jar, cookie: { cookie: `mainline=${cookieOf(jar)?.value}` } }
      }
      const ask = (cookie: Record<string, string>, at = server) => at.call('POST', '/biz/search/0', {}, cookie)
      const within = (at: number | undefined, ms: number) => (at ?? 0) > Date.now() && (at ?? 0) <= Date.now() + ms

      it('with a refresh token the session is renewed, once for all concurrent requests of all processes, for at most a day', async () => {
        const { cookie } = await signedIn(true)
        const [before] = await stored()
        expect([within(before?.renew_at, 600_000), within(before?.expires, 12 * 3_600_000)]).toEqual([true, true])
        const [consumed] = [provider.refreshed()]
        await due()
        const answers = await Promise.all([server, other, server, other, server].map((at) => ask(cookie, at)))
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
        expect(provider.refreshed()).toBe(consumed + 1)
        const [after] = await stored()
        expect(within(after?.renew_at, 600_000)).toBe(true)
        expect(after?.expires).toBe(before?.expires)
        expect(after?.refresh_token).not.toBe(before?.refresh_token)
        // With the rotated refresh token.
        await due()
        expect((await ask(cookie)).status).toBe(200)
        expect(provider.refreshed()).toBe(consumed + 2)
      })

      it('ends when the provider no longer knows the user', async () => {
        const { cookie } = await signedIn(true)
        await due()
        provider.knowsPeople = false
        expect(await ask(cookie)).toMatchObject(refused)
        provider.knowsPeople = true
        expect(await stored()).toEqual([])
        expect(await ask(cookie, other)).toMatchObject(refused)
      })

      it('continues while the provider does not answer', async () => {
        const { cookie } = await signedIn(true)
        await due()
        provider.sleep()
        expect(await ask(cookie)).toMatchObject({ status: 503, bk_error_code: 1199503 })
        provider.wake()
        expect((await ask(cookie)).status).toBe(200)
      })

      it('without a refresh token the session ends with the provider’s token', async () => {
        const { cookie } = await signedIn(false)
        const [row] = await stored()
        expect(within(row?.expires, 600_000)).toBe(true)
        expect(row).toMatchObject({ renew_at: 0, refresh_token: '' })
        expect((await ask(cookie)).status).toBe(200)
      })
    })

    it('refuses bodies at /logout from any caller', async () => {
      const { port } = new URL(origin)
      const begun = performance.now()
      const head = (length: number) =>
        `POST /logout HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`
      // The refusal does not wait for the body.
      const stalled = await Promise.all(Array.from({ length: 60 }, () => exchange(origin, head(32_000_000))))
      for (const answer of stalled) expect(answer).toMatch(/^HTTP\/1\.1 413 .*"bk_error_code":1199413/s)
      expect(performance.now() - begun).toBeLessThan(30_000)
      expect(await exchange(origin, head(0))).toMatch(/^HTTP\/1\.1 200 /)
    })

    it('is not signed in by the answer to another browser’s login (login CSRF)', async () => {
      const [mine, theirs] = [new CookieJar(), new CookieJar()]
      const back = await theirs.follow(`${origin}/login`, atCallback)
      // The attacker's answer in the victim's browser, before and after the victim has started a login.
      for (const begun of [false, true]) {
        if (begun) await mine.fetch(`${origin}/login`)
        const answer = await mine.fetch(here(back.url))
        expect(answer.status).toBe(401)
        expect(await answer.json()).toMatchObject({ result: false, bk_error_code: 1199027, data: null })
        expect(cookieOf(mine)).toBeUndefined()
      }
      const altered = (change: (parameters: URLSearchParams) => void) => {
        const url = here(back.url)
        change(url.searchParams)
        return theirs.fetch(url)
      }
      expect((await altered((all) => all.set('state', 'x'))).status).toBe(401)
      expect((await altered((all) => all.delete('state'))).status).toBe(401)
      expect((await altered((all) => all.append('state', 'x'))).status).toBe(401)
      expect((await altered((all) => all.set('code', 'made-up'))).status).toBe(401)
      expect((await altered((all) => all.delete('code'))).status).toBe(401)
      expect((await altered((all) => all.set('iss', 'https://evil.example'))).status).toBe(401)
      expect((await altered(() => {})).status).toBe(302)
      // A code is valid once.
      expect((await altered(() => {})).status).toBe(401)
    })

    it('is not signed in by an id token that was not issued for this login', async () => {
      const attempt = async (claims: JWTPayload, more = {}) => {
        const jar = new CookieJar()
        const begun = await jar.fetch(`${origin}/login`)
        const asked = new URL(begun.headers.get('location') ?? '')
        const nonce = asked.searchParams.get('nonce')
        const identity = { sub: 'admin', aud: client.id, nonce, ...claims }
        const id_token = await provider.sign(identity, more)
        provider.tokenAnswer = { id_token, access_token: 'x', token_type: 'Bearer' }
        const back = new URLSearchParams({
          code: 'x',
          state: asked.searchParams.get('state') ?? '',
          iss: provider.issuer,
        })
        const answer = await jar.fetch(`${origin}/login/callback?${back}`)
        provider.tokenAnswer = undefined
        return answer.status
      }
      const { privateKey } = await generateKeyPair('RS256')
      expect(await attempt({ nonce: 'of another login' })).toBe(401)
      expect(await attempt({ nonce: undefined })).toBe(401)
      expect(await attempt({ aud: 'another-client' })).toBe(401)
      expect(await attempt({ aud: [client.id, 'another-client'], azp: 'another-client' })).toBe(401)
      expect(await attempt({ iss: 'https://evil.example' })).toBe(401)
      expect(await attempt({}, { expires: '-5m' })).toBe(401)
      expect(await attempt({}, { key: privateKey })).toBe(401)
      expect(await attempt({})).toBe(302)
    })

    it('limits the size of an endless answer', async () => {
      const jar = new CookieJar()
      const begun = await jar.fetch(`${origin}/login`)
      const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? ''
      provider.tokenAnswer = { access_token: 'x'.repeat(2 * 1024 * 1024), token_type: 'Bearer' }
      const back = new URLSearchParams({ code: 'x', state, iss: provider.issuer })
      const answer = await jar.fetch(`${origin}/login/callback?${back}`)
      provider.tokenAnswer = undefined
      expect(answer.status).toBe(503)
      expect(await answer.json()).toMatchObject({ result: false, bk_error_code: 1199503 })
    })

    it.each([
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example',
      '/\t/evil.example',
      '/.//evil.example',
      'javascript:alert(1)',
      'evil',
      '',
    ])('is never redirected to another site afterwards: %j', async (to) => {
      const location = (await signIn(new CookieJar(), to)).headers.get('location') ?? ''
      expect(new URL(location, origin).origin).toBe(origin)
      expect(location).not.toMatch(/^\/\//)
    })

    it('cannot be used by cross-site requests', async () => {
      const jar = new CookieJar()
      await signIn(jar)
      const ask = (path: string, headers: Record<string, string>) =>
        jar.fetch(`${origin}${path}`, { method: 'POST', headers, body: '{}' })
      for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
        for (const path of ['/api/v3/biz/search/0', '/logout']) expect((await ask(path, headers)).status).toBe(403)
      }
      expect((await session(jar)).user).toBe('amy.name')
      expect((await ask('/api/v3/biz/search/0', { origin, 'sec-fetch-site': 'same-origin' })).status).toBe(200)
    })

    it('is refused with an invalid or expired session', async () => {
      const jar = new CookieJar()
      jar.put(origin, 'mainline', 'A'.repeat(43))
      expect((await session(jar)).user).toBeNull()
      await signIn(jar)
      const { change } = server.service.storage
      await change(
        { user: 'test', account: '0', requestId: '' },
        async (tx) =>
          void (await tx
            .updateTable('session')
            .set({ expires: tx.now - 1 })
            .execute()),
      )
      expect((await session(jar)).user).toBeNull()
      await signIn(new CookieJar())
      expect(await server.service.storage.read.selectFrom('session').select('expires').execute()).toHaveLength(1)
    })
  })
})

it('with https, cookies are Secure and have the __Host- prefix', async () => {
  const { provider, flags } = await startBoth()
  const server = await startServer('sqlite', { flags: [...flags, '--url=https://cmdb.example.org'] })
  const answer = await fetch(`${server.url}/login`, { redirect: 'manual' })
  expect(answer.headers.get('set-cookie')).toMatch(
    /^__Host-mainline_login=\S+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
  )
  const asked = new URL(answer.headers.get('location') ?? '').searchParams
  expect(asked.get('redirect_uri')).toBe('https://cmdb.example.org/login/callback')
  expect(asked.get('code_challenge_method')).toBe('S256')
  await server.close()
  await provider.close()
})
