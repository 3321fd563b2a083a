import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findSets, makeBusiness, setBody } from '../testing/data/factories.ts'
import { startServer, type TestServer } from '../testing/harness.ts'
import { refuses } from '../testing/inspect/rows.ts'
import { exchange, type RawRequest, send } from '../testing/raw.ts'

const bodyLimit = 2048
let server: TestServer
let business: number
beforeAll(async () => {
  server = await startServer('sqlite', { flags: [`--body-limit=${bodyLimit}`] })
  business = await makeBusiness(server)
})
afterAll(() => server.close())

/** Expects a failure in the envelope with a request id, and that nothing is stored. */
const refused = async (sent: RawRequest, code: number, saying = '') => {
  const answer = await refuses(server, code, saying, () => send(server.url, sent))
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    cc_request_id: expect.stringMatching(/^[0-9a-v]{20}$/),
  })
  return answer
}
/** A request to create a set with this text as its body. */
const creating = (body: string | Uint8Array, headers: Record<string, string> = {}): RawRequest => ({
  path: `/api/v3/set/${business}`,
  headers,
  body,
})
const wholeBody = (more: Record<string, unknown> = {}) => JSON.stringify(setBody(business, more))

describe('a path', () => {
  it.each(['/api', '/api/v3', '/api/v3/', '/api/v3/nowhere', '/api/v3/set', '/api/v3/set/1/2/3', '/API/v3/biz/0'])(
    'that is unknown is answered by the envelope: %s',
    async (path) => {
      expect((await refused({ path }, 1199037)).status).toBe(404)
    },
  )

  it.each(['/api/v2/biz/search/0', '/api/v4/set/1', '/api/latest/audit/search', '/api/v30/audit/search'])(
    'of another version names the supported one: %s',
    async (path) => {
      expect((await refused({ path, body: '{}' }, 1199037, 'only /api/v3 is served')).status).toBe(404)
    },
  )

  it.each([
    ['GET', '/audit/search', 'POST'],
    ['PATCH', '/set/2', 'POST'],
    ['OPTIONS', '/set/2/7', 'DELETE, PUT'],
    ['GET', '/set/2/7?a=b', 'DELETE, PUT'],
    ['PROPFIND', '/biz/0', 'POST'],
  ])('with the wrong method says which are allowed: %s %s', async (method, path, allowed) => {
    const answer = await refused({ method, path: `/api/v3${path}` }, 1199037, allowed)
    expect(answer.status).toBe(405)
    expect(answer.headers.allow).toBe(allowed)
  })

  it.each(['/set/%zz', '/set/search/%/2', '/biz/%ed%a0%80'])(
    'that cannot be read is an unknown one: %s',
    async (path) => {
      expect((await refused({ path: `/api/v3${path}` }, 1199037)).status).toBe(404)
    },
  )

  it.each([
    '0',
    '-1',
    '+1',
    '1.0',
    '1e1',
    '01',
    '0x1',
    ' 1',
    '１',
    '1;2',
    'null',
    '9007199254740993',
    '9'.repeat(1900),
  ])('holds ids as positive decimal integers, not %s', async (id) => {
    await refused({ path: `/api/v3/set/${encodeURIComponent(id)}` }, 1199009, "'bk_biz_id'")
    await refused({ path: `/api/v3/set/search/0/${encodeURIComponent(id)}` }, 1199009, "'bk_biz_id'")
  })

  it('has a supplier account of 1 to 64 printable characters', async () => {
    const accounts = () => server.service.storage.read.selectFrom('account').select('name').execute()
    const before = await accounts()
    await refused({ path: '/api/v3/biz/search/' }, 1199010, "'bk_supplier_account'")
    const tooLong = "'bk_supplier_account' data parameter verification does not pass: at most 64 characters, got "
    await refused({ path: `/api/v3/biz/search/${'x'.repeat(65)}` }, 1199006, `${tooLong}65`)
    await refused({ path: `/api/v3/biz/search/${'x'.repeat(5_000)}` }, 1199006, `${tooLong}5000`)
    const named = { HTTP_BK_SUPPLIER_ACCOUNT: 'x'.repeat(65) }
    const ofHeader = `${tooLong}65`.replace('bk_supplier_account', 'HTTP_BK_SUPPLIER_ACCOUNT')
    await refused({ path: '/api/v3/audit/search', headers: named, body: '{}' }, 1199006, ofHeader)
    await refused({ path: '/api/v3/biz/search/a%00b' }, 1199006, "'bk_supplier_account'")
    await refused({ path: '/api/v3/biz/search/a%0Ab' }, 1199006, "'bk_supplier_account'")
    expect(await accounts()).toEqual(before)
  })
})

