// Saved queries through the API: their conditions, and the rows of their results.
import type { Answer, TestServer } from '../harness.ts'

export type Filter = [field: string, operator: string, value?: unknown]

/** The entry of one kind of object in host searches and saved queries. */
export const entry = (bk_obj_id: string, filters: readonly Filter[] = [], fields: readonly string[] = []) => ({
  bk_obj_id,
  fields,
  condition: filters.map(([field, operator, value]) => ({ field, operator, value })),
})

export const infoOf = (...condition: unknown[]): string => JSON.stringify({ condition })

export interface QueryRow {
  biz: Record<string, unknown>
  set: Record<string, unknown>
  module: Record<string, unknown>
  host: Record<string, unknown>
}

export interface Rows {
  count: number
  info: QueryRow[]
  explain?: { statements: { what: string; sql: string; plan: string[]; milliseconds: number }[] }
}

export const createQuery = (
  server: TestServer,
  bk_biz_id: number,
  info: unknown,
  name: unknown = `query ${Math.random().toString(36).slice(2)}`,
  headers: Record<string, string> = {},
) => server.call<{ id: string }>('POST', '/userapi', { bk_biz_id, info, name }, headers)

/** A saved query; returns its id. */
export async function saveQuery(server: TestServer, business: number, info: string, name?: string): Promise<string> {
  const made = await createQuery(server, business, info, name)
  if (!made.result) throw new Error(made.bk_error_msg ?? '')
  return made.data.id
}

export const runQuery = (
  server: TestServer,
  business: number,
  id: string,
  { start = 0, limit = 200, ...query }: Record<string, string | number> = {},
  headers: Record<string, string> = {},
): Promise<Answer<Rows>> => {
  const asked = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, `${value}`]))
  return server.call<Rows>('GET', `/userapi/data/${business}/${id}/${start}/${limit}?${asked}`, undefined, headers)
}

export const preview = (
  server: TestServer,
  business: number,
  info: unknown,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Answer<Rows>> =>
  server.call<Rows>('POST', `/userapi/preview/${business}`, { info, limit: 200, ...more }, headers)
