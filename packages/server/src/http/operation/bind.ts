import { type Endpoint, maxBodyBytesOf, problem, rule, storesChange, withoutNulls } from '@mainline/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { asCaller } from '../../common/caller.ts'
import { credentialsOf, type Identify } from '../../identity/index.ts'
import type { HeldBody } from '../bodies/body-budget.ts'
import { refuseLongBody } from '../bodies/read-body.ts'
import { type Ask, type Dialect, isObject, type Override } from '../dialect.ts'
import { LargeList } from '../large-list.ts'
import type { Admission } from '../limits/admission.ts'
import { elapsedMs } from '../observe/elapsed.ts'
import type { Metrics } from '../observe/metrics.ts'
import type { RequestLog } from '../observe/request-log.ts'
import type { Caller, Route } from '../route.ts'
import type { Until } from '../stop/until.ts'
import { Stream, sendStream } from '../stream.ts'
import { accountInBody, callerOf, identityOf, namesAccountInBody } from './account.ts'
import { type BodyCheck, bodyCheckOf, paramsOf } from './check.ts'
import { isJudged, judgeByPath } from './early-verdict.ts'
import type { PastRoutes, RequestGuards } from './guards.ts'
import { replyWith } from './reply.ts'
import { RunningKeys, withTerms } from './terms.ts'

interface Binding {
  readonly identify: Identify
  readonly guards: RequestGuards
  readonly dialect: Dialect
  readonly admission: Admission
  readonly metrics: Metrics
  readonly requestLog: RequestLog
  readonly log: Logger
  readonly until: Until
  readonly maxJsonBytes: number
  /** Sends `100 Continue` to a client that waits for it before sending its body. */
  readonly askForBody: (request: FastifyRequest, reply: FastifyReply) => void
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Releases the slot that admission control counts for this request; idempotent. */
    leave: (() => void) | null
    heldBody: HeldBody | null
  }
}

/**
 * Runs once per request, answered or refused. `leave` does not release the body: as a closure stored on the request it kept 2 KB of
 * every request alive past the young generation (--trace-gc); it is 0.1 KB this way.
 */
export function endAdmission({ heldBody, leave }: FastifyRequest): void {
  heldBody?.release()
  leave?.()
}

export const apiRoot = '/api/v3'

/** The order of checks of a request: admission, privileges decided by the path, body, parameters, guard, existence, handler, envelope. */
export function bind(app: FastifyInstance, routes: readonly Route[], binding: Binding): void {
  app.decorateRequest('leave', null)
  app.decorateRequest('heldBody', null)
  app.decorateRequest('judgedAt', Number.NEGATIVE_INFINITY)
  const ask = askOf(routes)
  const running = new RunningKeys()
  for (const route of routes) {
    const { endpoint } = route
    const maxBodyBytes = endpoint.takes
      ? maxBodyBytesOf(endpoint)
      : Math.min(maxBodyBytesOf(endpoint), binding.maxJsonBytes)
    app.route({
      method: endpoint.method,
      url: apiRoot + endpoint.path,
      config: { operation: endpoint.name, anonymous: endpoint.anonymous ?? false, takes: endpoint.takes },
      bodyLimit: maxBodyBytes,
      onRequest: enter(route, maxBodyBytes, binding),
      handler: answer(route, binding, ask, running),
    })
  }
}

/** Before the body is read: admission, the limit of the body, and privileges that the path decides. */
function enter(route: Route, maxBodyBytes: number, { admission, askForBody, guards }: Binding) {
  const { endpoint } = route
  const watches = endpoint.effect === 'watch'
  const readParams = paramsOf(endpoint)
  const judge = judgeByPath(route, guards, (request) => readParams(pathOf(request)))
  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    const caller = identityOf(request)
    admission.enter(caller, watches)
    request.leave = once(() => admission.leave(caller, watches))
    if (endpoint.method === 'GET') {
      done()
      return
    }
    refuseLongBody(request, maxBodyBytes)
    const judging = judge(request)
    const ready = () => {
      askForBody(request, reply)
      done()
    }
    if (judging) judging.then(ready, done)
    else ready()
  }
}

