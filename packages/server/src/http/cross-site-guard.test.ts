import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeBusiness, setBody } from '../testing/data/factories.ts'
import { startServer, type TestServer } from '../testing/harness.ts'
import { refuses } from '../testing/inspect/rows.ts'
import { exchange, send } from '../testing/raw.ts'

let server: TestServer
let business: number
let own: string
beforeAll(async () => {
  server = await startServer('sqlite')
  business = await makeBusiness(server)
  own = new URL(server.url).host
})
afterAll(() => server.close())

const create = (headers: Record<string, string>) =>
  send(server.url, { path: `/api/v3/set/${business}`, headers, body: JSON.stringify(setBody(business)) })
const refused = async (headers: Record<string, string>, saying: string) => {
  const answer = await refuses(server, 9900403, saying, () => create(headers))
  expect(answer.status).toBe(403)
  expect(answer.headers.cc_request_id).toMatch(/./)
}

describe('a page of another site', () => {
  it.each([
    'https://evil.example',
    'http://127.0.0.1:1',
    'http://localhost.evil.example',
    'null',
    '',
    'not a url',
    'file://',
  ])('is refused because of its Origin: %s', async (origin) => {
    await refused({ origin }, 'are rejected')
  })

  it.each(['cross-site', 'same-site'])(
    'is refused because of Sec-Fetch-Site, even without an Origin: %s',
    async (site) => {
      await refused({ 'sec-fetch-site': site }, site)
      await refused({ 'sec-fetch-site': site, origin: `http://${own}` }, own)
    },
  )

  it('is refused with Content-Type text/plain, which browsers send without a preflight request', async () => {
    await refused({ origin: 'https://evil.example', 'content-type': 'text/plain' }, 'https://evil.example')
  })
})

describe('the Host header', () => {
  it.each([
    'evil.example',
    'evil.example:8080',
    '127.0.0.1.evil.example',
    'localhost.evil.example:80',
    '10.0.0.1',
    '0.0.0.0',
    '[::2]:80',
    'localhost@evil.example',
  ])('is refused when it does not name this machine, wherever the name resolves to: %s', async (host) => {
    await refused({ host }, host)
    await refused({ host, origin: `http://${host}` }, '')
  })

  it.each(['localhost', 'LocalHost:8080', '127.0.0.1', '127.1.2.3:99', '[::1]', '[::1]:8080'])(
    'that is this machine is served: %s',
    async (host) => {
      expect((await create({ host })).status).toBe(200)
      expect((await create({ host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' })).status).toBe(200)
    },
  )

  it('is required, and its absence is refused in the envelope', async () => {
    const body = JSON.stringify(setBody(business))
    for (const version of ['1.0', '1.1']) {
      const text = `POST /api/v3/set/${business} HTTP/${version}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`
      const answer = await exchange(server.url, text)
      expect(answer).toMatch(/^HTTP\/1\.1 403 /)
      expect(answer).toContain('"bk_error_code":9900403')
    }
  })

  it('cannot be bypassed by a host in the request line', async () => {
    const body = JSON.stringify(setBody(business))
    const ask = (headers: string) =>
      `POST http://${own}/api/v3/set/${business} HTTP/1.1\r\n${headers}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`
    expect(await exchange(server.url, ask('Host: evil.example'))).toContain('9900403')
    expect(await exchange(server.url, ask(`Host: ${own}\r\nOrigin: https://evil.example`))).toContain('9900403')
    expect(await exchange(server.url, ask(`Host: ${own}\r\nBK_User: bob`))).toContain('9900403')
    expect(await exchange(server.url, ask(`Host: ${own}`))).toContain('"result":true')
  })
})

describe('our own page', () => {
  it.each(['same-origin', 'none'])('is served: Sec-Fetch-Site %s', async (site) => {
    expect((await create({ origin: `http://${own}`, 'sec-fetch-site': site })).status).toBe(200)
  })
})
