import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer as createRelay, type Socket } from 'node:net'
import { feed, sets } from '@mainline/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeBusiness, makeSet } from '../../server/src/testing/data/factories.ts'
import { startServer, type TestServer } from '../../server/src/testing/harness.ts'
import { createClient, Failure } from './index.ts'
import { streamOf } from './stream.ts'

let server: TestServer
let business: number
beforeAll(async () => {
  server = await startServer('sqlite')
  business = await makeBusiness(server)
})
afterAll(() => server.close())

/** A proxy to the server that can be cut. */
async function startRoad() {
  const { port } = new URL(server.url)
  const travellers = new Set<Socket>()
  let isOpen = true
  const relay = createRelay((near) => {
    if (!isOpen) return void near.destroy()
    const far = connect(Number(port), '127.0.0.1')
    for (const socket of [near, far]) {
      socket.on('error', () => {})
      socket.on('close', () => {
        near.destroy()
        far.destroy()
      })
    }
    travellers.add(near)
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}`,
    cut() {
      isOpen = false
      for (const socket of travellers) socket.destroy()
    },
    mend() {
      isOpen = true
    },
    close: () => relay.close(),
  }
}

it('resumes after the last event when the connection was cut, and reports it', async () => {
  const road = await startRoad()
  const told: string[] = []
  const seen = createClient({ url: road.url }).stream(feed.streamEvents, {
    query: { resource: 'set' },
    onLost: ({ kind }) => void (told.at(-1) !== kind && told.push(kind)),
    onBack: () => void told.push('back'),
  })
  const name = async () => (await seen.next()).value?.bk_detail?.bk_set_name
  const first = name()
  // Whether the stream is open cannot be seen from outside: changes are made until one is received.
  let made = 0
  const making = setInterval(() => makeSet(server, business, { bk_set_name: `set ${++made}` }), 100)
  expect(await first).toMatch(/^set \d+$/)
  clearInterval(making)
  const rest = makeSet(server, business, { bk_set_name: 'before the cut' })
  await rest
  let next = await name()
  while (next !== 'before the cut') next = await name()

  road.cut()
  await makeSet(server, business, { bk_set_name: 'while disconnected' })
  const heard = name()
  await expect.poll(() => told).toEqual(['unreachable'])
  road.mend()
  expect(await heard).toBe('while disconnected')
  expect(told).toEqual(['unreachable', 'back'])
  await seen.return()
  road.close()
})

it('ends with an error response, by the signal, and with a response that is no stream', async () => {
  const client = createClient({ url: server.url })
  const refused = client.stream(feed.streamEvents, { query: { resource: 'sett' } }).next()
  await expect(refused).rejects.toMatchObject({ kind: 'unknown', status: 400, text: expect.stringContaining('set') })
  const gone = client.stream(feed.streamEvents, { query: { bk_cursor: 'nonsense' } }).next()
  await expect(gone).rejects.toMatchObject({ kind: 'staleCursor' })

  const stop = new AbortController()
  const stopped = client.stream(feed.streamEvents, { signal: stop.signal }).next()
  setTimeout(() => stop.abort(), 50)
  await expect(stopped).rejects.toThrow('aborted')

  await expect(
    createClient({ url: `${server.url}/docs`, retries: 0 })
      .stream(feed.streamEvents)
      .next(),
  ).rejects.toThrow(Failure)
  expect(() => client.stream(sets.searchSet)).toThrow('search_set does not stream')
})

it('gives up the first connection after the retries, and no later one', async () => {
  const client = createClient({ url: 'http://127.0.0.1:9', retries: 1 })
  await expect(client.stream(feed.streamEvents).next()).rejects.toMatchObject({ kind: 'unreachable' })
})

it('treats silence as a lost connection, and waits as long as a busy server requests', async () => {
  const asked: (string | undefined)[] = []
  const answers: ((answer: ServerResponse) => void)[] = [
    (answer) =>
      answer.writeHead(200, { 'content-type': 'text/event-stream' }).write('id: 1\ndata: {"n":1}\n\nid: 2\n:\n\n'),
    (answer) =>
      answer
        .writeHead(503, { 'retry-after': '0', 'content-type': 'application/json' })
        .end('{"result":false,"bk_error_code":1199503,"bk_error_msg":"the service is not ready","data":null}'),
    (answer) => answer.writeHead(200, { 'content-type': 'text/event-stream' }).write('id: 3\ndata: {"n":3}\n\n'),
  ]
  const silent = createServer((request: IncomingMessage, answer) => {
    asked.push(request.headers['last-event-id'] as string | undefined)
    answers.shift()?.(answer)
  })
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const open = (last: string | undefined, signal: AbortSignal) =>
    fetch(url, { signal, headers: last === undefined ? {} : { 'last-event-id': last } }).then((answer) => {
      if (answer.ok) return answer
      throw new Failure('stream', { kind: 'notReady', status: answer.status, text: '', retryAfter: 0 })
    })
  const lost: string[] = []
  const ids: string[] = []
  const seen = streamOf(open, 'stream', {
    retries: 0,
    silence: 150,
    onLost: ({ text }) => lost.push(text),
    onId: (id) => ids.push(id),
  })
  expect((await seen.next()).value).toEqual({ n: 1 })
  expect((await seen.next()).value).toEqual({ n: 3 })
  expect(asked).toEqual([undefined, '2', '2'])
  expect(ids).toEqual(['1', '2', '3'])
  expect(lost[0]).toContain('nothing was heard for 0.15 s')
  await seen.return()
  silent.closeAllConnections()
  silent.close()
})
