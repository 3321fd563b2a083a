import { type DataOf, queries } from '@mainline/contract'
import { ask } from '../../api/ask.ts'
import { account, call } from '../../api/call.ts'
import type { Info } from './definition.ts'

export interface SavedQuery {
  readonly id: string
  readonly name: string
  readonly info: string
  readonly create_user: string
  readonly last_time: string
}

export type Row = Readonly<Record<'biz' | 'set' | 'module' | 'host', Readonly<Record<string, unknown>>>>

const most = 200

const literally = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** Those of a business whose name holds the words, whatever their case; the first 200 by name, and how many there are. */
export const savedQueries = (business: number, words: string) => ({
  ...ask(queries.searchQuery, {
    params: { bk_biz_id: business },
    body: {
      start: 0,
      limit: most,
      sort: 'name',
      ...(words.trim() && { condition: { name: { $regex: `(?i)${literally(words.trim())}` } } }),
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

/** Those of every business, by a part of their name. */
export const queriesNamed = (name: string, limit: number) => ({
  ...ask(queries.findQueries, { params: { bk_supplier_account: account }, body: { name, page: { start: 0, limit } } }),
  select: (found: DataOf<typeof queries.findQueries>) => found.info as Required<(typeof found.info)[number]>[],
})

/** Null: there is none, as a server says it that speaks to clients of bk-cmdb; others refuse. */
export const oneQuery = (business: number, id: string) => ({
  ...ask(queries.getQuery, { params: { bk_biz_id: business, id } }),
  select: (query: unknown) => ((query as Partial<SavedQuery>).id === undefined ? null : (query as SavedQuery)),
})

export const previewSize = 20

export const preview = (business: number, info: Info) => ({
  ...ask(queries.previewQuery, {
    params: { bk_biz_id: business },
    body: { info: JSON.stringify(info), start: 0, limit: previewSize },
  }),
  select: (found: { count: number; info: unknown[] }) => ({ count: found.count, rows: found.info as Row[] }),
})

/** All of the result, page by page in order of id: none is lost while others come and go. */
export async function everyRow(business: number, info: Info, progress: (done: number) => void): Promise<Row[]> {
  const rows: Row[] = []
  const body = { info: JSON.stringify(withHosts(info)), limit: 200 }
  for (let after = 0; ; ) {
    const query = { after: String(after) }
    const found = await call(queries.previewQuery, { params: { bk_biz_id: business }, query, body })
    const page = found.info as unknown as Row[]
    rows.push(...page)
    progress(rows.length)
    if (page.length === 0) return rows
    after = Number(page.at(-1)?.host.bk_host_id)
  }
}

/** In order of id, whatever order it asks for; and the id of a host is known only where something is shown of hosts. */
const withHosts = ({ condition }: Info): Info => ({
  condition: condition.some((each) => each.bk_obj_id === 'host')
    ? condition
    : [...condition, { bk_obj_id: 'host', fields: ['bk_host_id'], condition: [] }],
})

export const createQuery = (business: number, name: string, info: Info) =>
  call(queries.createQuery, { body: { bk_biz_id: business, name, info: JSON.stringify(info) } })

/** What it says stays unless it is given. */
export const updateQuery = (business: number, id: string, name: string, info: Info | undefined) =>
  call(queries.updateQuery, {
    params: { bk_biz_id: business, id },
    body: { name, ...(info && { info: JSON.stringify(info) }) },
  })

export const deleteQuery = (business: number, id: string) =>
  call(queries.deleteQuery, { params: { bk_biz_id: business, id } })
