import { type BodyOf, type DataOf, type Endpoint, type ParamsOf, pageLimit } from '@mainline/contract'
import type { Extras, Loose } from './asked.ts'

/** A search that returns pages. */
export type Paged = Endpoint & {
  readonly data: { readonly properties: { readonly count: object; readonly info: object } }
}
export type RowOf<E extends Endpoint> = DataOf<E> extends { info: (infer Row)[] } ? Row : never

type Paging = 'page' | 'start' | 'limit'
type Unpaged<T> = { [Name in keyof T as Name extends Paging ? never : Name]: T[Name] }
type Given<Name extends 'params' | 'body', Value> =
  Record<never, never> extends Value ? { readonly [K in Name]?: Value } : { readonly [K in Name]: Value }

/** The argument of the search without the start of its page, which the client sets. */
export type AskedPages<E extends Endpoint> = Given<'params', Unpaged<ParamsOf<E>>> &
  (unknown extends BodyOf<E> ? unknown : Given<'body', Unpaged<BodyOf<E>> & { page?: { sort?: string } }>) &
  Extras & { /** How many at a time; as many as the server gives when left out. */ readonly limit?: number }

interface Page {
  readonly count: number
  readonly info: readonly Record<string, unknown>[]
}
type Call = (endpoint: Endpoint, asked: Loose) => Promise<unknown>

/**
 * Hosts are paged by id unless another order is requested, so that none is missed while others are added and deleted. For a saved query, request it
 * by `query: { after: 0 }`, since only the query knows its order.
 */
export async function* pagesOf(
  call: Call,
  endpoint: Endpoint,
  given: Loose & { limit?: number } = {},
): AsyncGenerator<Page> {
  const { limit = pageLimit, ...asked } = given
  const place = placeOf(endpoint)
  const byId = place.byId(asked)
  for (let start = 0, after = 0, more = true; more; ) {
    const page = (await call(endpoint, place.put(asked, byId ? { after, limit } : { start, limit }))) as Page
    if (page.info.length > 0) yield page
    start += page.info.length
    more = page.info.length === limit && (byId || start < page.count)
    if (more && byId) after = idOf(page.info.at(-1))
  }
}

type Where = { start?: number; after?: number; limit: number }
interface Place {
  put(asked: Loose, where: Where): Loose
  byId(asked: Loose): boolean
}

/** Where an operation takes the page: in `page` of its body, in its body, or in its path. */
function placeOf({ name, paging }: Endpoint): Place {
  const pageIn = (asked: Loose) => asked.body?.page as Record<string, unknown> | undefined
  if (paging === 'page' || paging === 'pageById') {
    return {
      put: (asked, where) => ({ ...asked, body: { ...asked.body, page: { ...pageIn(asked), ...where } } }),
      byId: (asked) => paging === 'pageById' && !pageIn(asked)?.sort,
    }
  }
  if (paging === 'body') {
    return { put: (asked, where) => ({ ...asked, body: { ...asked.body, ...where } }), byId: () => false }
  }
  if (paging === 'path') {
    return {
      put: (asked, { start = 0, limit, after }) => ({
        ...asked,
        params: { ...asked.params, start, limit },
        query: { ...asked.query, ...(after !== undefined && { after }) },
      }),
      byId: (asked) => asked.query?.after !== undefined,
    }
  }
  throw new TypeError(`${name} does not answer pages`)
}

function idOf(row: Record<string, unknown> | undefined): number {
  const id = (row?.host as { bk_host_id?: unknown } | undefined)?.bk_host_id
  if (typeof id !== 'number') throw new TypeError('to walk hosts by their ids, the query must show bk_host_id')
  return id
}
