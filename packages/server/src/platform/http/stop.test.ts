import { once } from 'node:events'
import { connect } from 'node:net'
import fastify from 'fastify'
import { expect, it } from 'vitest'
import { closeConnectionsOnceIdle } from './stop.ts'

it('an answer that is being sent when the stop begins arrives whole', async () => {
  const app = fastify({ forceCloseConnections: 'idle' })
  closeConnectionsOnceIdle(app)
  // More than lies between two processes: most of it has not left when its reader begins.
  const long = 'x'.repeat(20_000_000)
  app.get('/long', async () => long)
  const { hostname, port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))

  const socket = connect(Number(port), hostname)
  socket.write('GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(socket, 'readable')
  const closing = app.close()
  const arrived = Buffer.concat(await socket.toArray()).toString()
  expect(arrived.length - arrived.indexOf('\r\n\r\n') - 4).toBe(long.length)
  await closing
})
