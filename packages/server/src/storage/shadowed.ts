// Readers for which some tables are replaced by queries, so that the statements of every area read other rows.
import { Cache } from './cache.ts'
import type { Connection } from './connection.ts'
import { type CommittedReader, connectionOf, readerOver } from './handles.ts'

/** Replaces a table: `?` in the text stands for the next of the values. */
export interface Shadow {
  readonly table: string
  readonly text: string
  readonly values: readonly unknown[]
}

/** A few pages and a model, not an estate. */
const maxShadowedCacheBytes = 8_000_000

/**
 * A reader that reads the shadows in place of the tables of those names: each becomes a common table expression, which hides the table in
 * all statements. NOT MATERIALIZED: the planner sees through it and uses the indexes below. The rows must never change, because what is
 * read from them is cached as current.
 */
export function shadowed(reader: CommittedReader, shadows: readonly Shadow[]): CommittedReader {
  const { dialect } = reader
  const original = connectionOf(reader)
  const named = shadows.map((shadow) => ({ ...shadow, pattern: new RegExp(`\\b${shadow.table}\\b`) }))
  const written = new Map<string, { readonly sql: string; readonly used: readonly Shadow[] }>()

  function write(sql: string, count: number) {
    const known = written.get(sql)
    if (known) return known
    const used = named.filter(({ pattern }) => pattern.test(sql))
    // SQLite takes unnumbered values in the order of the text; PostgreSQL's are numbered, and follow those of the statement.
    let next = count
    const withs = used.map(({ table, text }) => {
      const numbered = text.replace(/\?/g, () => dialect.placeholder(++next))
      return `"${table}" AS NOT MATERIALIZED (${numbered})`
    })
    const result = { sql: withs.length === 0 ? sql : `WITH ${withs.join(', ')} ${sql}`, used }
    written.set(sql, result)
    return result
  }

  const connection: Connection = {
    ...(original.isFar && { isFar: true }),
    query(text, parameters, abandoned) {
      const { sql, used } = write(text, parameters.length)
      const values = used.flatMap((shadow) => shadow.values)
      const all = dialect.name === 'sqlite' ? [...values, ...parameters] : [...parameters, ...values]
      return original.query(sql, all, abandoned)
    },
    script() {
      throw new Error('the past is not written')
    },
  }
  return readerOver(connection, { dialect, cache: new Cache(maxShadowedCacheBytes), generation: () => 0 })
}
