import { DatabaseSync } from 'node:sqlite'
import { rowsOf } from '../connection.ts'
import type { AppliedMigration, Counter, Shape, StoreSnapshot } from '../copy/snapshot.ts'
import { orDamaged } from './file/damage.ts'
import { openToRead } from './opening.ts'

const rowsPerPage = 500

/** A read transaction: in WAL mode it sees a consistent snapshot without blocking writers. */
export function snapshotOfSqlite(directory: string, flag?: string): StoreSnapshot {
  const { connection, path } = openToRead(directory, flag)
  connection.close()
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
  const all = <Row>(sql: string): Row[] => {
    try {
      return rowsOf<Row>(database.prepare(sql).all())
    } catch (error) {
      throw orDamaged(error, path)
    }
  }
  try {
    database.exec('BEGIN')
    const steps = all<AppliedMigration>('SELECT number, name, checksum, applied_at FROM migration ORDER BY number')
    return {
      engine: 'sqlite',
      steps,
      async tables() {
        const names = all<Shape>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
        return names.map(({ name }) => ({
          name,
          columns: all<{ name: string }>(`PRAGMA table_info("${name}")`).map((column) => column.name),
        }))
      },
      async counters() {
        return all<Counter>(`SELECT 'id' AS kind, kind AS name, value FROM sequence
          UNION ALL SELECT 'row', name, coalesce(seq, 0) FROM sqlite_schema LEFT JOIN sqlite_sequence USING (name)
            WHERE sql LIKE '%AUTOINCREMENT%'
          UNION ALL SELECT 'ticket', 'log', coalesce(max(ticket), 0) FROM log`)
      },
      async *rows(sql) {
        const statement = database.prepare(sql)
        statement.setReturnArrays(true)
        let some: unknown[][] = []
        try {
          for (const row of statement.iterate() as Iterable<unknown>) {
            some.push(row as unknown[])
            if (some.length < rowsPerPage) continue
            yield some
            some = []
          }
        } catch (error) {
          throw orDamaged(error, path)
        }
        yield some
      },
      close: async () => database.close(),
    }
  } catch (error) {
    database.close()
    throw error
  }
}
