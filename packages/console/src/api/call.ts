import { type BodyOf, type DataOf, type Endpoint, type Envelope, inHeader, type ParamsOf } from '@mainline/contract'
import { preferences } from '../preferences.ts'

/** The supplier account the console works in. */
export const account = '0'

/** Of the contract, where codes are a promise. */
const codes = { unauthenticated: 1199027, denied: 9900403, notFound: 1199019, notInteger: 1199009 }
/** What may be answered otherwise a moment later: too many requests, not ready, outcome unknown, a crash. */
const passing: readonly number[] = [1199429, 1199503, 1199504, 1199999]

/**
 * Why the server, or the way to it, did not do what was asked: its own sentence, and the id to ask about. What kind of refusal it
 * is, the code says: a server that speaks to clients of bk-cmdb answers all of them with status 200. What stands before it may
 * have only a status.
 */
export class Refusal extends Error {
  readonly code: number
  readonly status: number
  readonly requestId: string
  /** What was done nevertheless, for operations that say so. */
  readonly data: unknown

  constructor(message: string, code: number, status: number, requestId: string, data: unknown = null) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.status = status
    this.requestId = requestId
    this.data = data
  }

  #is(code: number, status: number): boolean {
    return this.code === 0 ? this.status === status : this.code === code
  }

  /** The server does not know who is asking. */
  get isUnauthenticated(): boolean {
    return this.#is(codes.unauthenticated, 401)
  }

  get isDenied(): boolean {
    return this.#is(codes.denied, 403)
  }

  /** There is nothing by that id, or it is none. */
  get isMissing(): boolean {
    return this.#is(codes.notFound, 404) || this.code === codes.notInteger
  }

  /** Whether the same may be answered otherwise if it is asked again. */
  get isPassing(): boolean {
    return this.code === 0
      ? this.status === 0 || this.status === 429 || this.status >= 500
      : passing.includes(this.code)
  }
}

type Named<E extends Endpoint> = keyof ParamsOf<E> extends never ? { params?: undefined } : { params: ParamsOf<E> }
/** Attribute maps and conditions hold more keys than their schemas name. */
type Body<E extends Endpoint> = BodyOf<E> & Readonly<Record<string, unknown>>
export type Given<E extends Endpoint> = Named<E> & { body?: Body<E>; query?: Record<string, string> }

const tokenKey = 'mainline.token'

/** A token lasts as long as the tab: it is not left behind on the disk. */
export function keepToken(token: string | null): void {
  if (token === null) sessionStorage.removeItem(tokenKey)
  else sessionStorage.setItem(tokenKey, token)
}
export const hasToken = (): boolean => sessionStorage.getItem(tokenKey) !== null

/** Asks, as whoever sits here and in their language. Rejects with a Refusal when there is no answer at all. */
export async function send<E extends Endpoint>(
  endpoint: E,
  given: Given<E>,
  headers: Record<string, string>,
  signal: AbortSignal | null,
): Promise<Response> {
  const { language, user } = preferences()
  const token = sessionStorage.getItem(tokenKey)
  const params = (given.params ?? {}) as Record<string, string | number>
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const query = given.query ? `?${new URLSearchParams(given.query)}` : ''
  return fetch(`/api/v3${path}${query}`, {
    method: endpoint.method,
    headers: {
      http_blueking_language: language,
      ...(user && { bk_user: inHeader(user) }),
      ...(token && { authorization: `Bearer ${token}` }),
      ...(given.body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(given.body !== undefined && { body: JSON.stringify(given.body) }),
    signal,
  }).catch((error: Error) => {
    throw signal?.aborted ? error : new Refusal('', 0, 0, '')
  })
}

/** One operation of the public interface, typed by the contract. Rejects with a Refusal. */
export async function call<E extends Endpoint>(
  endpoint: E,
  given: Given<E>,
  signal: AbortSignal | null = null,
): Promise<DataOf<E>> {
  const answer = await send(endpoint, given, {}, signal)
  return unwrap<DataOf<E>>(answer)
}

/** What an envelope holds; a refusal is thrown. */
export async function unwrap<Data>(answer: Response): Promise<Data> {
  const requestId = answer.headers.get('cc_request_id') ?? ''
  const envelope = (await answer.json().catch(() => null)) as Envelope<Data> | null
  if (!envelope?.result) {
    const { bk_error_msg: why, bk_error_code: code, data } = envelope ?? { bk_error_code: 0, data: null }
    throw new Refusal(why ?? '', code, answer.status, requestId, data)
  }
  return envelope.data
}
