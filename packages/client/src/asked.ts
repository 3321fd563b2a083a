import { type BodyOf, type Endpoint, hasBody, type ParamsOf } from '@mainline/contract'

type Empty = Record<never, never>
/** A key that may be left out when everything in it may be. */
type Key<Name extends string, Value> = unknown extends Value
  ? Empty
  : Empty extends Value
    ? { readonly [K in Name]?: Value }
    : { readonly [K in Name]: Value }

/** What any call may carry besides what its operation declares. */
export interface Extras {
  /** Parameters behind the question mark. */
  readonly query?: Readonly<Record<string, string | number | boolean>>
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** What a call of the operation takes: the parameters of its path and its body, as the contract declares them. */
export type Asked<E extends Endpoint> = Key<'params', ParamsOf<E>> & Key<'body', BodyOf<E>> & Extras
/** The whole argument may be left out when nothing in it is needed. */
export type Arguments<T> = Empty extends T ? [asked?: T] : [asked: T]

/** The same without its types, as the code handles it. */
export interface Loose extends Extras {
  readonly params?: Readonly<Record<string, unknown>>
  readonly body?: Readonly<Record<string, unknown>>
}

export const urlOf = (base: string, { path }: Endpoint, { params = {}, query = {} }: Loose): string => {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  return `${base.replace(/\/+$/, '')}/api/v3${filled}${search.size > 0 ? `?${search}` : ''}`
}

export function requestOf(
  endpoint: Endpoint,
  { body, headers, signal }: Loose,
  own: Record<string, string>,
): RequestInit {
  const sent = endpoint.method !== 'GET' && hasBody(endpoint)
  return {
    method: endpoint.method,
    headers: { ...own, ...(sent && { 'content-type': 'application/json' }), ...headers },
    ...(sent && { body: JSON.stringify(body ?? {}) }),
    ...(signal && { signal }),
  }
}
