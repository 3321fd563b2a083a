import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { freeBytes } from '../bodies/free-bytes.ts'

/** Limits of reading the rest of a body after an early answer; the times are those of nginx's lingering close. */
interface LingerLimits {
  readonly totalMs: number
  /** Without receiving any bytes. */
  readonly idleMs: number
  readonly maxBytes: number
  /** Once the server is stopping. */
  readonly stoppingMs: number
}

const usual: LingerLimits = { totalMs: 30_000, idleMs: 5_000, maxBytes: 256 * 1024 * 1024, stoppingMs: 1_000 }

interface Lingering {
  /** Whether a request on this connection has been answered and the rest of its body is being discarded. */
  has(socket: Socket): boolean
}

/**
 * A request may be refused while its client is still sending the body. Closing the connection then resets it, and most clients
 * report a broken pipe in place of the answer. So the answer is sent in full, with its length, and the response is
 * ended, which closes the connection, only after the rest of the body has been read and discarded.
 */
export function lingerOnEarlyAnswers(app: FastifyInstance, limits: LingerLimits = usual): Lingering {
  const sockets = new WeakSet<Socket>()
  const lingering = new Set<() => void>()
  let isStopping = false
  let ending: NodeJS.Timeout | undefined

  async function* answerThenDiscard(answer: string | Buffer, request: IncomingMessage) {
    yield answer
    const totalMs = isStopping ? limits.stoppingMs : limits.totalMs
    sockets.add(request.socket)
    await discardRest(request, { ...limits, totalMs }, lingering)
  }

  app.addHook('onSend', (request, reply, answer, done) => {
    if (!mustLinger(request, reply.raw.shouldKeepAlive) || !isWhole(answer)) return done(null, answer)
    reply.header('connection', 'close').header('content-length', Buffer.byteLength(answer))
    done(null, Readable.from(answerThenDiscard(answer, request.raw), { objectMode: false }))
  })
  app.addHook('preClose', async () => {
    isStopping = true
    ending = setTimeout(() => {
      for (const end of lingering) end()
    }, limits.stoppingMs)
  })
  app.addHook('onClose', async () => clearTimeout(ending))
  return { has: (socket) => sockets.has(socket) }
}

const isWhole = (answer: unknown): answer is string | Buffer => typeof answer === 'string' || Buffer.isBuffer(answer)

/** Of a kept-alive connection Node itself reads a body to the end; longer ones are read here, where their memory is freed as they arrive. */
const maxBytesLeftToNode = 65_536

function mustLinger(request: FastifyRequest, keepsAlive: boolean): boolean {
  if (request.raw.complete) return false
  const { headers, routeOptions } = request
  if (headers['transfer-encoding'] !== undefined) return true
  const length = Number(headers['content-length'] ?? 0)
  return length > 0 && (!keepsAlive || length > Math.min(maxBytesLeftToNode, routeOptions.bodyLimit ?? 0))
}

function discardRest(request: IncomingMessage, limits: LingerLimits, lingering: Set<() => void>): Promise<void> {
  return new Promise((resolve) => {
    let left = limits.maxBytes
    const end = () => {
      clearTimeout(total)
      clearTimeout(idle)
      lingering.delete(end)
      request.off('data', discard)
      for (const event of ends) request.off(event, end)
      resolve()
    }
    const discard = (part: Buffer) => {
      left -= part.length
      freeBytes(part)
      if (left < 0) end()
      else idle.refresh()
    }
    const total = setTimeout(end, limits.totalMs)
    const idle = setTimeout(end, limits.idleMs)
    if (request.complete || request.destroyed) return end()
    lingering.add(end)
    request.on('data', discard)
    for (const event of ends) request.on(event, end)
    request.resume()
  })
}

const ends = ['end', 'close', 'error'] as const
