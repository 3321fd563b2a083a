import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeBusiness } from '../../packages/server/src/testing/data/factories.ts'
import { startServer, type TestServer } from '../../packages/server/src/testing/harness.ts'
import { stored } from '../../packages/server/src/testing/inspect/rows.ts'
import { exchange } from '../../packages/server/src/testing/raw.ts'

// Parsing of requests does not depend on the storage, so one engine is tested.
let server: TestServer
let business: number
beforeAll(async () => {
  server = await startServer('sqlite', { flags: ['--request-time=1s', '--max-sockets=600'] })
  business = await makeBusiness(server, 'wire')
})
afterAll(() => server.close())

const model = '/api/v3/topo/model/0'
const creating = () => `/api/v3/set/${business}`
const setText = (name: string) =>
  JSON.stringify({ bk_biz_id: business, bk_parent_id: business, bk_supplier_account: '0', bk_set_name: name })
const head = (method: string, path: string, ...headers: string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n')
const last = 'Connection: close'

/** All responses on one connection, in order. */
function answersIn(text: string): { status: number; envelope: Record<string, unknown> }[] {
  return text.split(/(?=HTTP\/1\.1 \d{3} )/).map((answer) => {
    const [start = '', body = ''] = answer.split(/\r\n\r\n([\s\S]*)/)
    return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(start)?.[1]), envelope: JSON.parse(body) }
  })
}

/** The only response is an error in the envelope, and nothing is stored. */
async function refused(text: string, status = 400) {
  const before = await stored(server)
  const answers = answersIn(await exchange(server.url, text))
  expect(answers).toMatchObject([{ status, envelope: { result: false, data: null } }])
  expect(answers[0]?.envelope.bk_error_code).toBeGreaterThan(0)
  expect(await stored(server)).toEqual(before)
}

