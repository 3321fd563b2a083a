import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** A new connection has at least this long to send its first request. */
const firstRequestMs = 1_000
const sweepPauseMs = 20
/** How long to wait for a short turn of the event loop: on a busy machine there may be none. */
const maxAcceptMs = 1_000

/**
 * Announces that the server is going to stop. From then on every reply has `Connection: close`, so that clients stop reusing their
 * connections. HTTP/1.1 cannot announce this on an idle connection, and closing one loses a request that is sent at the same moment.
 * So only connections that have been idle for `idleMs` are closed.
 */
export class StopNotice {
  #givenAt: number | undefined
  #idleMs = 0

  /** May be called again with a smaller value, to close idle connections earlier. */
  give(idleMs: number): void {
    this.#givenAt ??= performance.now()
    this.#idleMs = idleMs
  }

  get isGiven(): boolean {
    return this.#givenAt !== undefined
  }

  /** When a connection that is idle since `idleSince` may be closed. */
  idleEnd(idleSince = 0): number {
    return Math.max(idleSince, this.#givenAt ?? 0) + this.#idleMs
  }
}

export function stopInOrder(app: FastifyInstance, notice: StopNotice): void {
  const uses = closeOnlyIdle(app.server, notice)
  // For replies that bypass Fastify.
  app.server.prependListener('request', (_request, response) => {
    if (notice.isGiven) response.setHeader('connection', 'close')
  })
  // For requests that began before the notice; not if the client has already sent the next request (pipelining).
  app.addHook('onSend', ({ raw: { socket } }, reply, payload, done) => {
    if (notice.isGiven && (uses.get(socket)?.running ?? 0) < 2) reply.header('connection', 'close')
    done(null, payload)
  })
  let sweeping: NodeJS.Timeout | undefined
  app.addHook('preClose', async () => {
    sweeping = setInterval(() => app.server.closeIdleConnections(), sweepPauseMs)
    await acceptedAll()
  })
  app.addHook('onClose', async () => clearInterval(sweeping))
}

/**
 * Closing the listening socket resets connections that the kernel has accepted but the event loop has not. So it is closed right after
 * a short turn of the event loop, when at most connections of the last millisecond are affected.
 */
async function acceptedAll(): Promise<void> {
  const until = performance.now() + maxAcceptMs
  for (let began = performance.now(); began < until; began = performance.now()) {
    await nextTurn()
    if (performance.now() - began < 1) return
  }
}

interface Use {
  idleSince: number
  running: number
  /** `socket.bytesRead` when the last request was answered. */
  read: number
}

/**
 * Node's `closeIdleConnections` also closes new connections that have not sent anything yet, and those whose reply is written but not
 * flushed: a stop would lose the request of the former and truncate the reply of the latter.
 */
function closeOnlyIdle(server: Server, notice: StopNotice): ReadonlyMap<Socket, Readonly<Use>> {
  const uses = new Map<Socket, Use>()
  server.on('connection', (socket: Socket) => {
    uses.set(socket, { idleSince: performance.now(), running: 0, read: 0 })
    socket.once('close', () => uses.delete(socket))
  })
  function ended(this: ServerResponse): void {
    const { socket } = this.req
    const use = uses.get(socket)
    if (!use) return
    use.running--
    use.read = socket.bytesRead
    use.idleSince = performance.now()
  }
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const use = uses.get(socket)
    if (!use) return
    use.running++
    // 'close' is emitted once per response; one shared listener avoids a closure per request.
    response.on('close', ended)
  })
  server.closeIdleConnections = () => {
    const expired = [...uses].filter(([socket, use]) => isIdle(socket, use, notice))
    // Requests that arrived during a long turn of the event loop are read before this runs.
    setImmediate(() => {
      for (const [socket, use] of expired) if (isIdle(socket, use, notice)) socket.destroy()
    })
  }
  return uses
}

function isIdle({ bytesRead, writableLength }: Socket, { idleSince, running, read }: Use, notice: StopNotice): boolean {
  if (running > 0 || writableLength > 0 || bytesRead > read) return false
  const end = notice.idleEnd(idleSince)
  return performance.now() >= (read > 0 ? end : Math.max(end, idleSince + firstRequestMs))
}
