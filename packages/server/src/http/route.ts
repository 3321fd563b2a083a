import type { IncomingHttpHeaders } from 'node:http'
import type { BodyOf, DataOf, Endpoint, Language, ParamsOf, QueryNameOf } from '@mainline/contract'
import type { Actor } from '../storage/index.ts'
import type { LargeList } from './large-list.ts'
import type { Page, PlainPage, Versioned } from './page.ts'
import type { StoredRow, StoredRows } from './stored-rows.ts'
import type { Stream } from './stream.ts'

/** The caller: user, account and language. */
export interface Caller extends Actor {
  readonly language: Language
}

type QueryOf<E extends Endpoint> = Readonly<Partial<Record<QueryNameOf<E>, string>>>

export interface Request<E extends Endpoint = Endpoint> {
  readonly actor: Caller
  readonly params: ParamsOf<E>
  /** The query parameters as sent. */
  readonly query: QueryOf<E>
  readonly body: BodyOf<E>
  readonly headers: IncomingHttpHeaders
  /** Aborted when the timeout expires, the client disconnects, or the server stops. */
  readonly until: (timeoutMs?: number) => AbortSignal
  /** Identifies the credentials without containing them: requests with the same ones get the same result from `recheck`. */
  readonly credentials: () => string
  /** For long-lived responses: checks again that the caller is still identified and privileged. */
  readonly recheck: () => Promise<void>
}

/** The part of a request that is known before its body: enough to look up the record that its path names. */
export type Naming<E extends Endpoint = Endpoint> = Pick<Request<E>, 'actor' | 'params' | 'query'>

export interface Route {
  readonly endpoint: Endpoint
  readonly run: (request: Request) => Promise<unknown>
  readonly exists: ((request: Naming) => Promise<unknown>) | undefined
}

type ListOf<Data> = Data extends { readonly count: number; readonly info: (infer Row)[] }
  ? LargeList<Row> | LargeList<StoredRow<Row>> | StoredRows<Row>
  : never

/** Lines instead of a page, for callers that accept them. */
type AcceptedStream<E> = E extends { readonly alsoStreams: string } ? Stream : never

/** The allowed results of a handler: the `data` of the endpoint, as a value or serialised; a stream or a file if declared. */
type ReplyOf<E extends Endpoint> = [NonNullable<E['streams']>] extends [never]
  ? [NonNullable<E['bare']>] extends [never]
    ? DataOf<E> | Page<DataOf<E>> | Versioned<DataOf<E>> | ListOf<DataOf<E>> | AcceptedStream<E>
    : PlainPage
  : Stream

/**
 * Binds a handler to an endpoint. `exists` looks up the record that the path names and runs only when the body is invalid: a missing
 * record is reported before an invalid body, and valid requests pay nothing for it.
 */
export function handle<E extends Endpoint>(
  endpoint: E,
  run: (request: Request<E>) => Promise<ReplyOf<E>>,
  exists?: (request: Naming<E>) => Promise<unknown>,
): Route {
  return {
    endpoint,
    run: run as unknown as Route['run'],
    exists: exists as unknown as Route['exists'],
  }
}
