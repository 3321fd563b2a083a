import { failed, Problem, problem, rule } from '@mainline/contract'
import fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { ServeConfig } from '../config.ts'
import { apiRoot, bind, type House } from './bind.ts'
import { parseBody, refuseCoding, refuseOtherFiles, refuseOtherTypes } from './body.ts'
import type { Dialect } from './compat.ts'
import { serveConsole } from './console.ts'
import { holdBackContinue } from './continue.ts'
import { allowOrigins } from './cors.ts'
import { serveDocs } from './docs/index.ts'
import { refuseForeignPages } from './fence.ts'
import { Gate, type GateConfig, Shed } from './gate.ts'
import {
  type Asking,
  type Identification,
  type Identity,
  languageOf,
  refuseTwoSpellings,
  requestIdOf,
} from './identity/index.ts'
import { lingerOnEarlyAnswers } from './linger.ts'
import type { Metrics } from './metrics.ts'
import { serveProbes } from './probes.ts'
import { maxHeadBytes, maxUrlLength, parserProblem, refuseLongUrl, writtenFailure } from './refused-request.ts'
import { logRequests } from './request-log.ts'
import type { Route } from './route.ts'
import { closeConnectionsOnceIdle } from './stop.ts'
import { finishingTime } from './until.ts'

declare module 'fastify' {
  interface FastifyRequest {
    identity: Identity | null
  }
  interface FastifyContextConfig {
    operation?: string
    anonymous?: boolean
    takes?: 'file' | undefined
  }
}

export interface ServerParts {
  config: Pick<
    ServeConfig,
    'bodyLimit' | 'url' | 'corsOrigins' | 'maxSockets' | 'requestTime' | 'requestLog' | 'proxies'
  > &
    GateConfig
  identification: Identification
  routes: readonly Route[]
  house: House
  dialect: Dialect
  /** Rejects while requests should go to another server. */
  ready(): Promise<void>
  metrics: Metrics
  log: Logger
  /** How long work may go on once the server stops, in milliseconds. */
  finishing?: number
}

export async function createServer({
  config,
  identification,
  routes,
  house,
  dialect,
  ready,
  metrics,
  log,
  finishing = finishingTime,
}: ServerParts): Promise<FastifyInstance> {
  const fail = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const problem = asProblem(error, request, log)
    request.problem = problem
    const { operation } = request.routeOptions.config
    if (problem.kind === 'unauthenticated' && identification.challenge !== undefined) {
      reply.header('www-authenticate', identification.challenge)
    }
    if (problem instanceof Shed) metrics.shed(problem.excess)
    else if (problem.kind === 'notReady') metrics.shed('storage')
    if (operation) metrics.answered(operation, problem.status, problem.code, reply.elapsedTime)
    return answerFailure(problem, request, reply, dialect)
  }
  const app = fastify({
    bodyLimit: config.bodyLimit,
    forceCloseConnections: 'idle',
    // While it stops, what arrives on an open connection is still answered, by us and as always.
    return503OnClosing: false,
    // Every connection is seen to at least once in that time: whoever sends nothing, or too slowly, is let go.
    http: {
      // Node would refuse such a request without the envelope.
      requireHostHeader: false,
      maxHeaderSize: maxHeadBytes,
      headersTimeout: Math.min(headersTime, config.requestTime),
      connectionsCheckingInterval: Math.min(5_000, config.requestTime),
    },
    requestTimeout: config.requestTime,
    // Whether a parameter is too long is for its check to say, by name.
    routerOptions: { maxParamLength: maxUrlLength },
    // Requests are checked by the contract. Without these Fastify would load two compilers that nobody uses.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    frameworkErrors: (error, request, reply) => fail(error, request as FastifyRequest, reply as FastifyReply),
    clientErrorHandler: (error, socket) => {
      const refused = parserProblem(error)
      requestLog.unreadable(socket, error, { status: dialect.status(refused), code: refused.code })
      if (socket.writable && !lingering.has(socket)) socket.end(writtenFailure(refused, dialect))
      // What is still being sent is discarded for a while: closing immediately would reset the connection and lose the answer.
      socket.resume()
      setTimeout(() => socket.destroy(), 1_000).unref()
    },
  })

  const requestLog = logRequests(app, config, log)
  const lingering = lingerOnEarlyAnswers(app)
  app.server.maxConnections = config.maxSockets
  // As many as fit in what headers may take: Node would drop the rest of them unseen, and one may say who calls.
  app.server.maxHeadersCount = 0
  const gate = gateOf(app, config, identification)
  metrics.showRunning(() => gate.running)

  // Node would refuse an expectation it does not know, also without the envelope. It may as well be ignored.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  const askForBody = holdBackContinue(app.server)

  app.decorateRequest('identity', null)
  allowOrigins(app, config.corsOrigins)
  app.addHook('onRequest', (request, reply, done) => {
    const admitted = () => {
      askForBody(request, reply)
      done()
    }
    const waiting = admit(request, reply)
    if (waiting) waiting.then(admitted, done)
    else admitted()
  })
  /** Where nobody is welcome too, whoever cannot be identified is nobody. */
  const orNobody = async (asking: Asking): Promise<Partial<Identity>> => {
    try {
      return await identification.identify(asking)
    } catch (error) {
      if (error instanceof Problem && error.kind === 'unauthenticated') return {}
      throw error
    }
  }
  const fence = {
    openIdentity: identification.mode === 'open',
    url: config.url,
    corsOrigins: config.corsOrigins,
  }
  /** Where a caller is known at once, nothing is waited for. */
  const admit = (request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined => {
    refuseLongUrl(request.raw.url ?? '')
    // Before its body is read: whatever that is, the path is wrong.
    if (request.is404) throw notFound(request, reply, routes)
    // Told by the route, not by the URL: a request may spell its URL with scheme and host, and still arrives here.
    if (request.routeOptions.config.operation === undefined) return undefined
    const { headers } = request
    const unknown = anonymous(request, dialect)
    request.identity = unknown
    reply.header('cc_request_id', unknown.requestId)
    gate.refuseIfFull()
    refuseForeignPages(headers, fence)
    refuseTwoSpellings(headers, request.raw.rawHeaders)
    const accept = (identified: Partial<Identity>): undefined => {
      const identity = { ...unknown, ...identified }
      request.identity = identity
      gate.spend(identity)
      const refuseOthers = request.routeOptions.config.takes ? refuseOtherFiles : refuseOtherTypes
      if (request.method === 'GET') return
      refuseOthers(headers['content-type'])
      refuseCoding(headers['content-encoding'])
    }
    const { anonymous: welcome } = request.routeOptions.config
    const identified = (welcome ? orNobody : identification.identify)({ headers, peer: request.ip })
    return identified instanceof Promise ? identified.then(accept) : accept(identified)
  }
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request: FastifyRequest, bytes: Buffer, done) => {
    request.bodyBytes = bytes.length
    try {
      done(null, request.routeOptions.config.takes ? bytes : parseBody(bytes))
    } catch (error) {
      done(error as Error)
    }
  })
  app.setErrorHandler(fail)
  app.setNotFoundHandler((request, reply) => {
    request.problem = notFound(request, reply, routes)
    return answerFailure(request.problem, request, reply, dialect)
  })

  closeConnectionsOnceIdle(app)
  bind(app, routes, { identify: identification.identify, house, dialect, gate, metrics, requestLog, log, finishing })
  identification.serve?.(app)
  serveProbes(app, { ready, metrics })
  serveDocs(app, routes, dialect)
  await serveConsole(app)
  return app
}

