import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import fastify from 'fastify'
import { expect, it } from 'vitest'
import { StopNotice, stopInOrder } from './stop.ts'

/** An app on its own port, and its clients. */
async function serve(answer: string) {
  const app = fastify({ forceCloseConnections: 'idle', return503OnClosing: false })
  const notice = new StopNotice()
  stopInOrder(app, notice)
  app.get('/', async () => answer)
  const { hostname, port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const connected = once(app.server, 'connection')
  const socket = connect(Number(port), hostname)
  await connected
  return { app, socket, notice }
}

const request = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'

it('a response that is being sent when the stop begins arrives complete', async () => {
  // More than socket buffers hold: most of it has not been sent when the client starts reading.
  const long = 'x'.repeat(20_000_000)
  const { app, socket } = await serve(long)
  socket.write(request)
  await once(socket, 'readable')
  const closing = app.close()
  const arrived = Buffer.concat(await socket.toArray()).toString()
  expect(arrived.length - arrived.indexOf('\r\n\r\n') - 4).toBe(long.length)
  await closing
})

it('a client that connected before the stop and sends its request a moment later is answered', async () => {
  const { app, socket } = await serve('here')
  const closing = app.close()
  await pause(100)
  // Sent in two parts.
  socket.write(request.slice(0, 10))
  await pause(100)
  socket.write(request.slice(10))
  expect(Buffer.concat(await socket.toArray()).toString()).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*here$/)
  await closing
})

it('idle connections do not delay a stop', async () => {
  const { app, socket: silent } = await serve('here')
  const { hostname, port } = new URL(app.listeningOrigin)
  const kept = connect(Number(port), hostname)
  kept.write(request)
  await once(kept, 'readable')
  const started = performance.now()
  await app.close()
  expect(performance.now() - started).toBeLessThan(10_000)
  for (const socket of [silent, kept]) await socket.resume().toArray()
})

it('after the notice every response announces that its connection will be closed, on new connections too', async () => {
  const { app, socket, notice } = await serve('here')
  socket.write(request)
  expect(String((await once(socket, 'data'))[0])).toMatch(/Connection: keep-alive/i)
  notice.give(60_000)
  const { hostname, port } = new URL(app.listeningOrigin)
  for (const each of [socket, connect(Number(port), hostname)]) {
    each.write(request)
    expect(Buffer.concat(await each.toArray()).toString()).toMatch(/Connection: close[\s\S]*here$/i)
  }
  await app.close()
})

it('a connection that is idle when the server stops is answered once more, within the announced time', async () => {
  const { app, socket, notice } = await serve('here')
  socket.write(request)
  await once(socket, 'data')
  notice.give(60_000)
  const closing = app.close()
  await pause(200)
  socket.write(request)
  expect(Buffer.concat(await socket.toArray()).toString()).toMatch(/Connection: close[\s\S]*here$/i)
  await closing
})

it('a second notice closes idle connections earlier', async () => {
  const { app, socket, notice } = await serve('here')
  socket.write(request)
  await once(socket, 'data')
  notice.give(600_000)
  const closing = app.close()
  await pause(100)
  notice.give(100)
  await closing
  await socket.toArray()
})
