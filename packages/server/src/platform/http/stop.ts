import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** What somebody sends who has only just connected is waited for, so many milliseconds. */
const firstWords = 1_000
const sweepPause = 20

/** A kept-alive connection that was busy when the stop began would otherwise hold it up until its client lets go. */
export function closeConnectionsOnceIdle(app: FastifyInstance): void {
  closeOnlyIdle(app.server)
  let sweeping: NodeJS.Timeout | undefined
  app.addHook('preClose', async () => {
    sweeping = setInterval(() => app.server.closeIdleConnections(), sweepPause)
  })
  app.addHook('onClose', async () => clearInterval(sweeping))
}

interface Use {
  readonly since: number
  running: number
  /** How much had arrived when the last request was answered. */
  read: number
}

/**
 * Node calls a connection idle too that has been made and not heard of yet, and one whose answer is written but not sent:
 * a stop would lose the one's request and cut off the other's answer.
 */
function closeOnlyIdle(server: Server): void {
  const uses = new Map<Socket, Use>()
  server.on('connection', (socket: Socket) => {
    uses.set(socket, { since: performance.now(), running: 0, read: 0 })
    socket.once('close', () => uses.delete(socket))
  })
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const use = uses.get(socket)
    if (!use) return
    use.running++
    response.once('close', () => {
      use.running--
      use.read = socket.bytesRead
    })
  })
  server.closeIdleConnections = () => {
    for (const [socket, use] of uses) if (isIdle(socket, use)) socket.destroy()
  }
}

function isIdle({ bytesRead, writableLength }: Socket, { since, running, read }: Use): boolean {
  if (running > 0 || writableLength > 0 || bytesRead > read) return false
  return read > 0 || performance.now() > since + firstWords
}
