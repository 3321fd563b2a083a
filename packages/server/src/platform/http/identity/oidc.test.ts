import { generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eachEngine, makeStore, startServer, type TestServer, type TestStore } from '../../../testing/harness.ts'
import { bearing } from '../../../testing/identities.ts'
import { CookieJar } from '../../../testing/jar.ts'
import { freePort } from '../../../testing/postgres.ts'
import { client, startProvider, type TestProvider } from '../../../testing/provider.ts'

interface Session {
  user: string | null
  bk_supplier_account: string | null
  sign_in: { way: string; url: string }
}

/** A server that trusts a provider, at an address that the provider knows. */
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

  it('says who calls: by preferred_username, else by sub', async () => {
    expect(await whoami(await provider.sign())).toBe('service-7')
    expect(await whoami(await provider.sign({ preferred_username: 'amy' }))).toBe('amy')
    const made = await server.call('POST', '/biz/0', { bk_biz_name: 'Ours' }, bearing(await provider.sign()))
    expect(made.data.creator).toBe('service-7')
  })

  it('may come from a clock that is a little off', async () => {
    expect((await search(await provider.sign({}, { expires: '-10s' }))).status).toBe(200)
    expect((await search(await provider.sign({ nbf: Math.floor(Date.now() / 1000) + 10 }))).status).toBe(200)
  })

  it('is refused when it is anything else than what the provider signed for us, and nothing is told', async () => {
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
      'for another audience': await provider.sign({ aud: 'somebody-else' }),
      'for a browser': await provider.sign({ aud: client.id }),
      'of another issuer': await provider.sign({ iss: 'https://evil.example' }),
      'of a swapped key': await provider.sign({}, { key: other.privateKey }),
      'of an unknown key': await provider.sign({}, { key: other.privateKey, kid: 'another' }),
      'signed by nobody': new UnsecuredJWT(claims).setExpirationTime('5m').encode(),
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
      "'oidc' authorization information query failed: send 'Authorization: Bearer <JWT>' with a valid one",
    ])
  })

  it('is slowed down when guessed at, and the good ones of before are not', async () => {
    const both = await startServer('sqlite', {
      flags: ['--auth=oidc', `--oidc-issuer=${provider.issuer}`, `--oidc-audience=${client.audience}`],
    })
    const ask = (jwt: string) => both.call('POST', '/biz/search/0', {}, bearing(jwt))
    const good = await provider.sign()
    expect((await ask(good)).status).toBe(200)
    for (let tries = 0; tries < 11; tries++) expect((await ask(`guess.${tries}.x`)).status).toBe(401)
    const slowed = await ask('guess.again.x')
    expect(slowed).toMatchObject({ status: 429, bk_error_code: 1199429, data: null })
    expect(Number(slowed.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(slowed.bk_error_msg).toContain('try again in 1 s')
    expect((await ask(good)).status).toBe(200)
    await both.close()
  })

  it('is good with a new key soon after the provider has changed its keys, and the old key no longer', async () => {
    const old = await provider.sign()
    await provider.rotate()
    const fresh = await provider.sign()
    await expect.poll(async () => (await search(fresh)).status, { interval: 200 }).toBe(200)
    expect(await search(old)).toMatchObject(refused)
  })
})

it('belongs to the account of a claim, and is refused without it', async () => {
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

it('says that the provider does not answer, and goes on once it does', async () => {
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

    /** The address that the provider knows leads here; the test has it listen wherever there is a free port. */
    const atCallback = (url: URL) => url.pathname === '/login/callback'
    const here = (url: URL) => new URL(url.pathname + url.search, origin)
    async function signIn(jar: CookieJar, to = '/') {
      const back = await jar.follow(`${origin}/login?to=${encodeURIComponent(to)}`, atCallback)
      return jar.fetch(here(back.url))
    }
    const session = async (jar: CookieJar, at = origin) =>
      ((await (await jar.fetch(`${at}/api/v3/session`)).json()) as { data: Session }).data
    const cookieOf = (jar: CookieJar) => jar.find(origin, 'mainline')

    it('is told how to sign in, signs in at the provider and is known in every process', async () => {
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

    it('is nobody once it has signed out, in every process', async () => {
      const jar = new CookieJar()
      await signIn(jar)
      const kept = { cookie: `mainline=${cookieOf(jar)?.value}` }
      const out = await jar.fetch(`${origin}/logout`, { method: 'POST' })
      expect(await out.json()).toMatchObject({ result: true, data: null })
      expect(cookieOf(jar)).toBeUndefined()
      for (const at of [other, server]) expect(await at.call('POST', '/biz/search/0', {}, kept)).toMatchObject(refused)
    })

    it('is not signed in by an answer that it did not ask for', async () => {
      const [mine, theirs] = [new CookieJar(), new CookieJar()]
      const back = await theirs.follow(`${origin}/login`, atCallback)
      // Their answer in my browser, before and after I have begun a login of my own.
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
      // A code is good once.
      expect((await altered(() => {})).status).toBe(401)
    })

    it('is not signed in by an identity that was not given for this login', async () => {
      const attempt = async (claims: JWTPayload, more = {}) => {
        const jar = new CookieJar()
        const begun = await jar.fetch(`${origin}/login`)
        const asked = new URL(begun.headers.get('location') ?? '')
        const nonce = asked.searchParams.get('nonce')
        const identity = { sub: 'admin', aud: client.id, nonce, ...claims }
        provider.tokenAnswer = { id_token: await provider.sign(identity, more), token_type: 'Bearer' }
        const answer = await jar.fetch(`${origin}/login/callback?code=x&state=${asked.searchParams.get('state')}`)
        provider.tokenAnswer = undefined
        return answer.status
      }
      const { privateKey } = await generateKeyPair('RS256')
      expect(await attempt({ nonce: 'of another login' })).toBe(401)
      expect(await attempt({ nonce: undefined })).toBe(401)
      expect(await attempt({ aud: 'somebody-else' })).toBe(401)
      expect(await attempt({ aud: [client.id, 'somebody-else'], azp: 'somebody-else' })).toBe(401)
      expect(await attempt({ iss: 'https://evil.example' })).toBe(401)
      expect(await attempt({}, { expires: '-5m' })).toBe(401)
      expect(await attempt({}, { key: privateKey })).toBe(401)
      expect(await attempt({})).toBe(302)
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
    ])('is never led to another site afterwards: %j', async (to) => {
      const location = (await signIn(new CookieJar(), to)).headers.get('location') ?? ''
      expect(new URL(location, origin).origin).toBe(origin)
      expect(location).not.toMatch(/^\/\//)
    })

    it('cannot be used by pages of other sites', async () => {
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

    it('is refused with a session that was made up or has expired', async () => {
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

it('keeps its cookies from plain connections and from neighbours where browsers come by https', async () => {
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
