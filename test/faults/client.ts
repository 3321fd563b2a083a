// One client: asks, writes down what it asked and what it was told, and remembers what it may go on with.
import { type Answer, call as send } from '../../packages/server/src/testing/harness.ts'
import { requestId } from './checker.ts'
import type { Call, Effect, History, Outcome } from './history.ts'

/** After so long a client gives up on an answer, in milliseconds. */
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
  /** What an acknowledged change must have left behind. Before an answer is there, none is given. */
  effects(data: Data | undefined): readonly Effect[]
}

export interface Told<Data> {
  readonly outcome: Outcome
  readonly code: number
  readonly data: Data | undefined
}

/** What was told of a change, and the id of its request, under which it is in the log. */
export interface ToldOfChange<Data> extends Told<Data> {
  readonly id: string
}

export interface Client {
  readonly number: number
  /** Asks for a change and writes it down. */
  change<Data = unknown>(asked: Asked, expected: Expected<Data>): Promise<ToldOfChange<Data>>
  /** Asks for something that leaves no record in the log. */
  ask<Data = unknown>(asked: Asked): Promise<Told<Data>>
  /** Whether nobody listened the last time. */
  isShutOut(): boolean
  /** A text that nobody else has used. */
  fresh(): string
}

/** `door` is the address of a server; another one at every call, where there are several. */
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

/** Nobody listened, so nobody can have done it. */
function neverSent(error: unknown): boolean {
  const cause = (error as { cause?: { code?: string } }).cause
  return cause?.code === 'ECONNREFUSED'
}
