import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bearing, makeToken } from '../testing/data/identities.ts'
import { startServer, type TestServer } from '../testing/harness.ts'
import { exchange } from '../testing/raw.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer('sqlite', { flags: ['--auth=token', '--metrics-auth'] })
})
afterAll(() => server.close())

describe('the API document', () => {
  it('is serialised once, and answered with 304 to a client that has it', async () => {
    const first = await fetch(`${server.url}/openapi.json`)
    const tag = first.headers.get('etag') ?? ''
    expect(first.status).toBe(200)
    expect(first.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(tag).toMatch(/^"[\w-]{43}"$/)
    const again = await fetch(`${server.url}/openapi.json`, { headers: { 'if-none-match': tag } })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })
})

describe('metrics', () => {
  it('require a credential when configured so', async () => {
    expect((await fetch(`${server.url}/metrics`)).status).toBe(401)
    const headers = bearing(await makeToken(server, { user: 'prometheus', readOnly: true }))
    const answer = await fetch(`${server.url}/metrics`, { headers })
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('mainline_requests_total')])
  })

  it('are collected at a limited rate, however many requests arrive', async () => {
    const headers = bearing(await makeToken(server, { user: 'prometheus' }))
    const texts = await Promise.all(
      Array.from({ length: 200 }, async () => (await fetch(`${server.url}/metrics`, { headers })).text()),
    )
    expect(new Set(texts).size).toBeLessThan(150)
  })
})

it('responses of operations must not be cached nor sniffed for another type', async () => {
  const headers = bearing(await makeToken(server))
  for (const asked of [{ headers }, {}]) {
    const answer = await fetch(`${server.url}/api/v3/topo/model/0`, asked)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  }
})

it('refusals before routing or parsing must not be cached or sniffed either', async () => {
  const last = 'Connection: close\r\n\r\n'
  for (const text of [
    `GET /api/v3/nowhere HTTP/1.1\r\nHost: localhost\r\n${last}`,
    `GET /api/v2/topo HTTP/1.1\r\nHost: localhost\r\n${last}`,
    `GET /api/v3/topo/model/0 HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n${last}`,
    `GET /api/v3/topo/model/0 HTTP/1.1\r\nno header\r\n${last}`,
  ]) {
    const [head = ''] = (await exchange(server.url, text)).split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 4/)
    expect(head).toMatch(/^cache-control: no-store$/im)
    expect(head).toMatch(/^x-content-type-options: nosniff$/im)
  }
})
