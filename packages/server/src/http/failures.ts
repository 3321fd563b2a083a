// Answers to failed requests.

import { failed, Problem, problem, rule } from '@mainline/contract'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { errorCodeOf } from '../common/error-code.ts'
import { type Identity, languageOf, requestIdOf } from '../identity/index.ts'
import type { Dialect } from './dialect.ts'
import { apiRoot } from './operation/bind.ts'
import type { Route } from './route.ts'

/** The caller of a request before it has been identified. */
export const anonymous = (request: FastifyRequest, { language }: Dialect): Identity => ({
  user: '',
  account: '',
  confined: false,
  readOnly: false,
  requestId: requestIdOf(request.headers),
  language: languageOf(request.headers, language),
})

export function answerFailure(problem: Problem, request: FastifyRequest, reply: FastifyReply, dialect: Dialect) {
  // Stored on the request, so that the log shows the same request id.
  request.identity ??= anonymous(request, dialect)
  const { identity } = request
  if (problem.kind === 'tooManyRequests' || problem.kind === 'notReady') {
    reply.header('retry-after', String(problem.retryAfter ?? 1))
  }
  return reply
    .code(dialect.status(problem))
    .header('cc_request_id', identity.requestId)
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(failed(problem, identity.language)))
}

/** Any other error is an internal one: the answer has only its request id, the log has the details. */
export function asProblem(error: unknown, request: FastifyRequest, log: Logger): Problem {
  if (error instanceof Problem) return error
  const code = errorCodeOf(error)
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return problem('notJson')
  // The client disconnected while sending the body: not an internal error, and no client reads the answer.
  if (code === 'ECONNRESET' && !request.raw.complete) return problem('malformedJson')
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH') return problem('unknownPath')
  // Errors of the static file plugin, such as path traversal.
  const { statusCode = 500 } = error as FastifyError
  if (request.routeOptions.config.operation === undefined && statusCode < 500) return problem('unknownPath')
  const requestId = request.identity?.requestId ?? requestIdOf(request.headers)
  log.error(
    { err: error, request_id: requestId, method: request.method, route: request.routeOptions.url },
    'request failed',
  )
  return problem('internal', { request: requestId })
}

/** The path may be right and only the method wrong. */
export function notFound(request: FastifyRequest, reply: FastifyReply, routes: readonly Route[]): Problem {
  const path = request.url.split('?')[0] ?? ''
  const methods = new Set(
    routes.filter(({ endpoint }) => patternOf(endpoint.path).test(path)).map(({ endpoint }) => endpoint.method),
  )
  if (methods.size > 0) {
    reply.header('allow', [...methods].join(', '))
    return problem('wrongMethod', { rule: rule('allowed', { methods: [...methods].join(', ') }) })
  }
  const otherVersion = path.startsWith('/api/') && !path.startsWith(`${apiRoot}/`)
  return otherVersion ? problem('unknownPath', { rule: rule('supported') }) : problem('unknownPath')
}

const patternOf = (path: string) => new RegExp(`^${apiRoot}${path.replace(/:\w+/g, '[^/]+')}$`)