/** After the body was read. One function for each operation without further awaits: each costs all requests. */
function answer(route: Route, binding: Binding, ask: Ask, running: RunningKeys) {
  const { identify, guards, dialect, metrics, requestLog, log, until: untilEnd } = binding
  const { endpoint } = route
  const changes = endpoint.effect === 'write'
  const stores = storesChange(endpoint)
  const kind = endpoint.effect === 'watch' ? 'waiting' : 'work'
  const override = dialect.overrideOf(endpoint)
  const present = { route, run: runOf(route, override, ask) }
  const schema = override?.body ?? endpoint.body
  const check: BodyCheck = endpoint.hasBody ? bodyCheckOf(schema) : () => undefined
  const withoutAbsent = withoutNulls(schema)
  const readParams = paramsOf(endpoint)
  const isAccountInBody = namesAccountInBody(endpoint)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const caller = identityOf(request)
    try {
      const sent = request.body === undefined ? (endpoint.takes ? noFile : {}) : withoutAbsent(request.body)
      const query = queryOf(request)
      refuseIgnored(endpoint, query)
      const params = readParams(pathOf(request))
      const known = callerOf(caller, params, isAccountInBody ? accountInBody(sent) : undefined)
      const actor = changes ? withTerms(known, endpoint, request) : known
      request.identity = actor
      // Undefined when the account is already known to exist, which is the common case.
      const opening = endpoint.anonymous ? undefined : guards.openAccount(actor.account)
      if (opening) await opening
      if (changes && actor.readOnly) throw problem('denied', { why: rule('readOnly') })
      const body = override?.read && isObject(sent) ? override.read(sent, { actor, params, query }) : sent
      const guarding = isJudged(request) ? undefined : guards.guard(actor, endpoint.allow, params, body)
      if (guarding) await guarding.catch((error: unknown) => unlessStored(guards, actor, error))
      const authorization = stores ? guards.guardInChange(actor, endpoint.allow, params, body) : undefined
      const past = query.as_of === undefined ? undefined : await guards.openPast(actor.account, query.as_of)
      const acting = past ? actingIn(past, endpoint, override) : present
      const wrong = check(body)
      if (wrong) {
        await acting.route.exists?.({ actor, params, query })
        throw wrong
      }
      const { headers } = request
      const until = (timeoutMs?: number) => untilEnd(reply, kind, timeoutMs)
      let ending: AbortSignal | undefined
      const gone = () => (ending ??= until())
      const recheck = async () => {
        await identify({ headers, peer: request.ip })
        await guards.guard(actor, endpoint.allow, params, body)
      }
      const credentials = () => credentialsOf(headers)
      const author = authorization ? { ...actor, authorization } : actor
      const work = () => acting.run({ actor: author, params, query, body, headers, until, credentials, recheck })
      const workOnce = () => (actor.idempotent ? running.once(actor, work, reply) : work())
      const answered = await asCaller(caller, workOnce, gone)
      const stream = (list: LargeList) => asCaller(caller, () => list.stream(dialect.success), gone)
      const data = answered instanceof LargeList ? await stream(answered) : answered
      if (past) {
        await past.confirm()
        reply.header('mainline-as-of', past.header)
      }
      // Counted before the response is sent: a 'finish' listener on every request costs more than the counter.
      metrics.answered(endpoint.name, 200, 0, elapsedMs(request))
      if (data instanceof Stream) {
        const { bytes, failure } = await asCaller(caller, () => sendStream(data, reply, gone(), log), gone)
        return requestLog.streamed(request, reply, bytes, failure)
      }
      return replyWith(data, dialect.success, request, reply)
    } finally {
      endAdmission(request)
    }
  }
}

/** Fastify's router provides texts, by the parameter names of the path. */
const pathOf = ({ params }: FastifyRequest) => params as Record<string, string>

const queryOf = ({ query }: FastifyRequest) => query as Record<string, string>

const noFile = new Uint8Array()

/**
 * A request that has removed its own permission, such as the maintainer's role, would be refused when repeated. It gets the stored result anyway:
 * that changes nothing, and the caller could not learn the outcome otherwise.
 */
async function unlessStored(guards: RequestGuards, caller: Caller, refusal: unknown): Promise<void> {
  const { idempotent } = caller
  if (!idempotent || !(await guards.hasStoredResult(caller, idempotent.key, idempotent.hash))) throw refusal
  idempotent.onlyReplay(refusal)
}

function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) work()
    isDone = true
  }
}

function runOf(route: Route, override: Override | undefined, ask: Ask): Route['run'] {
  const around = override?.run
  return around ? (request) => around(route.run, request, ask) : route.run
}

const askOf =
  (routes: readonly Route[]): Ask =>
  (endpoint, request) => {
    const route = routes.find((each) => each.endpoint === endpoint)
    if (!route) throw new Error(`no route for ${endpoint.name}`)
    return route.run(request as never) as never
  }

/**
 * A dry run requested from an endpoint without one must not be executed for real, and the present must not be taken for a moment of the
 * past. Other unknown parameters are ignored.
 */
function refuseIgnored(endpoint: Endpoint, query: Record<string, string>): void {
  if ('dry_run' in query && !endpoint.query?.dry_run) throw problem('unknown', { field: 'dry_run' })
  if ('as_of' in query && !endpoint.readsPast) throw problem('unknown', { field: 'as_of' })
}

/** The operation over the past. */
function actingIn({ routes }: PastRoutes, endpoint: Endpoint, override: Override | undefined) {
  const route = routes.find((each) => each.endpoint === endpoint)
  if (!route) throw new Error(`${endpoint.name} does not read the past`)
  return { route, run: runOf(route, override, askOf(routes)) }
}