function noSchemas(): never {
  throw new Error('no route has a schema of its own')
}

/** How long the head of a request may take to arrive, in milliseconds. */
const headersTime = 20_000

/** With open identity all callers are one and the same: no limit for each of them. */
function gateOf(app: FastifyInstance, config: GateConfig, { mode }: Identification): Gate {
  const unlimited = { callerRequests: 0, callerRate: 0, callerWatches: 0 }
  const gate = new Gate(mode === 'open' ? { ...config, ...unlimited } : config)
  app.addHook('onListen', async () => gate.open())
  app.addHook('onClose', async () => gate.close())
  return gate
}

const anonymous = (request: FastifyRequest, { language }: Dialect): Identity => ({
  user: '',
  account: '',
  confined: false,
  readOnly: false,
  requestId: requestIdOf(request.headers),
  language: languageOf(request.headers, language),
})

function answerFailure(problem: Problem, request: FastifyRequest, reply: FastifyReply, dialect: Dialect) {
  // Kept, so that the log names the id that is answered.
  request.identity ??= anonymous(request, dialect)
  const { identity } = request
  if (problem.kind === 'tooManyRequests' || problem.kind === 'notReady') {
    reply.header('retry-after', String(problem.retryAfter ?? 1))
  }
  return reply
    .code(dialect.status(problem))
    .header('cc_request_id', identity.requestId)
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(failed(problem, identity.language)))
}

/** Anything that is not a problem of the caller's is a defect of ours: told by its request id, explained in the log only. */
function asProblem(error: unknown, request: FastifyRequest, log: Logger): Problem {
  if (error instanceof Problem) return error
  const code = (error as FastifyError).code
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return problem('tooLarge')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return problem('notJson')
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') return problem('malformedJson')
  // The caller has gone away in the middle of the body: nobody reads this, and nothing of ours is broken.
  if (code === 'ECONNRESET' && !request.raw.complete) return problem('malformedJson')
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH') return problem('unknownPath')
  // Paths that try to lead out of the console's files.
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
function notFound(request: FastifyRequest, reply: FastifyReply, routes: readonly Route[]): Problem {
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
