// A client: sends requests, records them with their answers, and remembers what later requests can use.
import { type Answer, call as send } from '../../packages/server/src/testing/harness.ts'
import { requestId } from './checker.ts'
import type { Call, Effect, History, Outcome } from './history.ts'

/** Time limit of a request, in milliseconds. */
const patience = 8_000
const outcomeUnknown = 1199504

export interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly user?: string
}

export interface Expected<Data> {
  readonly what: string
  readonly business?: number
  readonly forbidden?: boolean
  readonly never?: number
  /** The expected effects of an acknowledged change; undefined until it is answered. */
  effects(data: Data | undefined): readonly Effect[]
}

export interface Told<Data> {
  readonly outcome: Outcome
  readonly code: number
  readonly data: Data | undefined
}

/** The answer to a change, and its request id, under which it is in the log. */
interface ToldOfChange<Data> extends Told<Data> {
  readonly id: string
}

export interface Client {
  readonly number: number
  /** Sends a change and records it. */
  change<Data = unknown>(asked: Asked, expected: Expected<Data>): Promise<ToldOfChange<Data>>
  /** Sends a request that leaves no record in the log. */
  ask<Data = unknown>(asked: Asked): Promise<Told<Data>>
  /** Whether the last connection was refused. */
  isShutOut(): boolean
  /** A unique text. */
  fresh(): string
}

/** `door` returns the address of a server; with several servers, a different one for each call. */
export function openClient(number: number, door: () => string, history: History): Client {
  let asked = 0
  let named = 0
  let isShutOut = false
  const ask = async <Data>(
    { method, path, body, user = 'admin' }: Asked,
    id = requestId(`${number}r`, ++asked),
  ): Promise<Told<Data>> => {
    try {
      const answer = await within(send<Data>(door(), method, path, body, { bk_user: user, cc_request_id: id }))
      isShutOut = false
      return { outcome: outcomeOf(answer), code: answer.bk_error_code, data: answer.data }
    } catch (error) {
      isShutOut = neverSent(error)
      return { outcome: isShutOut ? 'refused' : 'unknown', code: 0, data: undefined }
    }
  }
  return {
    number,
    ask,
    isShutOut: () => isShutOut,
    fresh: () => `${number}.${++named}`,
    async change<Data>(wish: Asked, { what, business, forbidden = false, never, effects }: Expected<Data>) {
      const id = requestId(number, ++asked)
      const started = performance.now()
      const told = await ask<Data>(wish, id)
      const { outcome, code, data } = told
      const done: Call = {
        ...{ id, what, started, ended: performance.now(), outcome, code, forbidden },
        ...(business !== undefined && { business }),
        ...(never !== undefined && { never }),
        ...(wish.user !== undefined && { user: wish.user }),
        effects: effects(outcome === 'acknowledged' ? data : undefined),
      }
      history.calls.push(done)
      return { ...told, id }
    },
  }
}

function within<T>(answer: Promise<T>): Promise<T> {
  const given = Promise.withResolvers<never>()
  const timer = setTimeout(() => given.reject(new Error('no answer')), patience)
  return Promise.race([answer, given.promise]).finally(() => clearTimeout(timer))
}

function outcomeOf(answer: Answer<unknown>): Outcome {
  if (answer.result) return 'acknowledged'
  return answer.bk_error_code === outcomeUnknown ? 'unknown' : 'refused'
}

/** The connection was refused, so the request cannot have been executed. */
function neverSent(error: unknown): boolean {
  const cause = (error as { cause?: { code?: string } }).cause
  return cause?.code === 'ECONNREFUSED'
}