describe('a URL', () => {
  it.each(['/api/v3/audit/search?', '/api/v3/nowhere/', '/'])('that is too long is 414: %s', async (path) => {
    const answer = await refused({ path: path + 'x'.repeat(20_000) }, 1199414, 'at most 16384 characters, got 20')
    expect(answer.status).toBe(414)
  })

  it('that exceeds the limit of the request head is 414 too', async () => {
    const answer = await exchange(server.url, `GET /api/v3/${'x'.repeat(60_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 414 URI Too Long\r\n[\s\S]*"bk_error_code":1199414/)
  })
})

describe('a body', () => {
  it.each([
    ['none', undefined],
    ['application/json', 'application/json'],
    ['JSON with a charset', 'application/json; charset=utf-8'],
    ['JSON of a dialect', 'application/vnd.api+json'],
    ['text/plain', 'text/plain;charset=UTF-8'],
    ['with a charset of nothing', 'text/plain; charset'],
  ])('is read as JSON with this Content-Type: %s', async (_, type) => {
    const body = setBody(business)
    const made = await send(server.url, creating(JSON.stringify(body), type ? { 'content-type': type } : {}))
    expect(made).toMatchObject({ status: 200, data: { bk_set_name: body.bk_set_name } })
  })

  it.each([
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'nonsense',
    '; charset=utf-8',
  ])('with another Content-Type is refused: %s', async (type) => {
    expect((await refused(creating(wholeBody(), { 'content-type': type }), 1199415)).status).toBe(415)
  })

  it('with a content coding is refused with the reason', async () => {
    const packed = gzipSync(wholeBody())
    for (const headers of [{ 'content-encoding': 'gzip' }, {}]) {
      const answer = await refused(creating(packed, headers), 1199415, 'gzip; send the body uncompressed')
      expect(answer.status).toBe(415)
    }
    await refused(creating(wholeBody(), { 'content-encoding': 'br' }), 1199415, 'br; send the body uncompressed')
    expect((await send(server.url, creating(wholeBody(), { 'content-encoding': 'identity' }))).status).toBe(200)
  })

  it('that is empty equals {}', async () => {
    for (const body of [undefined, '', '  \n', '{}', '\ufeff{}']) {
      const search = { path: '/api/v3/biz/search/0', ...(body !== undefined && { body }) }
      expect(await send(server.url, search)).toMatchObject({ status: 200, data: { count: 1 } })
      await refused({ ...search, path: `/api/v3/set/${business}` }, 1199010)
    }
  })

  it.each(['{', '{"a":}', "{'a': 1}", '{"a": 1,}', 'undefined', 'bk_set_name=x', '{}{}', '{"a": "\t"}', '{"a": NaN}'])(
    'that is malformed is refused: %s',
    async (body) => {
      await refused(creating(body), 1199000)
    },
  )

  it.each(['null', '[]', '1', '"text"', 'true', '[{}]'])('of the wrong JSON type is refused: %s', async (body) => {
    await refused(creating(body), 1199000, 'must be an object')
    await refused({ path: '/api/v3/audit/search', body }, 1199000, 'must be an object')
    await refused({ path: '/api/v3/biz/0', body }, 1199000, 'must be an object')
  })

  it('over the limit is refused, with or without Content-Length', async () => {
    const long = wholeBody({ description: 'x'.repeat(bodyLimit) })
    expect((await refused(creating(long), 1199413)).status).toBe(413)
    expect((await refused(creating(long, { 'transfer-encoding': 'chunked' }), 1199413)).status).toBe(413)
    const fitting = wholeBody().padEnd(bodyLimit)
    expect((await send(server.url, creating(fitting))).status).toBe(200)
  })

  it.each([
    ['NUL', '\\u0000'],
    ['half a character', '\\ud800'],
    ['the other half', '\\uDC00x'],
    ['halves the wrong way round', '\\udc00\\ud800'],
  ])('may not hold %s, in values, keys or below', async (_, text) => {
    const [head, tail] = [wholeBody().slice(0, -1), '}']
    await refused(creating(`${head},"description":"a${text}"${tail}`), 1199006, "'description'")
    await refused(creating(`${head},"x${text}":1${tail}`), 1199006)
    const search = (condition: string) => `{"page":{"start":0,"limit":1},"fields":[],"condition":${condition}}`
    const path = `/api/v3/set/search/0/${business}`
    await refused(
      { path, body: search(`{"bk_set_name":{"$in":["${text}"]}}`) },
      1199006,
      "'condition.bk_set_name.$in.0'",
    )
  })

  it('keeps characters outside of the BMP, literal or escaped', async () => {
    const body = `${wholeBody().slice(0, -1)},"description":"\\ud83d\\ude00 \\\\u0000 é 😀"}`
    expect((await send(server.url, creating(body))).data).toMatchObject({ description: '😀 \\u0000 é 😀' })
  })

  it('must be UTF-8', async () => {
    const latin1 = Buffer.from(wholeBody({ description: 'café' }), 'latin1')
    await refused(creating(latin1), 1199000)
    const surrogate = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')])
    await refused(creating(surrogate), 1199000)
  })

  it('may be nested 64 deep, and not deeper', async () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    await refused(creating(nested(65)), 1199000, 'at most 64 levels deep')
    await refused(creating(nested(64)), 1199000, 'must be an object')
    await refused(creating(`{"a":"${'['.repeat(100)}","b":${nested(63)}}`), 1199010)
    const wide = await startServer('sqlite')
    try {
      for (const deep of [
        nested(100_000),
        '{"a":'.repeat(100_000),
        `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
      ]) {
        expect(await send(wide.url, { path: '/api/v3/audit/search', body: deep })).toMatchObject({
          status: 400,
          bk_error_code: 1199000,
        })
      }
    } finally {
      await wide.close()
    }
  })

  it('with a duplicate key has the last value, as JSON parsers do', async () => {
    const body = `{"bk_set_name":"first",${wholeBody({ bk_set_name: 'second' }).slice(1)}`
    expect((await send(server.url, creating(body))).data).toMatchObject({ bk_set_name: 'second' })
    expect((await findSets(server, business, { bk_set_name: 'first' })).data.count).toBe(0)
  })
})

