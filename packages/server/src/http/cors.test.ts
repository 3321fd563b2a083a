import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../common/config.ts'
import { refuseOriginsWithoutTokens } from '../common/settings/combinations.ts'
import { bearing, makeToken } from '../testing/data/identities.ts'
import { startServer, type TestServer } from '../testing/harness.ts'
import { exchange, type RawRequest, send } from '../testing/raw.ts'

const portal = 'https://portal.example.org'
const flags = ['--auth=token', `--cors-origins=${portal}, http://localhost:5173`]
let server: TestServer
let plain: TestServer
let token: string
beforeAll(async () => {
  server = await startServer('sqlite', { flags })
  plain = await startServer('sqlite', { flags: ['--auth=token'] })
  token = await makeToken(server)
})
afterAll(async () => {
  await server.close()
  await plain.close()
})

/** As a browser sends it. */
const search = (origin: string, headers: Record<string, string> = bearing(token)): RawRequest => ({
  path: '/api/v3/biz/search/0',
  headers: { origin, 'sec-fetch-site': 'cross-site', 'content-type': 'application/json', ...headers },
  body: '{}',
})
const preflight = (url: string, origin: string) =>
  exchange(
    url,
    `OPTIONS /api/v3/biz/search/0 HTTP/1.1\r\nHost: localhost\r\nOrigin: ${origin}\r\nSec-Fetch-Site: cross-site\r\n` +
      'Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: authorization,content-type\r\n' +
      'Connection: close\r\n\r\n',
  )

describe('a page of a listed origin', () => {
  it.each([portal, 'http://localhost:5173'])('may call with a token, and read the answer: %s', async (origin) => {
    const answer = await send(server.url, search(origin))
    expect(answer).toMatchObject({ status: 200, result: true })
    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' })
    expect(answer.headers['access-control-expose-headers']).toContain('cc_request_id')
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
  })

  it('gets the allowed methods and headers from a preflight request', async () => {
    const answer = await preflight(server.url, portal)
    expect(answer).toMatch(/^HTTP\/1\.1 204 /)
    for (const line of [
      `access-control-allow-origin: ${portal}`,
      'access-control-allow-methods: GET, POST, PUT, DELETE',
      'access-control-allow-headers: authorization,content-type',
      'access-control-max-age: 600',
      'vary: Origin',
    ]) {
      expect(answer).toContain(`${line}\r\n`)
    }
    expect(answer).not.toMatch(/allow-credentials/i)
  })

  it('may read refusals too', async () => {
    for (const [sent, status] of [
      [search(portal, bearing('wrong')), 401],
      [{ ...search(portal), body: '{' }, 400],
      [{ ...search(portal), path: '/api/v3/nowhere' }, 404],
    ] as const) {
      const answer = await send(server.url, sent)
      expect(answer.status).toBe(status)
      expect(answer.headers['access-control-allow-origin']).toBe(portal)
    }
  })

  it('may not call without a token of its own, even if the browser has a session cookie', async () => {
    for (const headers of [{}, { cookie: 'session=x' }, { authorization: 'Basic YWRtaW46' }]) {
      expect(await send(server.url, search(portal, headers))).toMatchObject({ status: 403, bk_error_code: 9900403 })
    }
  })
})

describe('any other page', () => {
  it.each(['https://evil.example', 'null', `${portal}.evil.example`, 'http://portal.example.org', `${portal}:8443`])(
    'is refused, and cannot read why: %s',
    async (origin) => {
      const answer = await send(server.url, search(origin))
      expect(answer).toMatchObject({ status: 403, bk_error_code: 9900403 })
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
      expect(answer.headers.vary).toBe('Origin')
      expect(await preflight(server.url, origin)).toMatch(/^HTTP\/1\.1 405 /)
    },
  )

  it('is refused where no origin is listed, which is the default', async () => {
    const answer = await send(plain.url, search(portal, bearing(await makeToken(plain))))
    expect(answer).toMatchObject({ status: 403, bk_error_code: 9900403 })
    expect(answer.headers.vary).toBeUndefined()
    expect(await preflight(plain.url, portal)).toMatch(/^HTTP\/1\.1 405 /)
  })
})

describe('the setting', () => {
  it.each(['*', 'https://*.example.org', 'portal.example.org', 'https://portal.example.org/app', 'null', 'ftp://x'])(
    'takes origins only, not %s',
    (value) => {
      expect(() => readConfig([`--cors-origins=${value}`], {})).toThrow('comma list of origins')
    },
  )

  it('is read from its environment variable, and requires token identity', () => {
    const { corsOrigins } = readConfig([], { MAINLINE_CORS_ORIGINS: `${portal},` })
    expect(corsOrigins).toEqual([portal])
    for (const auth of ['open', 'proxy'] as const) {
      expect(() => refuseOriginsWithoutTokens({ auth, corsOrigins })).toThrow('MAINLINE_AUTH to token or oidc')
      refuseOriginsWithoutTokens({ auth, corsOrigins: [] })
    }
    for (const auth of ['token', 'oidc'] as const) refuseOriginsWithoutTokens({ auth, corsOrigins })
  })
})
