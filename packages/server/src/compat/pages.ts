// Paging and sorting of searches, where clients of the original send what the contract refuses.
import { type DataOf, defaultLimit, type Endpoint, Limit, Problem, pageLimit } from '@mainline/contract'
import Type, { type TSchema } from 'typebox'
import { isObject, type Sent } from '../http/dialect.ts'
import type { Request } from '../http/route.ts'

const anyLimit = Type.Integer({ description: 'page size; below 1 or above 200 it is 200' })
const limitKey = JSON.stringify(Limit)

/** The same body with pages of any size; sizes out of range become 200. */
export const withAnyLimit = (body: TSchema): TSchema =>
  JSON.parse(JSON.stringify(body), (_, value) => (JSON.stringify(value) === limitKey ? anyLimit : value)) as TSchema

/** Transforms the page, which has its own key or is part of the body. */
function inPage(sent: Sent, change: (page: Sent) => Sent): Sent {
  const changed = change(sent)
  return isObject(sent.page) ? { ...changed, page: change(sent.page) } : changed
}

const withLimit = (fits: (limit: number) => boolean) => (sent: Sent) =>
  inPage(sent, (page) =>
    typeof page.limit === 'number' && Number.isInteger(page.limit) && !fits(page.limit)
      ? { ...page, limit: pageLimit }
      : page,
  )

/** A limit below 1 means the maximum. */
export const openPage = withLimit((limit) => limit >= 1)
export const cappedPage = withLimit((limit) => limit >= 1 && limit <= pageLimit)

/** Adds the keys that search_set requires. */
export function withPage(sent: Sent): Sent {
  const page = sent.page ?? {}
  return {
    ...sent,
    page: isObject(page) ? { start: 0, limit: defaultLimit, ...page } : page,
    fields: sent.fields ?? [],
    condition: sent.condition ?? {},
  }
}

/** Retries without the unknown sort field; which fields exist depends on the model. */
export async function ignoringUnknownSort<E extends Endpoint>(
  run: (request: Request<E>) => Promise<DataOf<E>>,
  request: Request<E>,
): Promise<DataOf<E>> {
  try {
    return await run(request)
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'unknown' || error.field !== 'sort') throw error
    const unknown = error.values
    const known = (sort: string) => sort.split(',').filter((part) => !unknown.includes(part.trim()))
    const body = inPage(request.body as Sent, (page) =>
      typeof page.sort === 'string' ? { ...page, sort: known(page.sort).join(',') } : page,
    )
    return run({ ...request, body } as Request<E>)
  }
}
