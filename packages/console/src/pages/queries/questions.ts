import { queries } from '@mainline/contract'
import { ask } from '../../api/ask.ts'
import { call } from '../../api/call.ts'
import type { Info } from './definition.ts'

export interface SavedQuery {
  readonly id: string
  readonly name: string
  readonly info: string
  readonly create_user: string
  readonly last_time: string
}

export type Row = Readonly<Record<'biz' | 'set' | 'module' | 'host', Readonly<Record<string, unknown>>>>

export const savedQueries = (business: number) => ({
  ...ask(queries.searchQuery, { params: { bk_biz_id: business }, body: { start: 0, limit: 200, sort: 'name' } }),
  select: (found: { count: number; info: unknown[] }) => found.info as SavedQuery[],
})

export const oneQuery = (business: number, id: string) => ({
  ...ask(queries.getQuery, { params: { bk_biz_id: business, id } }),
  select: (query: unknown) => query as SavedQuery,
})

export const previewSize = 20

export const preview = (business: number, info: Info) => ({
  ...ask(queries.previewQuery, {
    params: { bk_biz_id: business },
    body: { info: JSON.stringify(info), start: 0, limit: previewSize },
  }),
  select: (found: { count: number; info: unknown[] }) => ({ count: found.count, rows: found.info as Row[] }),
})

/** All of the result, page by page. */
export async function everyRow(business: number, info: Info): Promise<Row[]> {
  const rows: Row[] = []
  for (;;) {
    const body = { info: JSON.stringify(info), start: rows.length, limit: 200 }
    const found = await call(queries.previewQuery, { params: { bk_biz_id: business }, body })
    rows.push(...(found.info as unknown as Row[]))
    if (found.info.length === 0 || rows.length >= found.count) return rows
  }
}

export const createQuery = (business: number, name: string, info: Info) =>
  call(queries.createQuery, { body: { bk_biz_id: business, name, info: JSON.stringify(info) } })

export const updateQuery = (business: number, id: string, name: string, info: Info) =>
  call(queries.updateQuery, { params: { bk_biz_id: business, id }, body: { name, info: JSON.stringify(info) } })

export const deleteQuery = (business: number, id: string) =>
  call(queries.deleteQuery, { params: { bk_biz_id: business, id } })
