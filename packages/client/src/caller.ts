import { type DataOf, type Endpoint, inHeader, type Language, takesKey } from '@mainline/contract'
import { type Arguments, type Asked, type Loose, newKey, requestOf, urlOf } from './asked.ts'
import { failureOf, isEnvelope, unreachable } from './failure.ts'
import { linesOf } from './lines.ts'
import { type AskedPages, type Paged, pagesOf, type RowOf } from './paging.ts'
import { retrying } from './retries.ts'
import { type AskedStream, streamOf } from './stream.ts'

export interface ClientOptions {
  /** The server's origin: `https://mainline.example.com`; in a page that it serves, `location.origin`. */
  readonly url: string
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string
  /** The user, with open identity. */
  readonly user?: string
  /** The supplier account, if it is not the caller's default one. */
  readonly account?: string
  /** The language of error messages and built-in names. */
  readonly language?: Language
  /** Number of retries after a temporary failure; 3 by default. Changes are then sent with an Idempotency-Key. */
  readonly retries?: number
}

/** Calls any operation by its endpoint. */
export interface Caller {
  /** Returns the operation's `data`; throws a Failure for anything else. */
  call<E extends Endpoint>(endpoint: E, ...asked: Arguments<Asked<E>>): Promise<DataOf<E>>
  /** The same, with the revision of the record, for the `ifMatch` of a change. */
  callWithRevision<E extends Endpoint>(endpoint: E, ...asked: Arguments<Asked<E>>): Promise<WithRevision<DataOf<E>>>
  /** The pages of a search. */
  pages<E extends Paged>(endpoint: E, ...asked: Arguments<AskedPages<E>>): AsyncGenerator<DataOf<E>, void>
  /** The records of a search. */
  all<E extends Paged>(endpoint: E, ...asked: Arguments<AskedPages<E>>): AsyncGenerator<RowOf<E>, void>
  /** The lines of an answer that is also sent as JSON lines, as they arrive. */
  lines<E extends Endpoint & { readonly alsoStreams: string }>(
    endpoint: E,
    ...asked: Arguments<Asked<E>>
  ): AsyncGenerator<unknown, void>
  /** The events of a stream, across lost connections. */
  stream<E extends Endpoint>(endpoint: E, asked?: AskedStream): AsyncGenerator<DataOf<E>, void>
}

export interface WithRevision<Data> {
  readonly data: Data
  /** Undefined for operations that do not return a single record. */
  readonly revision: number | undefined
}

/** The headers of every request. */
export const headersOf = ({ token, user, account, language }: ClientOptions): Record<string, string> => ({
  ...(token !== undefined && { authorization: `Bearer ${token}` }),
  ...(user !== undefined && { BK_User: inHeader(user) }),
  ...(account !== undefined && { HTTP_BK_SUPPLIER_ACCOUNT: inHeader(account) }),
  ...(language !== undefined && { HTTP_BLUEKING_LANGUAGE: language }),
})

/** `asOf`: the moment of the past that is read. */
export function createCaller(options: ClientOptions, asOf?: string): Caller {
  const { url, retries = 3 } = options
  const own = headersOf(options)
  const inMoment = (endpoint: Endpoint, asked: Loose): Loose => {
    if (asOf === undefined) return asked
    if (!endpoint.readsPast) throw new TypeError(`${endpoint.name} does not read the past`)
    return { ...asked, query: { ...asked.query, as_of: asOf } }
  }
  const callWithRevision = (endpoint: Endpoint, given: Loose = {}): Promise<WithRevision<unknown>> => {
    const asked = inMoment(endpoint, given)
    if (endpoint.streams === 'text/event-stream') {
      throw new TypeError(`${endpoint.name} does not end: read it with stream`)
    }
    if (endpoint.streams || endpoint.takes)
      throw new TypeError(`${endpoint.name} moves a file: send and read it with fetch`)
    // A change may have been committed although its answer was lost: with a key it is not repeated.
    const needsKey = takesKey(endpoint) && retries > 0 && asked.idempotencyKey === undefined
    const keyed = needsKey ? { ...asked, idempotencyKey: newKey() } : asked
    const attempt = () => send(endpoint, urlOf(url, endpoint, keyed), requestOf(endpoint, keyed, own))
    return retrying(attempt, retries, asked.signal)
  }
  const call = async (endpoint: Endpoint, asked?: Loose) => (await callWithRevision(endpoint, asked)).data
  async function* all(endpoint: Endpoint, asked?: Loose) {
    for await (const { info } of pagesOf(call, endpoint, asked)) yield* info
  }
  const stream = (endpoint: Endpoint, asked: AskedStream = {}) => {
    if (asOf !== undefined) throw new TypeError('events are not read as of a moment')
    if (!endpoint.streams) throw new TypeError(`${endpoint.name} does not stream: use call`)
    const connect = (last: string | undefined, signal: AbortSignal) => {
      const headers = { ...asked.headers, ...(last !== undefined && { 'last-event-id': last }) }
      return open(endpoint, urlOf(url, endpoint, asked), requestOf(endpoint, { headers, signal }, own))
    }
    return streamOf(connect, endpoint.name, { ...asked, retries })
  }
  async function* lines(endpoint: Endpoint, asked: Loose = {}) {
    const headers = { ...asked.headers, accept: endpoint.alsoStreams ?? '' }
    yield* linesOf(endpoint, urlOf(url, endpoint, asked), requestOf(endpoint, { ...asked, headers }, own))
  }
  const pages = (endpoint: Endpoint, asked?: Loose) => pagesOf(call, endpoint, asked)
  return { call, callWithRevision, pages, all, lines, stream } as unknown as Caller
}

async function send(endpoint: Endpoint, url: string, request: RequestInit): Promise<WithRevision<unknown>> {
  const [answer, text] = await fetch(url, request)
    .then(async (answer) => [answer, await answer.text()] as const)
    .catch((error) => {
      throw request.signal?.aborted ? error : unreachable(endpoint.name, error)
    })
  const revision = endpoint.versioned ? revisionIn(answer) : undefined
  if (answer.ok && endpoint.bare === 'text/csv' && isOfType(answer, endpoint.bare)) return { data: text, revision }
  const read = parse(text)
  // With --compat bk-cmdb errors have status 200, and an envelope even where successes have none.
  if (answer.ok && endpoint.bare === 'application/json' && read !== undefined && !isRefusal(read)) {
    return { data: read, revision }
  }
  if (!isEnvelope(read) || !read.result) throw failureOf(endpoint.name, answer, read)
  return { data: read.data, revision }
}

function revisionIn({ headers }: Response): number | undefined {
  const [, digits] = /^"(\d+)"$/.exec(headers.get('etag') ?? '') ?? []
  return digits === undefined ? undefined : Number(digits)
}

/** The response, once it is known to be a stream. */
async function open(endpoint: Endpoint, url: string, request: RequestInit): Promise<Response> {
  const answer = await fetch(url, request)
  if (answer.ok && isOfType(answer, endpoint.streams ?? '')) return answer
  throw failureOf(endpoint.name, answer, parse(await answer.text()))
}

const isOfType = ({ headers }: Response, type: string) => headers.get('content-type')?.startsWith(type) ?? false

const isRefusal = (read: unknown) => isEnvelope(read) && read.result === false

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
