import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { ServeConfig } from '../common/config.ts'
import type { Identification, Identity } from '../identity/index.ts'
import { admitRequests } from './admit.ts'
import { BodyBudget, openBodyLimits, usualBodyLimits } from './bodies/body-budget.ts'
import { holdBackContinue } from './bodies/continue.ts'
import { parseBodies } from './bodies/parse-bodies.ts'
import { serveConsole } from './console.ts'
import { allowOrigins } from './cors.ts'
import type { Dialect } from './dialect.ts'
import { answerFailure, asProblem, notFound } from './failures.ts'
import { Admission, type AdmissionLimits, Shed } from './limits/admission.ts'
import { limitPipelining } from './limits/pipelining.ts'
import { limitUnreadAnswers } from './limits/unread.ts'
import { elapsedMs, measureRequests } from './observe/elapsed.ts'
import type { Metrics } from './observe/metrics.ts'
import { serveProbes } from './observe/probes.ts'
import { logRequests, type RequestLog } from './observe/request-log.ts'
import { bind, endAdmission } from './operation/bind.ts'
import type { RequestGuards } from './operation/guards.ts'
import { maxHeadBytes, maxUrlLength, parserProblem, writtenFailure } from './refused-request.ts'
import type { Route } from './route.ts'
import { lingerOnEarlyAnswers } from './stop/linger.ts'
import { StopNotice, stopInOrder } from './stop/stop.ts'
import { untilOf, usualFinishingMs } from './stop/until.ts'

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

interface ServerParts {
  config: Pick<
    ServeConfig,
    | 'bodyLimit'
    | 'url'
    | 'allowedHosts'
    | 'metricsAuth'
    | 'corsOrigins'
    | 'maxSockets'
    | 'requestTimeMs'
    | 'requestLog'
    | 'proxies'
  > &
    AdmissionLimits
  identification: Identification
  routes: readonly Route[]
  guards: RequestGuards
  dialect: Dialect
  /** Rejects while the server is not ready for requests. */
  ready(): Promise<void>
  /** Reasons why background work is delayed although requests are answered. */
  delays?(): Readonly<Record<string, string>>
  metrics: Metrics
  /** Serves the documentation. */
  servePages?(app: FastifyInstance, requestLog: RequestLog): void
  log: Logger
  notice?: StopNotice
  /** How long running work may continue once the server stops. */
  finishingMs?: number
}

export async function createServer({
  config,
  identification,
  routes,
  guards,
  dialect,
  ready,
  delays = () => ({}),
  metrics,
  servePages,
  log,
  notice = new StopNotice(),
  finishingMs = usualFinishingMs,
}: ServerParts): Promise<FastifyInstance> {
  const fail = failWith(identification, metrics, dialect, log)
  const app = fastify({
    ...httpOptions(config),
    frameworkErrors: (error, request, reply) => fail(error, request as FastifyRequest, reply as FastifyReply),
    clientErrorHandler: (error, socket) => {
      const refused = parserProblem(error)
      requestLog.unreadable(socket, error, { status: dialect.status(refused), code: refused.code })
      if (socket.writable && !lingering.has(socket)) socket.end(writtenFailure(refused, dialect))
      // The rest of the request is discarded for a while: closing immediately would reset the connection and lose the answer.
      socket.resume()
      setTimeout(() => socket.destroy(), 1_000).unref()
    },
  })

  measureRequests(app)
  limitPipelining(app, () => metrics.shed('pipelined'))
  const requestLog = logRequests(app, config, log)
  const lingering = lingerOnEarlyAnswers(app)
  limitUnreadAnswers(app, () => metrics.shed('unread_bytes'))
  app.server.maxConnections = config.maxSockets
  // No limit on their number, only on their size: Node silently drops headers beyond the limit, among them perhaps the credentials.
  app.server.maxHeadersCount = 0
  const admission = admissionOf(app, config, identification)
  metrics.showRunning(() => admission.running)

  // Node would refuse unknown expectations without the envelope; ignoring them is permitted by RFC 9110.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  const askForBody = holdBackContinue(app.server)

  app.decorateRequest('identity', null)
  allowOrigins(app, config.corsOrigins)
  admitRequests(app, { config, identification, admission, dialect, routes })
  parseBodies(app, new BodyBudget(identification.mode === 'open' ? openBodyLimits : usualBodyLimits))
  app.setErrorHandler(fail)
  app.setNotFoundHandler((request, reply) => {
    request.problem = notFound(request, reply, routes)
    return answerFailure(request.problem, request, reply, dialect)
  })

  stopInOrder(app, notice)
  const until = untilOf(app, notice, finishingMs)
  const maxJsonBytes = config.bodyLimit
  const { identify } = identification
  bind(app, routes, { identify, guards, dialect, admission, metrics, requestLog, log, until, maxJsonBytes, askForBody })
  identification.serve?.(app)
  const admitToMetrics = ({ headers, ip }: FastifyRequest) =>
    config.metricsAuth ? identification.identify({ headers, peer: ip }) : undefined
  serveProbes(app, { ready, delays, metrics, admitToMetrics })
  servePages?.(app, requestLog)
  await serveConsole(app)
  return app
}

