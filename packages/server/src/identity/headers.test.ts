import { afterAll, beforeAll, expect, it } from 'vitest'
import { findRecords, makeBusiness, setBody } from '../testing/data/factories.ts'
import { startServer, type TestServer } from '../testing/harness.ts'
import { refuses } from '../testing/inspect/rows.ts'
import { type RawRequest, send } from '../testing/raw.ts'

let server: TestServer
let business: number
beforeAll(async () => {
  server = await startServer('sqlite')
  business = await makeBusiness(server)
})
afterAll(() => server.close())

const refused = (sent: RawRequest, code: number, saying = '') =>
  refuses(server, code, saying, () => send(server.url, sent))
const creating = (body: string, headers: Record<string, string> = {}): RawRequest => ({
  path: `/api/v3/set/${business}`,
  headers,
  body,
})
const wholeBody = () => JSON.stringify(setBody(business))

it('the user header may have underscores or hyphens, any case, and UTF-8', async () => {
  const who = { BK_User: 'admin', 'BK-User': 'admin', bk_user: 'admin' }
  for (const [name, value] of Object.entries(who)) {
    expect((await send(server.url, creating(wholeBody(), { [name]: value }))).status).toBe(200)
  }
  for (const name of Object.keys(who)) {
    await refused(creating(wholeBody(), { [name]: Buffer.from('小明').toString('latin1') }), 9900403, "'小明'")
  }
})

it.each([
  ['BK_User', 'BK-User'],
  ['HTTP_BK_SUPPLIER_ACCOUNT', 'HTTP-BK-SUPPLIER-ACCOUNT'],
  ['HTTP_BLUEKING_SUPPLIER_ID', 'HTTP-BLUEKING-SUPPLIER-ID'],
  ['HTTP_BLUEKING_LANGUAGE', 'HTTP-BLUEKING-LANGUAGE'],
  ['cc_request_id', 'cc-request-id'],
])('accepts two spellings only with equal values: %s and %s', async (plain, hyphenated) => {
  const asked = (first: string, second: string) => creating(wholeBody(), { [plain]: first, [hyphenated]: second })
  const answer = await refuses(server, 1199006, `'${plain}'`, () => send(server.url, asked('0', '1')))
  expect(answer.status).toBe(400)
  expect((await send(server.url, { ...asked('0', '0'), path: '/api/v3/biz/search/0', body: '{}' })).status).toBe(200)
})

it('takes the supplier account from a header; HTTP_BK_SUPPLIER_ACCOUNT overrides, a path overrides both', async () => {
  const create = (path: string, headers: Record<string, string>) =>
    send(server.url, { path: `/api/v3${path}`, headers, body: '{"bk_biz_name":"Far away"}' })
  const far = { HTTP_BLUEKING_SUPPLIER_ID: '0', HTTP_BK_SUPPLIER_ACCOUNT: 'far' }
  await create('/biz/far', {})
  const audited = async (headers: Record<string, string>) =>
    (await server.call<{ count: number }>('POST', '/audit/search', {}, headers)).data.count
  expect(await audited(far)).toBe(1)
  expect(await audited({ HTTP_BLUEKING_SUPPLIER_ID: 'far' })).toBe(1)
  expect(await audited({})).toBeGreaterThan(1)
  const search = await server.call<{ count: number }>('POST', '/biz/search/0', {}, far)
  expect(search.data.count).toBe(1)
  expect((await create(`/set/${business}`, far)).bk_error_code).toBe(1199019)
})

it.each(['zh-cn', 'ZH-CN', 'zh_CN', 'cn'])('answers in the language of the header: %s', async (language) => {
  for (const name of ['HTTP_BLUEKING_LANGUAGE', 'http-blueking-language']) {
    const headers = { [name]: language }
    await refused({ ...creating('{}', headers) }, 1199010, '未赋值')
    await refused({ path: '/api/v3/nowhere', headers }, 1199037, '未知的路径或版本')
    await refused({ path: '/api/v2/nowhere', headers }, 1199037, '仅支持 /api/v3')
  }
  await refused(creating('{}', { HTTP_BLUEKING_LANGUAGE: 'fr' }), 1199010, 'unassigned')
})

it('echoes a request id and stores it with the change', async () => {
  const made = await send(server.url, creating(wholeBody(), { cc_request_id: 'order-66' }))
  expect(made.headers.cc_request_id).toBe('order-66')
  const failed = await send(server.url, creating('{', { 'cc-request-id': 'order-67' }))
  expect(failed.headers.cc_request_id).toBe('order-67')
  expect((await send(server.url, { path: '/api/x', headers: { cc_request_id: 'a' } })).headers.cc_request_id).toBe('a')
  expect((await findRecords(server, { request_id: 'order-66' })).data.info).toMatchObject([
    { op_target: 'set', request_id: 'order-66' },
  ])
})

it('generates a request id if none is sent, or an invalid one', async () => {
  for (const sent of [undefined, '', 'x'.repeat(129), 'two words']) {
    const made = await send(server.url, creating(wholeBody(), sent === undefined ? {} : { cc_request_id: sent }))
    const id = made.headers.cc_request_id
    expect(id).toMatch(/^[0-9a-v]{20}$/)
    expect((await findRecords(server, { request_id: id })).data.count).toBe(1)
  }
})

it.each([
  ['BK_User', 128],
  ['HTTP_BK_SUPPLIER_ACCOUNT', 64],
  ['HTTP_BLUEKING_SUPPLIER_ID', 64],
])('says how long a name may be: %s', async (name, max) => {
  const named = (length: number) => ({
    path: '/api/v3/biz/search/0',
    body: '{}',
    headers: { [name]: 'x'.repeat(length) },
  })
  expect((await send(server.url, named(max))).status).toBe(200)
  for (const got of [max + 1, 129, 2_000]) {
    await refused(
      named(got),
      1199006,
      `'${name}' data parameter verification does not pass: at most ${max} characters, got ${got}`,
    )
  }
})
