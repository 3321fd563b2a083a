import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import fastify from 'fastify'
import { expect, it } from 'vitest'
import { lingerOnEarlyAnswers } from './linger.ts'

const unlimited = { totalMs: 600_000, idleMs: 600_000, maxBytes: Number.MAX_SAFE_INTEGER, stoppingMs: 600_000 }

/** A server with a body limit of 1 KB, and a connection that has announced a megabyte. */
async function announce(limits: Partial<typeof unlimited>, framing = 'Content-Length: 1000000', path = '/') {
  const app = fastify({ bodyLimit: 1_000, forceCloseConnections: 'idle', return503OnClosing: false })
  lingerOnEarlyAnswers(app, { ...unlimited, ...limits })
  app.post('/', async () => 'taken')
  const refuse = async () => {
    throw Object.assign(new Error('refused'), { statusCode: 403 })
  }
  app.post('/refused', { bodyLimit: 1_000_000_000, onRequest: refuse }, async () => 'taken')
  const { hostname, port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const socket = connect(Number(port), hostname)
  // The client may see a reset after the answer.
  socket.on('error', () => {})
  let answer = ''
  socket.on('data', (part) => {
    answer += part.toString()
  })
  socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`)
  const closed = once(socket, 'close')
  return { app, socket, closed, answered: () => answer }
}

/** Polls until a condition holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(10)
}

it('answers before the body has arrived, and closes the connection once it has', async () => {
  const { app, socket, closed, answered } = await announce({})
  await until(() => answered().includes('}'))
  expect(answered()).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close/i)
  socket.write(Buffer.alloc(999_999))
  await pause(100)
  expect(socket.readyState).toBe('open')
  socket.write('x')
  await closed
  await app.close()
})

it('a body of unknown length is refused as soon as it exceeds the limit', async () => {
  const { app, socket, closed, answered } = await announce({}, 'Transfer-Encoding: chunked')
  const part = `400\r\n${'x'.repeat(1_024)}\r\n`
  socket.write(part)
  await until(() => answered().includes('}'))
  expect(answered()).toMatch(/^HTTP\/1\.1 413 /)
  for (let n = 0; n < 100; n++) socket.write(part)
  socket.write('0\r\n\r\n')
  await closed
  await app.close()
})

it.each([
  ['sends nothing', { idleMs: 100 }, 0],
  ['sends a byte now and then', { totalMs: 300 }, 1],
  ['sends more than is discarded', { maxBytes: 100_000 }, 50_000],
])('a client that %s is cut off after its answer', async (_, limits, bytes) => {
  const { app, socket, closed, answered } = await announce(limits)
  const sending = setInterval(() => bytes > 0 && socket.write(Buffer.alloc(bytes)), 20)
  await closed
  clearInterval(sending)
  expect(answered()).toMatch(/^HTTP\/1\.1 413 /)
  await app.close()
})

it('does not delay a stop', async () => {
  const { app, closed, answered } = await announce({ stoppingMs: 100 })
  await until(() => answered().includes('}'))
  await app.close()
  await closed
})

it.each([
  ['too long', '/'],
  ['within the limit, of a request that is refused', '/refused'],
])('discards a body %s without keeping what it has read until the next garbage collection', async (_, path) => {
  const bytes = 200_000_000
  const { app, socket, closed, answered } = await announce({}, `Content-Length: ${bytes}`, path)
  await until(() => answered().includes('}'))
  const part = Buffer.alloc(1_000_000)
  const before = process.memoryUsage().arrayBuffers
  let most = 0
  for (let sent = 0; sent < bytes; sent += part.length) {
    if (!socket.write(part)) await once(socket, 'drain')
    most = Math.max(most, process.memoryUsage().arrayBuffers - before)
  }
  await closed
  await app.close()
  // V8 by itself collects buffers once there are 64 MB of them.
  expect(most).toBeLessThan(20_000_000)
})
