import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { anyone, endpoint } from '@mainline/contract'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import Type from 'typebox'
import { afterEach, expect, it } from 'vitest'
import { readConfig } from '../config.ts'
import { asDocumented } from './compat.ts'
import { open } from './identity/index.ts'
import { createMetrics } from './metrics.ts'
import { handle } from './route.ts'
import { createServer } from './server.ts'
import { Stream } from './stream.ts'

const logged: string[] = []
const log = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) })
let app: FastifyInstance
afterEach(async () => {
  logged.length = 0
  await app.close()
})

const streaming = endpoint({
  name: 'stream_something',
  method: 'GET',
  path: '/stream',
  area: 'Events',
  summary: 'Something, again and again.',
  allow: anyone,
  streams: 'text/event-stream',
  data: Type.String(),
})

const filing = endpoint({
  name: 'get_file',
  method: 'GET',
  path: '/file',
  area: 'Events',
  summary: 'Something that has an end.',
  allow: anyone,
  streams: 'text/csv',
  data: Type.String(),
})

interface Waits {
  /** How long a caller may leave it unread, and how long a file may go on when the server stops, in milliseconds. */
  readonly patient?: number
  readonly finishing?: number
}

async function serve(parts: Stream['parts'], { finishing = 60_000, ...waits }: Waits = {}): Promise<string> {
  app = await createServer({
    config: { ...readConfig([], {}), bodyLimit: 1_024 },
    identification: open,
    routes: [
      handle(streaming, async () => new Stream('text/event-stream', parts, waits)),
      handle(filing, async () => new Stream('text/csv', parts, waits)),
    ],
    house: { guard: () => undefined, openAccount: () => undefined },
    ready: async () => {},
    metrics: createMetrics('sqlite'),
    dialect: asDocumented,
    log,
    finishing,
  })
  return app.listen({ host: '127.0.0.1', port: 0 })
}

it('parts go out as they come, with the headers of a stream', async () => {
  const next = Promise.withResolvers<string>()
  const url = await serve(async function* () {
    yield 'one'
    yield await next.promise
  })
  const answer = await fetch(`${url}/api/v3/stream`, { headers: { cc_request_id: 'r-1' } })
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    cc_request_id: 'r-1',
  })
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  expect(await reader?.read()).toEqual({ done: false, value: 'one' })
  next.resolve('two')
  expect(await reader?.read()).toEqual({ done: false, value: 'two' })
  expect(await reader?.read()).toMatchObject({ done: true })
})

/** Says one thing and then waits to be ended. */
const waiting = (ended: () => void): Stream['parts'] =>
  async function* (until) {
    yield 'here'
    await new Promise((resolve) => until.addEventListener('abort', resolve))
    ended()
  }

it('ends at once when the server stops', async () => {
  const url = await serve(waiting(() => {}))
  const answer = await fetch(`${url}/api/v3/stream`)
  const started = performance.now()
  await app.close()
  expect(await answer.text()).toBe('here')
  expect(performance.now() - started).toBeLessThan(10_000)
})

it('a file goes on to its end when the server stops', async () => {
  const stopped = Promise.withResolvers<string>()
  const url = await serve(async function* () {
    yield 'one\n'
    yield await stopped.promise
    yield 'three\n'
  })
  const answer = await fetch(`${url}/api/v3/file`)
  const closing = app.close()
  await pause(100)
  stopped.resolve('two\n')
  expect(await answer.text()).toBe('one\ntwo\nthree\n')
  await closing
})

it('a file that the stop cannot wait for breaks off, in either version of HTTP', async () => {
  const url = await serve(
    waiting(() => {}),
    { finishing: 100 },
  )
  const answer = await fetch(`${url}/api/v3/file`)
  const old = connect(Number(new URL(url).port), '127.0.0.1')
  const broken = once(old, 'error')
  old.write('GET /api/v3/file HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n')
  await once(old, 'data')
  const closing = app.close()
  await expect(answer.text()).rejects.toThrow()
  expect(await broken).toEqual([expect.objectContaining({ code: 'ECONNRESET' })])
  await closing
})

it('ends when its caller goes away', async () => {
  const ended = Promise.withResolvers<void>()
  const url = await serve(waiting(ended.resolve))
  const gone = new AbortController()
  await fetch(`${url}/api/v3/stream`, { signal: gone.signal })
  gone.abort()
  await ended.promise
})

/** Without an end, until it is asked for no more. */
const endless = (count: { parts: number }): Stream['parts'] =>
  async function* () {
    for (;;) {
      count.parts++
      yield 'x'.repeat(100_000)
    }
  }

async function deafReader(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await new Promise((resolve) => socket.once('connect', resolve))
  socket.on('error', () => {})
  socket.pause()
  socket.write('GET /api/v3/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  return socket
}

it('a caller who does not read is given no more, and is dropped after a while', async () => {
  const count = { parts: 0 }
  const url = await serve(endless(count), { patient: 200 })
  const socket = await deafReader(url)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  while ((await openConnections()) === 0) await pause(5)
  while ((await openConnections()) > 0) await pause(5)
  // Buffers of the system hold some megabytes; ours none.
  expect(count.parts).toBeLessThan(500)
  socket.resume()
  await closed
  expect(logged).toEqual([])
})

const openConnections = () =>
  new Promise<number>((resolve, reject) =>
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )

it('a caller who does not read holds up no stop', async () => {
  const count = { parts: 0 }
  const socket = await deafReader(await serve(endless(count)))
  for (let before = -1; before !== count.parts || count.parts === 0; await pause(50)) before = count.parts
  const started = performance.now()
  await app.close()
  expect(performance.now() - started).toBeLessThan(10_000)
  socket.destroy()
})

it('what breaks in the middle ends the connection and is told in the log', async () => {
  const url = await serve(async function* () {
    yield 'one'
    throw new Error('the storage is gone')
  })
  await expect(fetch(`${url}/api/v3/stream`).then((answer) => answer.text())).rejects.toThrow()
  expect(logged.join()).toContain('the storage is gone')
})
