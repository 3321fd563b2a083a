import type { Insertable, Selectable } from 'kysely'
import type { Dialect } from './dialect.ts'
import { connectionOf, type Writer } from './handles.ts'
import type { Tables } from './tables.ts'

/** Rows per statement, largest first: few sizes, so that few prepared statements are kept. */
const sizes = [500, 100, 20]

interface Options<Column extends string> {
  /** Columns to return, in no particular order. */
  readonly returning?: readonly Column[]
  /** Skip rows whose key exists already. */
  readonly unlessThere?: boolean
  /** The rows have ids that the table would otherwise draw itself: rows that return under their old ids. */
  readonly givenIds?: boolean
}

/**
 * Inserts any number of rows with the same columns. Statements are compiled once per engine, table and size: compiling one with
 * thousands of values takes longer than running it.
 */
export async function insertMany<
  Table extends keyof Tables,
  Column extends keyof Selectable<Tables[Table]> & string = never,
>(
  writer: Writer,
  table: Table,
  rows: readonly Insertable<Tables[Table]>[],
  { returning = [], unlessThere = false, givenIds = false }: Options<Column> = {},
): Promise<Pick<Selectable<Tables[Table]>, Column>[]> {
  const [first] = rows
  if (!first) return []
  const columns = Object.keys(first)
  const tail = `${unlessThere ? ' ON CONFLICT DO NOTHING' : ''}${returning.length > 0 ? ` RETURNING ${returning}` : ''}`
  const returned: unknown[] = []
  for (let start = 0; start < rows.length; ) {
    const left = rows.length - start
    const size = sizes.find((each) => each <= left) ?? left
    const values: unknown[] = []
    for (const row of rows.slice(start, start + size)) {
      for (const column of columns) values.push((row as Record<string, unknown>)[column])
    }
    const sql = insertStatement(writer.dialect, table, columns, size, givenIds) + tail
    const done = await connectionOf(writer).query(sql, values)
    if (returning.length > 0) returned.push(...done.rows)
    start += size
  }
  return returned as Pick<Selectable<Tables[Table]>, Column>[]
}

const statements = new Map<Dialect, Map<string, string>>()

function insertStatement(
  dialect: Dialect,
  table: string,
  columns: readonly string[],
  rows: number,
  givenIds: boolean,
): string {
  const known = statements.get(dialect) ?? new Map<string, string>()
  statements.set(dialect, known)
  const key = `${rows} ${table} ${columns} ${givenIds}`
  const found = known.get(key)
  if (found) return found
  const row = (index: number) => columns.map((_, column) => dialect.placeholder(index * columns.length + column + 1))
  const values = Array.from({ length: rows }, (_, index) => `(${row(index)})`)
  const sql = `INSERT INTO "${table}" (${columns.map((name) => `"${name}"`)})${givenIds ? dialect.givenIds : ''} VALUES ${values}`
  known.set(key, sql)
  return sql
}
