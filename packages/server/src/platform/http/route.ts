import type { IncomingHttpHeaders } from 'node:http'
import type { BodyOf, DataOf, Endpoint, Language, ParamsOf } from '@mainline/contract'
import type { Actor } from '../storage/index.ts'
import type { Page, PlainPage } from './page.ts'
import type { Stream } from './stream.ts'

/** Who calls, for which account, in which language. */
export interface Caller extends Actor {
  readonly language: Language
}

export interface Request<E extends Endpoint = Endpoint> {
  readonly actor: Caller
  readonly params: ParamsOf<E>
  /** What stands behind the question mark, as it was sent. */
  readonly query: Readonly<Record<string, string | undefined>>
  readonly body: BodyOf<E>
  readonly headers: IncomingHttpHeaders
  /** For those who wait: aborted when the time is up, the caller has gone away, or the server stops. */
  readonly until: (milliseconds?: number) => AbortSignal
  /** For those who answer late: refuses who by now may not call. */
  readonly recheck: () => Promise<void>
}

/** What a request says of where it goes. */
export type Naming<E extends Endpoint = Endpoint> = Pick<Request<E>, 'actor' | 'params' | 'query'>

export interface Route {
  readonly endpoint: Endpoint
  readonly run: (request: Request) => Promise<unknown>
  readonly exists: ((request: Naming) => Promise<unknown>) | undefined
}

/**
 * Ties an endpoint to what it does. `exists` finds what the path names and is asked only when the body is wrong: a missing
 * record is told before a wrong body, and a right request pays nothing for it.
 */
export function handle<E extends Endpoint>(
  endpoint: E,
  run: (request: Request<E>) => Promise<DataOf<E> | Record<string, unknown> | Page | PlainPage | Stream>,
  exists?: (request: Naming<E>) => Promise<unknown>,
): Route {
  return {
    endpoint,
    run: run as unknown as Route['run'],
    exists: exists as unknown as Route['exists'],
  }
}
