import { changesAnything, type DataOf, type Endpoint, inHeader, type Language } from '@mainline/contract'
import { type Arguments, type Asked, type Loose, requestOf, urlOf } from './asked.ts'
import { failureOf, isEnvelope, unreachable } from './failure.ts'
import { type Operations, operationsOf } from './operations.ts'
import { type AskedPages, type Paged, pagesOf, type RowOf } from './paging.ts'
import { retrying } from './retries.ts'
import { type AskedStream, streamOf } from './stream.ts'

export interface ClientOptions {
  /** Where Mainline is: `https://mainline.example.com`; in a page that it serves, `location.origin`. */
  readonly url: string
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string
  /** Who calls, where identity is open. */
  readonly user?: string
  /** The supplier account, when it is not the caller's own. */
  readonly account?: string
  /** Of the texts of failures and of built-in names. */
  readonly language?: Language
  /** How often a call that changes nothing is tried again after a passing failure; 3 when left out. */
  readonly retries?: number
}

/** Every operation under its area, as `client.sets.searchSet({ ... })`; or any by its endpoint. */
export interface Client extends Operations {
  /** The operation's `data`; whatever else is answered is thrown as a Failure. */
  call<E extends Endpoint>(endpoint: E, ...asked: Arguments<Asked<E>>): Promise<DataOf<E>>
  /** Page after page of a search. */
  pages<E extends Paged>(endpoint: E, ...asked: Arguments<AskedPages<E>>): AsyncGenerator<DataOf<E>, void>
  /** Record after record of a search. */
  all<E extends Paged>(endpoint: E, ...asked: Arguments<AskedPages<E>>): AsyncGenerator<RowOf<E>, void>
  /** What an endless operation tells, one by one, across lost connections. */
  stream<E extends Endpoint>(endpoint: E, asked?: AskedStream): AsyncGenerator<DataOf<E>, void>
}

/** What every request carries. */
export const headersOf = ({ token, user, account, language }: ClientOptions): Record<string, string> => ({
  ...(token !== undefined && { authorization: `Bearer ${token}` }),
  ...(user !== undefined && { BK_User: inHeader(user) }),
  ...(account !== undefined && { HTTP_BK_SUPPLIER_ACCOUNT: inHeader(account) }),
  ...(language !== undefined && { HTTP_BLUEKING_LANGUAGE: language }),
})

export function createClient(options: ClientOptions): Client {
  const { url, retries = 3 } = options
  const own = headersOf(options)
  const call = async (endpoint: Endpoint, asked: Loose = {}): Promise<unknown> => {
    if (endpoint.streams === 'text/event-stream') {
      throw new TypeError(`${endpoint.name} does not end: read it with stream`)
    }
    if (endpoint.streams || endpoint.takes)
      throw new TypeError(`${endpoint.name} moves a file: send and read it with fetch`)
    const attempt = () => send(endpoint, urlOf(url, endpoint, asked), requestOf(endpoint, asked, own))
    // What changes something may have happened although its answer was lost.
    return retrying(attempt, changesAnything(endpoint) ? 0 : retries, asked.signal)
  }
  async function* all(endpoint: Endpoint, asked?: Loose) {
    for await (const { info } of pagesOf(call, endpoint, asked)) yield* info
  }
  const stream = (endpoint: Endpoint, asked: AskedStream = {}) => {
    if (!endpoint.streams) throw new TypeError(`${endpoint.name} does not stream: use call`)
    const connect = (last: string | undefined, signal: AbortSignal) => {
      const headers = { ...asked.headers, ...(last !== undefined && { 'last-event-id': last }) }
      return open(endpoint, urlOf(url, endpoint, asked), requestOf(endpoint, { headers, signal }, own))
    }
    return streamOf(connect, endpoint.name, { ...asked, retries })
  }
  const client = {
    ...operationsOf(call),
    call,
    pages: (endpoint: Endpoint, asked?: Loose) => pagesOf(call, endpoint, asked),
    all,
    stream,
  }
  return client as unknown as Client
}

async function send(endpoint: Endpoint, url: string, request: RequestInit): Promise<unknown> {
  const [answer, text] = await fetch(url, request)
    .then(async (answer) => [answer, await answer.text()] as const)
    .catch((error) => {
      throw request.signal?.aborted ? error : unreachable(endpoint.name, error)
    })
  if (answer.ok && endpoint.bare === 'text/csv' && isOfType(answer, endpoint.bare)) return text
  const read = parse(text)
  // To clients of bk-cmdb refusals come with status 200, and in an envelope also where successes have none.
  if (answer.ok && endpoint.bare === 'application/json' && read !== undefined && !isRefusal(read)) return read
  if (!isEnvelope(read) || !read.result) throw failureOf(endpoint.name, answer, read)
  return read.data
}

/** The answer itself, once it is known to be the stream. */
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
