import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import fastify from 'fastify'
import { expect, it } from 'vitest'
import { closeConnectionsOnceIdle } from './stop.ts'

/** An app on a port of its own, and what connects to it. */
async function serve(answer: string) {
  const app = fastify({ forceCloseConnections: 'idle', return503OnClosing: false })
  closeConnectionsOnceIdle(app)
  app.get('/', async () => answer)
  const { hostname, port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const connected = once(app.server, 'connection')
  const socket = connect(Number(port), hostname)
  await connected
  return { app, socket }
}

const request = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'

it('an answer that is being sent when the stop begins arrives whole', async () => {
  // More than lies between two processes: most of it has not left when its reader begins.
  const long = 'x'.repeat(20_000_000)
  const { app, socket } = await serve(long)
  socket.write(request)
  await once(socket, 'readable')
  const closing = app.close()
  const arrived = Buffer.concat(await socket.toArray()).toString()
  expect(arrived.length - arrived.indexOf('\r\n\r\n') - 4).toBe(long.length)
  await closing
})

it('who has connected before the stop and asks a moment later is answered', async () => {
  const { app, socket } = await serve('here')
  const closing = app.close()
  await pause(100)
  // The beginning of it, and the rest.
  socket.write(request.slice(0, 10))
  await pause(100)
  socket.write(request.slice(10))
  expect(Buffer.concat(await socket.toArray()).toString()).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*here$/)
  await closing
})

it('nobody who only stays connected holds a stop up', async () => {
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
