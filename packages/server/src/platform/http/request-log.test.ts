import { once } from 'node:events'
import { connect } from 'node:net'
import { pino } from 'pino'
import { afterEach, expect, it } from 'vitest'
import { makeBusiness, setBody } from '../../testing/factories.ts'
import { startServer, type TestServer } from '../../testing/harness.ts'
import { subscriptionBody } from '../../testing/subscriptions.ts'

type Line = Record<string, unknown>

let server: TestServer
afterEach(() => server.close())

/** A server, and the requests it has logged so far. */
async function logging(...flags: string[]): Promise<() => Line[]> {
  const lines: Line[] = []
  const log = pino({ level: 'info' }, { write: (text: string) => void lines.push(JSON.parse(text)) })
  server = await startServer('sqlite', { flags, log })
  return () => lines.filter(({ msg }) => msg === 'request')
}

const found = (lines: () => Line[], request_id: string) =>
  expect.poll(() => lines().filter((line) => line.request_id === request_id)).toHaveLength(1)

it('every request is one line, and a refusal is found by its request id', async () => {
  const lines = await logging()
  const business = await makeBusiness(server)
  const body = JSON.stringify(setBody(business))
  const headers = { BK_User: 'amy', cc_request_id: 'r-1' }
  await server.call('POST', `/set/${business}`, body, headers)
  await found(lines, 'r-1')
  const [line] = lines().filter(({ request_id }) => request_id === 'r-1')
  expect(line).toMatchObject({
    level: 30,
    method: 'POST',
    route: '/api/v3/set/:bk_biz_id',
    operation: 'create_set',
    status: 200,
    code: 0,
    duration_ms: expect.any(Number),
    caller: 'amy',
    account: '0',
    bytes_in: body.length,
    bytes_out: expect.any(Number),
    client: '127.0.0.1',
  })
  expect(line?.bytes_out).toBeGreaterThan(20)

  const again = await server.call('POST', `/set/${business}`, body, { cc_request_id: 'r-2' })
  const refused = lines().find(({ request_id }) => request_id === 'r-2')
  expect(refused).toMatchObject({ status: again.status, code: again.bk_error_code, message: again.bk_error_msg })

  const nowhere = await fetch(`${server.url}/api/v3/nowhere?token=s3cret`)
  const id = nowhere.headers.get('cc_request_id') ?? ''
  expect(lines().find(({ request_id }) => request_id === id)).toMatchObject({
    status: 404,
    code: 1199037,
    path: '/api/v3/nowhere',
  })

  // What watches the server is no news.
  for (const path of ['/healthz', '/readyz', '/metrics']) await fetch(`${server.url}${path}`)
  expect(lines().filter(({ route }) => route === '/healthz' || route === '/metrics')).toEqual([])
})

it('a stream is logged when it ends, and bytes that are no request are', async () => {
  const lines = await logging()
  const business = await makeBusiness(server)
  const stopping = new AbortController()
  const { signal } = stopping
  const answer = await fetch(`${server.url}/api/v3/event/stream?resource=set`, {
    signal,
    headers: { cc_request_id: 'r-3' },
  })
  await server.call('POST', `/set/${business}`, setBody(business))
  const reader = answer.body?.getReader()
  let read = ''
  while (!read.includes('bk_set_name')) read += new TextDecoder().decode((await reader?.read())?.value)
  expect(lines().filter(({ request_id }) => request_id === 'r-3')).toEqual([])
  stopping.abort()
  await found(lines, 'r-3')
  const line = lines().find(({ request_id }) => request_id === 'r-3')
  expect(line).toMatchObject({ operation: 'stream_events', status: 200, code: 0 })
  expect(line?.bytes_out).toBeGreaterThanOrEqual(read.length)

  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  socket.end('nonsense\r\n\r\n')
  await once(socket.resume(), 'close')
  expect(lines().at(-1)).toMatchObject({ status: 400, code: 1199400, client: '127.0.0.1' })
})

it('no line holds a secret', async () => {
  const lines = await logging('--auth=token')
  const secret = 's3cr3t'
  const headers = { authorization: `Bearer ${secret}`, cookie: `mainline=${secret}` }
  const url = `http://user:${secret}@127.0.0.1:1/${secret}?token=${secret}`
  await server.call('POST', '/event/subscribe/0/0', subscriptionBody(url), headers)
  const { tokens } = server.service
  const asked = { user: 'admin', account: '0', name: 'test', readOnly: false, lifetime: null }
  const { text: token } = await tokens.create('test', asked)
  const good = { authorization: `Bearer ${token}` }
  for (const callback_url of [url, `http://127.0.0.1:1/?token=${secret}`, `ftp://user:${secret}@host/`]) {
    await server.call('POST', '/event/subscribe/0/0', subscriptionBody(callback_url), good)
    await server.call('POST', '/event/subscribe/ping', { callback_url, data: {} }, good)
  }
  expect(lines().length).toBeGreaterThan(5)
  expect(JSON.stringify(lines())).not.toContain(secret)
  expect(JSON.stringify(lines())).not.toContain(token)
})

it('what succeeds is logged in part or not at all, as the setting says', async () => {
  const lines = await logging('--request-log=errors')
  await makeBusiness(server)
  await server.call('GET', '/nowhere')
  expect(lines().map(({ status }) => status)).toEqual([404])
})

it('nothing is logged when it is off', async () => {
  const lines = await logging('--request-log=off')
  await server.call('GET', '/nowhere')
  expect(lines()).toEqual([])
})
