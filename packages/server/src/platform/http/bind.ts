import {
  type Allow,
  changesAnything,
  type Endpoint,
  hasBody,
  longestAccount,
  problem,
  rule,
  succeeded,
  transfer,
  withoutNulls,
} from '@mainline/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { asCaller } from '../caller.ts'
import { type BodyCheck, bodyCheckOf, readParams } from './check.ts'
import { type Ask, type Dialect, isObject, type Override } from './compat.ts'
import type { Gate } from './gate.ts'
import { type Identify, type Identity, otherAccount } from './identity/index.ts'
import type { Metrics } from './metrics.ts'
import { Page, PlainPage, type Written } from './page.ts'
import type { RequestLog } from './request-log.ts'
import type { Caller, Route } from './route.ts'
import { Stream, sendStream } from './stream.ts'
import { untilOf } from './until.ts'

/** What binding needs from the house: the platform itself knows no area. */
export interface House {
  /** Refuses a caller who lacks what the endpoint asks for. The body has not been checked yet. */
  guard(actor: Caller, allow: Allow, params: Record<string, unknown>, body: unknown): Promise<unknown> | undefined
  /** Makes sure the account exists before anything is done in it. */
  openAccount(account: string): Promise<void> | undefined
}

export interface Binding {
  readonly identify: Identify
  readonly house: House
  readonly dialect: Dialect
  readonly gate: Gate
  readonly metrics: Metrics
  readonly requestLog: RequestLog
  readonly log: Logger
  /** How long work may go on once the server stops, in milliseconds. */
  readonly finishing: number
}

export const apiRoot = '/api/v3'

/** The path of a request: actor, parameters, guard, existence, body, handler, envelope. */
export function bind(app: FastifyInstance, routes: readonly Route[], binding: Binding): void {
  const { identify, house, dialect, gate, metrics, requestLog, log, finishing } = binding
  const untilEnd = untilOf(app, finishing)
  const ask = askOf(routes)
  for (const route of routes) {
    const { endpoint } = route
    const changes = changesAnything(endpoint)
    const override = dialect.overrideOf(endpoint)
    const run = runOf(route, override, ask)
    const schema = override?.body ?? endpoint.body
    const check: BodyCheck = hasBody(endpoint) ? bodyCheckOf(schema) : () => undefined
    const withoutAbsent = withoutNulls(schema)
    const watches = endpoint.streams === 'text/event-stream' || endpoint.name.startsWith('watch_')
    app.route({
      method: endpoint.method,
      url: apiRoot + endpoint.path,
      config: { operation: endpoint.name, anonymous: endpoint.anonymous ?? false, takes: endpoint.takes },
      ...(endpoint.takes && { bodyLimit: transfer.largestFile }),
      handler: async (request, reply) => {
        const caller = request.identity as Identity
        gate.enter(caller, watches)
        try {
          const sent = request.body === undefined ? (endpoint.takes ? noFile : {}) : withoutAbsent(request.body)
          const query = request.query as Record<string, string>
          refuseDryRun(endpoint, query)
          const params = readParams(endpoint, request.params as Record<string, string>)
          const actor = callerOf(request, params, accountInBody(route, sent))
          request.identity = actor
          // Most callers and accounts are known at once: then nothing is waited for.
          const opening = endpoint.anonymous ? undefined : house.openAccount(actor.account)
          if (opening) await opening
          if (changes && actor.readOnly) throw problem('denied', { why: rule('readOnly') })
          const body = override?.read && isObject(sent) ? override.read(sent, { actor, params, query }) : sent
          const guarding = house.guard(actor, endpoint.allow, params, body)
          if (guarding) await guarding
          const wrong = check(body)
          if (wrong) {
            await route.exists?.({ actor, params, query } as never)
            throw wrong
          }
          const { headers } = request
          const until = (milliseconds?: number) => untilEnd(reply, watches ? 'waiting' : 'work', milliseconds)
          const recheck = async () => {
            await identify({ headers, peer: request.ip })
            await house.guard(actor, endpoint.allow, params, body)
          }
          const data = await asCaller(caller, () =>
            run({ actor, params, query, body, headers, until, recheck } as never),
          )
          // Here and not once it has been sent: listening for that costs every request more than counting it.
          metrics.answered(endpoint.name, 200, 0, reply.elapsedTime)
          if (data instanceof Stream) {
            const { bytes, failure } = await asCaller(caller, () => sendStream(data, reply, until(), log))
            return requestLog.streamed(request, reply, bytes, failure)
          }
          reply.header('content-type', data instanceof PlainPage ? data.type : 'application/json; charset=utf-8')
          if (data instanceof Page) return sendPage(data.saying(dialect.success), request, reply)
          if (data instanceof PlainPage) return sendPage(data, request, reply)
          return JSON.stringify(succeeded(data, dialect.success))
        } finally {
          gate.leave(caller, watches)
        }
      },
    })
  }
}

const noFile = new Uint8Array()

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

/** Who asks for a dry run where there is none must not get the real thing. Other unknown parameters are ignored. */
function refuseDryRun(endpoint: Endpoint, query: Record<string, string>): void {
  if ('dry_run' in query && !endpoint.query?.dry_run) throw problem('unknown', { field: 'dry_run' })
}

/** The guard has spoken before: what is told not to have changed, the caller may see. */
function sendPage({ bytes, tag }: Written, request: FastifyRequest, reply: FastifyReply) {
  if (tag === undefined) return reply.send(bytes)
  reply.header('etag', tag).header('cache-control', 'private, no-cache')
  const known = request.headers['if-none-match']?.split(',').some((each) => each.trim().replace(/^W\//, '') === tag)
  return known ? reply.code(304).removeHeader('content-type').send() : reply.send(bytes)
}

/** The account of the path, else of the body where the endpoint has it there, else of the headers. */
function callerOf(request: FastifyRequest, params: Record<string, unknown>, inBody: string | undefined): Identity {
  const identity = request.identity as Identity
  const inPath = params.bk_supplier_account as string | undefined
  if (identity.confined && [inPath, inBody].some((named) => named !== undefined && named !== identity.account)) {
    throw otherAccount(identity.account)
  }
  const account = inPath ?? inBody ?? identity.account
  const field = 'bk_supplier_account'
  if (account.length > longestAccount) {
    throw problem('invalid', { field, rule: rule('atMostCharacters', { max: longestAccount, got: account.length }) })
  }
  if (/\p{Cc}/u.test(account)) throw problem('invalid', { field, rule: rule('text') })
  return account === identity.account ? identity : { ...identity, account }
}

function accountInBody({ endpoint }: Route, body: unknown): string | undefined {
  const properties = (endpoint.body as { properties?: Record<string, unknown> }).properties
  if (!properties?.bk_supplier_account) return undefined
  const account = (body as Record<string, unknown> | null)?.bk_supplier_account
  return typeof account === 'string' && account !== '' ? account : undefined
}
