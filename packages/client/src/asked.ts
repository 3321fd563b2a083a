import type { BodyOf, Endpoint, ParamsOf } from '@mainline/contract'

type Empty = Record<never, never>
/** A property that is optional if all of its own properties are. */
type Key<Name extends string, Value> = unknown extends Value
  ? Empty
  : Empty extends Value
    ? { readonly [K in Name]?: Value }
    : { readonly [K in Name]: Value }

/** Options of any call, besides what its operation declares. */
export interface Extras {
  /** Query parameters. */
  readonly query?: Readonly<Record<string, string | number | boolean>>
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** For changes: the reason, which is stored in the audit log and sent in events. */
  readonly reason?: string
  /** The change is made only if the instance still has this revision. */
  readonly ifMatch?: number | undefined
  /** For changes: makes the call repeatable across programs. For its own retries the client uses a key of its own. */
  readonly idempotencyKey?: string
}

/** The argument of an operation: the parameters of its path, and its body, as the contract declares them. */
export type Asked<E extends Endpoint> = Key<'params', ParamsOf<E>> & Key<'body', BodyOf<E>> & Extras
/** The whole argument is optional if nothing in it is required. */
export type Arguments<T> = Empty extends T ? [asked?: T] : [asked: T]

/** The same without types, as the implementation handles it. */
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
  { body, headers, signal, reason, ifMatch, idempotencyKey }: Loose,
  own: Record<string, string>,
): RequestInit {
  const sent = endpoint.method !== 'GET' && endpoint.hasBody
  return {
    method: endpoint.method,
    headers: {
      ...own,
      ...(sent && { 'content-type': 'application/json' }),
      ...(reason !== undefined && { 'x-change-reason': encodeURIComponent(reason) }),
      ...(ifMatch !== undefined && { 'if-match': `"${ifMatch}"` }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...headers,
    },
    ...(sent && { body: JSON.stringify(body ?? {}) }),
    ...(signal && { signal }),
  }
}

/** Not `crypto.randomUUID`, which pages have only over HTTPS. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
