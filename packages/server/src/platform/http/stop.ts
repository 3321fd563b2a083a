import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** A kept-alive connection that was busy when the stop began would otherwise hold it up until its client lets go. */
export function closeConnectionsOnceIdle(app: FastifyInstance): void {
  keepAnswersWhole(app.server)
  let sweeping: NodeJS.Timeout | undefined
  app.addHook('preClose', async () => {
    sweeping = setInterval(() => app.server.closeIdleConnections(), 20)
  })
  app.addHook('onClose', async () => clearInterval(sweeping))
}

/** Node takes a connection for idle once its answer is written, and would cut off a long one that is still being sent. */
function keepAnswersWhole(server: Server): void {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const closeIdleConnections = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    if (!sockets.values().some(({ writableLength }) => writableLength > 0)) closeIdleConnections()
  }
}
