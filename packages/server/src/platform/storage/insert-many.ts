import type { Insertable, Selectable } from 'kysely'
import { connectionOf, type Writer } from './change.ts'
import type { Dialect } from './dialect.ts'
import type { Tables } from './tables.ts'

/** How many rows one statement takes: few sizes, so that few statements have to be kept, and none too many values. */
const sizes = [500, 100, 20, 4, 1]

/** Written out once for each engine, table and size: building it anew takes longer than running it. */
const statements = new Map<Dialect, Map<string, string>>()

function statementOf(
  dialect: Dialect,
  table: string,
  columns: readonly string[],
  rows: number,
  returning: readonly string[],
): string {
  const known = statements.get(dialect) ?? new Map<string, string>()
  statements.set(dialect, known)
  const key = `${rows} ${table} ${columns} ${returning}`
  const found = known.get(key)
  if (found) return found
  const row = (index: number) => columns.map((_, column) => dialect.placeholder(index * columns.length + column + 1))
  const values = Array.from({ length: rows }, (_, index) => `(${row(index)})`)
  const sql = `INSERT INTO "${table}" (${columns.map((name) => `"${name}"`)}) VALUES ${values}${returning.length > 0 ? ` RETURNING ${returning}` : ''}`
  known.set(key, sql)
  return sql
}

/** Inserts any number of rows that have the same columns, and returns what is asked for, in no order. */
export async function insertMany<
  Table extends keyof Tables,
  Column extends keyof Selectable<Tables[Table]> & string = never,
>(
  writer: Writer,
  table: Table,
  rows: readonly Insertable<Tables[Table]>[],
  ...returning: Column[]
): Promise<Pick<Selectable<Tables[Table]>, Column>[]> {
  const [first] = rows
  if (!first) return []
  const columns = Object.keys(first)
  const returned: unknown[] = []
  for (let start = 0; start < rows.length; ) {
    const size = sizes.find((each) => each <= rows.length - start) ?? 1
    const values: unknown[] = []
    for (const row of rows.slice(start, start + size)) {
      for (const column of columns) values.push((row as Record<string, unknown>)[column])
    }
    const done = await connectionOf(writer).query(statementOf(writer.dialect, table, columns, size, returning), values)
    if (returning.length > 0) returned.push(...done.rows)
    start += size
  }
  return returned as Pick<Selectable<Tables[Table]>, Column>[]
}
