import { type Allow, problem, rule, storesChange } from '@mainline/contract'
import type { FastifyRequest } from 'fastify'
import type { Route } from '../route.ts'
import { callerOf, identityOf, namesAccountInBody } from './account.ts'
import type { ReadParams } from './check.ts'
import type { RequestGuards } from './guards.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** When privileges were checked by the path alone, before the body arrived. */
    judgedAt: number
  }
}

/** If the body takes longer than this to arrive, privileges are checked again, since they may have changed. */
const judgementMs = 50

export const isJudged = ({ judgedAt }: FastifyRequest): boolean => performance.now() - judgedAt < judgementMs

type ReadPath = (request: FastifyRequest) => ReturnType<ReadParams>

/** Refuses before the body is read when the outcome cannot depend on the body. */
export function judgeByPath({ endpoint }: Route, guards: RequestGuards, readPath: ReadPath) {
  const changes = endpoint.effect === 'write'
  const stores = storesChange(endpoint)
  const isDecidedByPath = decidedByPath(endpoint.allow)
  const isAccountInBody = namesAccountInBody(endpoint)
  return (request: FastifyRequest): Promise<void> | undefined => {
    const identity = identityOf(request)
    if (changes && identity.readOnly) throw problem('denied', { why: rule('readOnly') })
    if (!isDecidedByPath || (!identity.confined && isAccountInBody)) return undefined
    const params = paramsOrNone(readPath, request)
    if (!params) return undefined
    const caller = callerOf(identity, params, undefined)
    const guarding = guards.guard(caller, endpoint.allow, params, {})?.catch(async (error: unknown) => {
      const key = request.headers['idempotency-key']
      if (!stores || key === undefined || !(await guards.hasStoredResult(caller, String(key)))) throw error
      return 'later' as const
    })
    const judged = (): undefined => {
      request.judgedAt = performance.now()
    }
    return guarding ? guarding.then((verdict) => (verdict === 'later' ? undefined : judged())) : judged()
  }
}

/** Whether the verdict cannot depend on the body. */
function decidedByPath(allow: Allow): boolean {
  switch (allow.need) {
    case 'nothing':
    case 'administrator':
    case 'group':
    case 'settling':
    case 'self':
    case 'member':
      return true
    case 'role':
      return allow.in !== 'body'
    default:
      return false
  }
}

/** Wrong JSON is reported before wrong parameters. */
function paramsOrNone(readPath: ReadPath, request: FastifyRequest): Record<string, unknown> | undefined {
  try {
    return readPath(request)
  } catch {
    return undefined
  }
}