/** Answers what an operation, the router or Fastify has refused. */
const failWith =
  (identification: Identification, metrics: Metrics, dialect: Dialect, log: Logger) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const problem = asProblem(error, request, log)
    request.problem = problem
    const { operation } = request.routeOptions.config
    if (problem.kind === 'unauthenticated' && identification.challenge !== undefined) {
      reply.header('www-authenticate', identification.challenge)
    }
    if (problem instanceof Shed) metrics.shed(problem.excess)
    else if (problem.kind === 'notReady') metrics.shed('storage')
    if (operation) metrics.answered(operation, problem.status, problem.code, elapsedMs(request))
    // The end of an ambiguous request is unknown, so the connection cannot be reused.
    if (problem.kind === 'malformedRequest') reply.header('connection', 'close')
    endAdmission(request)
    return answerFailure(problem, request, reply, dialect)
  }

const headersTimeoutMs = 20_000

const httpOptions = ({ bodyLimit, requestTimeMs }: Pick<ServeConfig, 'bodyLimit' | 'requestTimeMs'>) => ({
  bodyLimit,
  forceCloseConnections: 'idle' as const,
  // A hook that takes longer fails, and the following hooks are skipped: on a busy machine a stop would end no waiting request.
  pluginTimeout: 0,
  // While stopping, requests on open connections are answered as usual instead of with Fastify's 503.
  return503OnClosing: false,
  // Connections that send nothing, or too slowly, are closed.
  http: {
    // Checked by us: Node would refuse without the envelope.
    requireHostHeader: false,
    maxHeaderSize: maxHeadBytes,
    headersTimeout: Math.min(headersTimeoutMs, requestTimeMs),
    connectionsCheckingInterval: Math.min(5_000, requestTimeMs),
  },
  requestTimeout: requestTimeMs,
  // Parameter lengths are validated later, with an error that names the parameter.
  routerOptions: { maxParamLength: maxUrlLength },
  // Requests are validated by the contract. Without these, Fastify would load two compilers that are never used.
  schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
})

function noSchemas(): never {
  throw new Error('no route has a schema of its own')
}

/** With open identity all requests have the same caller, so per-caller limits are off. */
function admissionOf(app: FastifyInstance, config: AdmissionLimits, { mode }: Identification): Admission {
  const unlimited = { callerRequests: 0, callerRate: 0, callerWatches: 0 }
  const admission = new Admission(mode === 'open' ? { ...config, ...unlimited } : config)
  app.addHook('onListen', async () => admission.open())
  app.addHook('onClose', async () => admission.close())
  return admission
}
