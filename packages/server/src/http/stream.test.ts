import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { anyone, endpoint } from '@mainline/contract'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import Type from 'typebox'
import { afterEach, expect, it } from 'vitest'
import { readConfig } from '../common/config.ts'
import { open } from '../identity/index.ts'
import { asDocumented } from './dialect.ts'
import { createMetrics } from './observe/metrics.ts'
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
  effect: 'watch',
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
  effect: 'read',
  path: '/file',
  area: 'Events',
  summary: 'Something that has an end.',
  allow: anyone,
  streams: 'text/csv',
  data: Type.String(),
})

interface Waits {
  readonly maxStallMs?: number
  readonly finishingMs?: number
}

async function serve(parts: Stream['parts'], { finishingMs = 60_000, ...waits }: Waits = {}): Promise<string> {
  app = await createServer({
    config: { ...readConfig([], {}), bodyLimit: 1_024 },
    identification: open,
    routes: [
      handle(streaming, async () => new Stream('text/event-stream', parts, waits)),
      handle(filing, async () => new Stream('text/csv', parts, waits)),
    ],
    guards: {
      guard: () => undefined,
      guardInChange: () => undefined,
      openAccount: () => undefined,
      hasStoredResult: async () => false,
      openPast: () => Promise.reject(new Error('no past')),
    },
    ready: async () => {},
    metrics: createMetrics('sqlite'),
    dialect: asDocumented,
    log,
    finishingMs,
  })
  return app.listen({ host: '127.0.0.1', port: 0 })
}

it('parts are sent as they are produced, with the headers of a stream', async () => {
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

/** Sends one part, then waits until it is aborted. */
const waiting = (ended: () => void): Stream['parts'] =>
  async function* (until) {
    yield 'here'
    await new Promise((resolve) => until.addEventListener('abort', resolve))
    ended()
  }

it('an event stream ends immediately when the server stops', async () => {
  const url = await serve(waiting(() => {}))
  const answer = await fetch(`${url}/api/v3/stream`)
  const started = performance.now()
  await app.close()
  expect(await answer.text()).toBe('here')
  expect(performance.now() - started).toBeLessThan(10_000)
})

it('ends when the server stops on a machine that leaves it little time', async () => {
  const url = await serve(waiting(() => {}))
  const answer = await fetch(`${url}/api/v3/stream`)
  let isBusy = true
  // Every turn of the event loop is long: the stop waited for a short one until its hook failed, and ended no stream.
  const hold = () => {
    for (const until = performance.now() + 130; performance.now() < until; );
    if (isBusy) setImmediate(hold)
  }
  hold()
  const ended = answer.text().finally(() => {
    isBusy = false
  })
  await app.close()
  expect(await ended).toBe('here')
})

it('a file is sent completely when the server stops', async () => {
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

it('a file that exceeds the time limit of a stop is reset, in both versions of HTTP', async () => {
  const url = await serve(
    waiting(() => {}),
    { finishingMs: 100 },
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

it('ends when its client disconnects', async () => {
  const ended = Promise.withResolvers<void>()
  const url = await serve(waiting(ended.resolve))
  const gone = new AbortController()
  await fetch(`${url}/api/v3/stream`, { signal: gone.signal })
  gone.abort()
  await ended.promise
})

/** An endless stream that counts the requested parts. */
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

it('backpressure: a client that does not read gets no more parts, and is disconnected after a while', async () => {
  const count = { parts: 0 }
  const url = await serve(endless(count), { maxStallMs: 200 })
  const socket = await deafReader(url)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  while ((await openConnections()) === 0) await pause(5)
  while ((await openConnections()) > 0) await pause(5)
  // Only the buffers of the operating system fill up, with a few megabytes.
  expect(count.parts).toBeLessThan(500)
  socket.resume()
  await closed
  expect(logged).toEqual([])
})

const openConnections = () =>
  new Promise<number>((resolve, reject) =>
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )

it('a client that does not read does not delay a stop', async () => {
  const count = { parts: 0 }
  const socket = await deafReader(await serve(endless(count)))
  for (let before = -1; before !== count.parts || count.parts === 0; await pause(50)) before = count.parts
  const started = performance.now()
  await app.close()
  expect(performance.now() - started).toBeLessThan(10_000)
  socket.destroy()
})

it('an error in the middle of a stream resets the connection and is logged', async () => {
  const url = await serve(async function* () {
    yield 'one'
    throw new Error('the storage is gone')
  })
  await expect(fetch(`${url}/api/v3/stream`).then((answer) => answer.text())).rejects.toThrow()
  expect(logged.join()).toContain('the storage is gone')
})
