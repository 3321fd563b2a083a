import type { Socket } from 'node:net'
import { Problem } from '@mainline/contract'
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { ServeConfig } from '../../common/config.ts'
import { lineWriterOf } from '../../common/logger.ts'
import { beyondProxies } from '../../common/networks.ts'
import { forwardedIn } from '../../identity/index.ts'
import { elapsedMs } from './elapsed.ts'
import { probePaths } from './probes.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set when the request was refused. */
    problem: Problem | null
    bodyBytes: number
  }
}

export interface RequestLog {
  /** A stream has ended; `failure` is set when it was cut off. */
  streamed(request: FastifyRequest, reply: FastifyReply, bytesOut: number, failure: unknown): void
  /** The connection sent bytes that are not an HTTP request. */
  unreadable(socket: Socket, error: NodeJS.ErrnoException, answer: { status: number; code: number }): void
}

const off: RequestLog = { streamed() {}, unreadable() {} }

/** Unknown paths are truncated to this length. */
const longestPath = 200

/**
 * Writes one line for each request, when its answer is ready. Query, headers and body are never logged, since they may hold secrets:
 * the path is logged as its route, and as sent only when no route matches.
 */
export function logRequests(
  app: FastifyInstance,
  { requestLog, proxies }: Pick<ServeConfig, 'requestLog' | 'proxies'>,
  log: Logger,
): RequestLog {
  app.decorateRequest('problem', null)
  app.decorateRequest('bodyBytes', 0)
  if (requestLog === 'off' || !log.isLevelEnabled('info')) return off

  const writeLine = lineWriterOf(log, 'request')
  /** Log fields that are constant for a route, serialised once. */
  const known = new WeakMap<FastifyContextConfig, string>()
  const fieldsOf = (config: FastifyContextConfig & { url?: string }): string => {
    const found = known.get(config)
    if (found !== undefined) return found
    const fields = `,"route":${JSON.stringify(config.url ?? '')},"operation":${JSON.stringify(config.operation ?? '')}`
    known.set(config, fields)
    return fields
  }

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
    if (!hasFailed && (probePaths.has(route) || (requestLog < 1 && Math.random() >= requestLog))) return
    const { identity, raw, headers } = request
    let line = `,"method":"${request.method}"${fieldsOf(config)},"status":${statusCode},"code":${failure?.code ?? 0}`
    line += `,"duration_ms":${Math.round(elapsedMs(request) * 100) / 100}`
    line += `,"caller":${JSON.stringify(identity?.user ?? '')},"account":${JSON.stringify(identity?.account ?? '')}`
    line += `,"request_id":${JSON.stringify(identity?.requestId ?? '')}`
    line += `,"bytes_in":${request.bodyBytes || Number(headers['content-length'] ?? 0)},"bytes_out":${bytesOut}`
    line += `,"client":${JSON.stringify(beyondProxies(request.ip, forwardedIn(headers), proxies))}`
    if (failure) line += `,"message":${JSON.stringify(failure.text('en'))}`
    if (request.is404) line += `,"path":${JSON.stringify(request.url.split('?')[0]?.slice(0, longestPath))}`
    // The client disconnected before the answer, or a stream was cut off.
    if (cut || raw.socket.destroyed) line += ',"cut":true'
    writeLine(line)
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