describe('bytes that are not a valid HTTP request', () => {
  it.each([
    ['a broken request line', 400, 'GET /api/v3/biz search\r\n\r\n'],
    ['an unknown method', 400, 'SMUGGLE /api/v3/audit/search HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['a header without a name', 400, 'POST /api/v3/audit/search HTTP/1.1\r\n: x\r\n\r\n'],
    [
      'two lengths',
      400,
      'POST /api/v3/audit/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
    ],
    ['a length that is no number', 400, 'POST /api/v3/audit/search HTTP/1.1\r\nContent-Length: x\r\n\r\n{}'],
    ['headers beyond all measure', 431, `POST /api/v3/audit/search HTTP/1.1\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`],
  ])('are answered with the envelope too: %s', async (_, status, text) => {
    // More bytes follow, which must not lose the answer.
    const answer = await exchange(server.url, text + 'x'.repeat(1_000_000))
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} \\w`))
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual({
      result: false,
      bk_error_code: 1_199_000 + status,
      bk_error_msg: expect.stringMatching(status === 400 ? /not valid HTTP/ : /headers are too large/),
      data: null,
    })
  })

  it('an unknown Expect header is ignored', async () => {
    const ask = (expectation: string) =>
      exchange(
        server.url,
        `POST /api/v3/audit/search HTTP/1.1\r\nHost: localhost\r\nExpect: ${expectation}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
      )
    expect(await ask('wonders')).toMatch(/^HTTP\/1\.1 200 [\s\S]*"result":true/)
    expect(await ask('100-continue')).toMatch(/^HTTP\/1\.1 100 [\s\S]*HTTP\/1\.1 200 [\s\S]*"result":true/)
  })
})