describe('a request that two parsers might read differently', () => {
  it.each([
    ['a length and chunks', ['Content-Length: 4', 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
    ['chunks that are not the last coding', ['Transfer-Encoding: chunked, identity'], '0\r\n\r\n'],
    ['a coding before the chunks', ['Transfer-Encoding: gzip, chunked'], '0\r\n\r\n'],
    ['chunks twice', ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
    ['chunks twice in one header', ['Transfer-Encoding: chunked, chunked'], '0\r\n\r\n'],
    ['a second host', ['Host: localhost', 'Content-Length: 2'], '{}'],
    ['a second host in another spelling', ['HOST: evil.example', 'Content-Length: 2'], '{}'],
    ['an unknown coding', ['Transfer-Encoding: xchunked'], '0\r\n\r\n'],
    ['two lengths', ['Content-Length: 2', 'Content-Length: 40'], '{}'],
    ['a list of lengths', ['Content-Length: 2, 2'], '{}'],
    ['a signed length', ['Content-Length: +2'], '{}'],
    ['a length that is none', ['Content-Length: 0x2'], '{}'],
    ['a length beyond measure', [`Content-Length: ${'9'.repeat(30)}`], '{}'],
    ['a space before the colon', ['Content-Length : 2'], '{}'],
    ['a folded header', ['X: a', ' Content-Length: 2'], '{}'],
    ['a bare carriage return', ['X: a\rContent-Length: 2'], '{}'],
    ['a NUL in a header', ['X: a\0b'], ''],
    ['a chunk of no size', ['Transfer-Encoding: chunked'], 'x\r\n{}\r\n0\r\n\r\n'],
    ['a chunk of a huge size', ['Transfer-Encoding: chunked'], 'ffffffffffffffffff\r\n{}\r\n0\r\n\r\n'],
  ])('is refused: %s', async (_, headers, body) => {
    const smuggled = head('POST', creating(), 'Content-Length: 9', last)
    await refused(head('POST', creating(), ...headers) + body + smuggled)
  })
})

describe('headers', () => {
  it('of more than 32 KiB are refused, many or one', async () => {
    await refused(head('GET', model, `X: ${'x'.repeat(34_000)}`), 431)
    await refused(head('GET', model, ...Array.from({ length: 6_000 }, (_, index) => `X${index}: y`)), 431)
  })

  it('are all read, however many there are: that of the caller may come last', async () => {
    const many = Array.from({ length: 2_500 }, () => 'A:')
    const [answer] = answersIn(
      await exchange(server.url, head('DELETE', `/api/v3/biz/0/${business}`, ...many, 'BK_User: kofi', last)),
    )
    expect(answer).toMatchObject({ status: 403, envelope: { bk_error_code: 9900403 } })
  })

  it('that name the caller twice are refused', async () => {
    await refused(head('GET', model, 'BK_User: kofi', 'BK_User: admin', last))
    await refused(head('GET', model, 'BK_User: kofi', 'BK-User: admin', last))
    await refused(head('GET', model, 'HTTP_BK_SUPPLIER_ACCOUNT: 0', 'HTTP_BK_SUPPLIER_ACCOUNT: 1', last))
  })
})

describe('a path', () => {
  it.each([
    '/api/v3/topo/model/0/../../../healthz',
    '/api/v3/topo/model/%00',
    '/api/v3//topo/model/0',
    '/api/v3/topo%2fmodel/0',
    '/api/v3/./topo/model/0',
    '/api/v3/topo/model/%c0%ae%c0%ae',
    '/assets/%00',
    '/assets/%zz',
    '/assets/.%2e/%2e%2e/package.json',
    '/.env',
    '/%',
    `/api/v3/topo/model/${'x'.repeat(12_000)}`,
    `/api/v3/${'a/'.repeat(4_000)}`,
    '/assets/../../../../etc/passwd',
    '/assets/%2e%2e/%2e%2e/%2e%2e/etc/passwd',
  ])('with traversal tricks reaches nothing: %s', async (path) => {
    const answer = await exchange(server.url, head('GET', path, last))
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d [\s\S]*"result":false/)
  })

  it.each(['/docs/../../../package.json', '/docs/site/%2e%2e/%2e%2e/package.json', '/docs/<script>'])(
    'below the documentation leads to no file, but to the page that says so: %s',
    async (path) => {
      const answer = await exchange(server.url, head('GET', path, last))
      expect(answer).toMatch(/^HTTP\/1\.1 404 [\s\S]*<title>Page not found/)
      expect(answer).not.toMatch(/"workspaces"|"scripts"|<script>/)
    },
  )

  it.each(['//api/v3/topo/model/0', '/..%5c..%5cetc/passwd', '/../x', '/a\\..\\b'])(
    'that is none of the interface is at most a page of the console: %s',
    async (path) => {
      const answer = await exchange(server.url, head('GET', path, last))
      expect(answer).toMatch(
        /^HTTP\/1\.1 (200 [\s\S]*<!doctype html>|4\d\d [\s\S]*"result":false|200 [\s\S]*not been built)/i,
      )
    },
  )

  it.each(['OPTIONS', 'PATCH', 'TRACE', 'CONNECT', 'PURGE', 'get'])('has no method %s', async (method) => {
    const answer = await exchange(server.url, head(method, model, last))
    expect(answer).toMatch(/^(HTTP\/1\.1 4\d\d [\s\S]*|)$/)
    expect(answer).not.toContain('"result":true')
  })
})

describe('a body', () => {
  const sent = (body: string) =>
    exchange(server.url, head('POST', creating(), `Content-Length: ${Buffer.byteLength(body)}`, last) + body)

  it.each([
    ['a million brackets', '['.repeat(1_000_000)],
    ['objects in objects', '{"a":'.repeat(100_000)],
    ['one huge number', `{"bk_capacity":${'9'.repeat(1_000_000)}}`],
    ['one huge name', `{"${'x'.repeat(1_000_000)}":1}`],
    ['a million elements', `{"bk_set_name":[${'1,'.repeat(1_000_000)}1]}`],
    ['a hundred thousand keys', `{${Array.from({ length: 100_000 }, (_, index) => `"k${index}":1`).join()}}`],
    ['keys of the language', '{"__proto__":{"bk_set_name":"x"},"constructor":{"prototype":{"bk_set_name":"x"}}}'],
    ['an escape without end', `{"bk_set_name":"${'\\u0041'.repeat(200_000)}`],
  ])('that is a decompression bomb is refused quickly: %s', async (_, body) => {
    const started = performance.now()
    const [answer] = answersIn(await sent(body))
    expect(answer?.status).toBeGreaterThanOrEqual(400)
    expect(answer?.status).toBeLessThan(500)
    expect(performance.now() - started).toBeLessThan(10_000)
    expect(({} as Record<string, unknown>).bk_set_name).toBeUndefined()
  })
})

describe('a connection', () => {
  /** Everything received until the server closes the connection. */
  const until = (socket: Socket) => {
    let said = ''
    socket.setEncoding('utf8').on('data', (part) => (said += part))
    socket.once('end', () => socket.destroy())
    return new Promise<string>((resolve) => socket.once('close', () => resolve(said)))
  }
  const open = () => {
    const { hostname, port } = new URL(server.url)
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    socket.on('error', () => {})
    return socket
  }

  it('with pipelined requests is answered in order', async () => {
    const one = head('GET', model)
    const two = head('POST', creating(), `Content-Length: ${Buffer.byteLength(setText('piped'))}`) + setText('piped')
    const three = head('GET', '/api/v3/nowhere', last)
    const answers = answersIn(await exchange(server.url, one + two + three))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404])
    expect(answers[1]?.envelope).toMatchObject({ data: { bk_set_name: 'piped' } })
  })

  it('with request after request without reading responses is closed before it delays others', async () => {
    const done = async () => {
      const text = await (await fetch(`${server.url}/metrics`)).text()
      return Number(
        /^mainline_requests_total\{operation="search_mainline_object",status="200",code="0"\} (\d+)/m.exec(text)?.[1],
      )
    }
    const before = await done()
    const crowd = Array.from({ length: 10 }, async () => {
      const socket = open()
      socket.write(head('GET', model).repeat(500))
      return until(socket)
    })
    await Promise.all(crowd)
    expect((await done()) - before).toBeLessThanOrEqual(10 * 33)
  })

  it('that the caller has half closed is still answered', async () => {
    const socket = open()
    socket.end(head('GET', model, last))
    expect(answersIn(await until(socket))).toMatchObject([{ status: 200, envelope: { result: true } }])
  })

  it.each([
    ['nothing', ''],
    ['half a head', 'GET /api/v3/topo/model/0 HTTP/1.1\r\nHost: localhost\r\nX: '],
    ['half a body', 'POST /api/v3/audit/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"'],
    [
      'half a chunk',
      'POST /api/v3/audit/search HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{',
    ],
  ])('on which %s arrives, however slowly, is closed', async (_, text) => {
    const socket = open()
    const said = until(socket)
    socket.write(text)
    const dripping = setInterval(() => socket.writable && socket.write(' '), 100)
    if (text === '') clearInterval(dripping)
    const answer = await said
    clearInterval(dripping)
    if (answer !== '')
      expect(answersIn(answer)).toMatchObject([{ status: expect.any(Number), envelope: { result: false } }])
  })

  it('beyond the limit is closed, and the others are still served', async () => {
    const before = open()
    before.write(head('GET', model))
    const answered = new Promise((resolve) => before.once('data', resolve))
    const idle = Array.from({ length: 700 }, open)
    const closed = idle.map(async (socket) => expect(await until(socket)).toBe(''))
    // Accepted connections get a timeout response, since they have sent nothing.
    await Promise.any(closed)
    await answered
    for (const socket of [before, ...idle]) socket.destroy()
    await expect.poll(async () => (await fetch(`${server.url}/healthz`).catch(() => undefined))?.status).toBe(200)
  })
})
