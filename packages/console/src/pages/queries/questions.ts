import { type DataOf, queries } from '@mainline/contract'
import { ask, askThen } from '../../api/ask.ts'
import { account, call, caller } from '../../api/call.ts'
import { momentAsked } from '../../api/moment.ts'
import { patternOf } from '../../api/pattern.ts'
import type { Info } from './definition.ts'

export interface SavedQuery {
  readonly bk_revision?: number
  readonly id: string
  readonly name: string
  readonly info: string
  readonly create_user: string
  readonly last_time: string
}

export type Row = Readonly<Record<'biz' | 'set' | 'module' | 'host', Readonly<Record<string, unknown>>>>

const most = 200

/** The queries of a business that match the words, case-insensitively; the first 200 by name, and the total. */
export const savedQueries = (business: number, words: string) => ({
  ...askThen(queries.searchQuery, {
    params: { bk_biz_id: business },
    body: {
      start: 0,
      limit: most,
      sort: 'name',
      ...(words.trim() && { condition: { name: { $regex: patternOf(words) } } }),
    },
  }),
  select: (found: { count: number; info: unknown[] }) => ({ count: found.count, queries: found.info as SavedQuery[] }),
})

/** Queries of a business by their ids. */
export const queriesCalled = (business: number, ids: readonly string[]) => ({
  ...ask(queries.searchQuery, {
    params: { bk_biz_id: business },
    body: { start: 0, limit: most, condition: { id: { $in: ids.slice(0, most) } } },
  }),
  select: (found: { info: unknown[] }) => found.info as SavedQuery[],
})

/** Queries of all businesses, by a part of their name. */
export const queriesNamed = (name: string, limit: number) => ({
  ...ask(queries.findQueries, { params: { bk_supplier_account: account }, body: { name, page: { start: 0, limit } } }),
  select: (found: DataOf<typeof queries.findQueries>) => found.info as Required<(typeof found.info)[number]>[],
})

/** Null for a missing one in compatibility mode; otherwise an error. */
export const oneQuery = (business: number, id: string) => ({
  ...askThen(queries.getQuery, { params: { bk_biz_id: business, id } }),
  select: (query: unknown) => ((query as Partial<SavedQuery>).id === undefined ? null : (query as SavedQuery)),
})

/** A page of the result; each row has the id of its host. */
export const preview = (business: number, info: Info, start: number, limit: number) => ({
  ...askThen(queries.previewQuery, {
    params: { bk_biz_id: business },
    body: { info: JSON.stringify({ ...info, ...withHosts(info) }), start, limit },
  }),
  select: (found: { count: number; info: unknown[] }) => ({ count: found.count, rows: found.info as Row[] }),
})

/** All of the result, paged by id, so that none is missed during changes. */
export async function everyRow(business: number, info: Info, progress: (done: number) => void): Promise<Row[]> {
  const rows: Row[] = []
  const asked = {
    params: { bk_biz_id: business },
    query: { after: 0, ...momentAsked() },
    body: { info: JSON.stringify(withHosts(info)) },
  }
  for await (const { info: page } of caller().pages(queries.previewQuery, asked)) {
    rows.push(...(page as Row[]))
    progress(rows.length)
  }
  return rows
}

/** Ordered by id, whatever order the query has; the id of a host is available only if the query shows hosts. */
const withHosts = ({ condition }: Info): Info => ({
  condition: condition.some((each) => each.bk_obj_id === 'host')
    ? condition
    : [...condition, { bk_obj_id: 'host', fields: ['bk_host_id'], condition: [] }],
})

export const createQuery = (business: number, name: string, info: Info) =>
  call(queries.createQuery, { body: { bk_biz_id: business, name, info: JSON.stringify(info) } })

/** The definition is unchanged unless given. */
export const updateQuery = (
  business: number,
  id: string,
  name: string,
  info: Info | undefined,
  ifMatch: number | undefined,
) =>
  call(queries.updateQuery, {
    params: { bk_biz_id: business, id },
    ifMatch,
    body: { name, ...(info && { info: JSON.stringify(info) }) },
  })

export const deleteQuery = (business: number, { id, bk_revision: ifMatch }: Pick<SavedQuery, 'id' | 'bk_revision'>) =>
  call(queries.deleteQuery, { params: { bk_biz_id: business, id }, ifMatch })
