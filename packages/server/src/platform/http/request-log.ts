import type { Socket } from 'node:net'
import { Problem } from '@mainline/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { ServeConfig } from '../config.ts'
import { beyondProxies } from '../networks.ts'
import { forwardedIn } from './identity/index.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Why it was refused. */
    problem: Problem | null
    bodyBytes: number
  }
}

export interface RequestLog {
  /** A stream has ended, whole or not. */
  streamed(request: FastifyRequest, reply: FastifyReply, bytesOut: number, failure: unknown): void
  /** A connection whose bytes are no request: there is nothing else to log about it. */
  unreadable(socket: Socket, error: NodeJS.ErrnoException, answer: { status: number; code: number }): void
}

const off: RequestLog = { streamed() {}, unreadable() {} }

/** Asked for every few seconds by whatever watches the server: logged only when they fail. */
const probes = new Set(['/healthz', '/readyz', '/metrics'])

/** What of an unknown path is logged. */
const longestPath = 200

/**
 * One line for each request, when its answer is ready to be sent. Never its query, headers or body, which may hold secrets:
 * a path is logged as its route, and only one that leads nowhere as it was sent.
 */
export function logRequests(
  app: FastifyInstance,
  { requestLog, proxies }: Pick<ServeConfig, 'requestLog' | 'proxies'>,
  log: Logger,
): RequestLog {
  app.decorateRequest('problem', null)
  app.decorateRequest('bodyBytes', 0)
  if (requestLog === 'off' || !log.isLevelEnabled('info')) return off

  const write = (
    request: FastifyRequest,
    reply: FastifyReply,
    bytesOut: number,
    failure: Problem | null,
    cut = false,
  ) => {
    const { statusCode } = reply
    const { url: route = '', config } = request.routeOptions
    const hasFailed = failure !== null || cut || statusCode >= 400
    if (!hasFailed && (probes.has(route) || (requestLog < 1 && Math.random() >= requestLog))) return
    const { identity, raw } = request
    const line: Record<string, unknown> = {
      method: request.method,
      route: request.is404 ? '' : route,
      operation: config.operation ?? '',
      status: statusCode,
      code: failure?.code ?? 0,
      duration_ms: Math.round(reply.elapsedTime * 100) / 100,
      caller: identity?.user ?? '',
      account: identity?.account ?? '',
      request_id: identity?.requestId ?? '',
      bytes_in: request.bodyBytes || Number(request.headers['content-length'] ?? 0),
      bytes_out: bytesOut,
      client: beyondProxies(request.ip, forwardedIn(request.headers), proxies),
    }
    if (failure) line.message = failure.text('en')
    if (request.is404) line.path = request.url.split('?')[0]?.slice(0, longestPath)
    // The client has gone away before its answer, or a stream did not come to its end.
    if (cut || raw.destroyed || raw.socket.destroyed) line.cut = true
    log.info(line, 'request')
  }

  app.addHook('onSend', (request, reply, payload, done) => {
    write(request, reply, sizeOf(payload, reply), request.problem)
    done()
  })
  return {
    streamed(request, reply, bytesOut, failure) {
      write(request, reply, bytesOut, failure instanceof Problem ? failure : null, failure !== undefined)
    },
    unreadable(socket, { code: reason }, { status, code }) {
      if (reason === 'ECONNRESET') return
      log.info({ method: '', route: '', status, code, client: socket.remoteAddress, message: reason }, 'request')
    },
  }
}

function sizeOf(payload: unknown, reply: FastifyReply): number {
  if (typeof payload === 'string') return Buffer.byteLength(payload)
  if (payload instanceof Uint8Array) return payload.length
  return Number(reply.getHeader('content-length') ?? 0)
}
