import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import { afterEach, expect, it } from 'vitest'
import { makeBusiness, setBody } from '../../testing/data/factories.ts'
import { subscriptionBody } from '../../testing/data/subscriptions.ts'
import { startServer, type TestServer } from '../../testing/harness.ts'

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

it('every request is one log line, and an error is found by its request id', async () => {
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
  expect(line).not.toHaveProperty('cut')

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

  // Successful health checks are not logged.
  for (const path of ['/healthz', '/readyz', '/metrics']) await fetch(`${server.url}${path}`)
  expect(lines().filter(({ route }) => route === '/healthz' || route === '/metrics')).toEqual([])
})

it('streams are logged when they end, and connections that send no HTTP request are logged', async () => {
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

it('the duration is from the head of a request to its answer, or until the client disconnects', async () => {
  const lines = await logging()
  const business = await makeBusiness(server)
  const uploadMs = 200
  const body = JSON.stringify(setBody(business))
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  const path = `/api/v3/set/${business}`
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\ncc_request_id: r-4\r\nContent-Length: ${body.length}\r\n\r\n`,
  )
  await pause(uploadMs)
  socket.write(body)
  await found(lines, 'r-4')
  socket.destroy()
  const [slow] = lines().filter(({ request_id }) => request_id === 'r-4')
  expect(slow).toMatchObject({ status: 200 })
  expect(slow).not.toHaveProperty('cut')
  expect(slow?.duration_ms).toBeGreaterThan(uploadMs / 2)
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  const [, spent] =
    /^mainline_request_duration_seconds_sum\{operation="create_set",status="200"\} (.*)$/m.exec(metrics) ?? []
  expect(Number(spent)).toBeGreaterThan(uploadMs / 2_000)

  const leaving = new AbortController()
  const headers = { 'content-type': 'application/json', cc_request_id: 'r-5' }
  const watching = fetch(`${server.url}/api/v3/event/watch/resource/set`, {
    method: 'POST',
    body: '{}',
    headers,
    signal: leaving.signal,
  })
  await pause(uploadMs)
  leaving.abort()
  await expect(watching).rejects.toThrow()
  await found(lines, 'r-5')
  expect(lines().find(({ request_id }) => request_id === 'r-5')).toMatchObject({
    operation: 'watch_resource',
    cut: true,
  })
})

it('log lines contain no secrets', async () => {
  const lines = await logging('--auth=token')
  const secret = 's3cr3t'
  const headers = { authorization: `Bearer ${secret}`, cookie: `mainline=${secret}` }
  const url = `http://user:${secret}@127.0.0.1:1/${secret}?token=${secret}`
  await server.call('POST', '/event/subscribe/0/0', subscriptionBody(url), headers)
  const { tokens } = server.service
  const asked = { user: 'admin', account: '0', name: 'test', readOnly: false, lifetimeMs: null }
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

it('long names in requests do not fill the log', async () => {
  const lines = await logging()
  const long = 'n'.repeat(100_000)
  const business = await makeBusiness(server)
  const search = (name: string) => ({ page: {}, condition: { [name]: { [name]: name } } })
  const subscription = { ...subscriptionBody('http://127.0.0.1:9/'), subscription_form: long }
  const refused = [
    await server.call('POST', '/audit/search', { condition: { [long]: 1 }, sort: long }),
    await server.call('POST', `/set/search/0/${business}`, { ...search(long), fields: [long] }),
    await server.call('POST', '/hosts/search', { condition: [{ bk_obj_id: long, condition: [] }] }),
    await server.call('POST', '/hosts/search', {
      condition: [{ bk_obj_id: 'host', fields: [long] }],
      page: { sort: long },
    }),
    await server.call('POST', '/event/subscribe/0/0', subscription),
    await server.call('POST', `/set/${business}`, setBody(business, { [long]: long })),
    await server.call('GET', `/${'n'.repeat(10_000)}`),
    await server.call('GET', `/hosts/${'n'.repeat(10_000)}/1`),
    await server.call('GET', '/hosts/0/1', undefined, {
      BK_User: 'n'.repeat(10_000),
      cc_request_id: 'n'.repeat(10_000),
    }),
  ]
  for (const { result } of refused) expect(result).toBe(false)
  await expect.poll(() => lines().filter(({ status }) => status !== 200)).toHaveLength(refused.length)
  for (const line of lines()) expect(JSON.stringify(line).length).toBeLessThan(2_500)
  // Nor is the name repeated at length in the answer.
  for (const answer of refused) expect(JSON.stringify(answer).length).toBeLessThan(2_500)
})

it('successful requests are sampled or not logged, as configured', async () => {
  const lines = await logging('--request-log=errors')
  await makeBusiness(server)
  await server.call('GET', '/nowhere')
  expect(lines().map(({ status }) => status)).toEqual([404])
})

it('nothing is logged when the request log is off', async () => {
  const lines = await logging('--request-log=off')
  await server.call('GET', '/nowhere')
  expect(lines()).toEqual([])
})

it('requests for the API explorer and its files are logged', async () => {
  const lines = await logging()
  for (const path of ['/docs/api/try', '/docs/api/try/json']) {
    await (await fetch(`${server.url}${path}`)).arrayBuffer()
    await expect
      .poll(() => lines().filter(({ route }) => route === path))
      .toMatchObject([{ method: 'GET', status: 200, bytes_out: expect.any(Number) }])
  }
})
