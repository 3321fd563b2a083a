import { rowsOf } from '../connection.ts'
import { embeddedParts } from '../index.ts'
import { build, type Migration } from '../migrations/migrate.ts'
import { openSqlite } from '../sqlite/connection.ts'
import type { Counter, Shape } from './snapshot.ts'

export interface Made {
  readonly tables: readonly Shape[]
  readonly counters: readonly Pick<Counter, 'kind' | 'name'>[]
}

/** The tables and columns that migrations create, found by applying them to an in-memory database. */
export async function madeBy(steps: readonly Migration[]): Promise<Made> {
  const connection = openSqlite(':memory:', 'write')
  const all = <Row>(sql: string) => rowsOf<Row>(connection.query(sql, []).rows)
  try {
    await build(connection, embeddedParts(), steps, () => 0)
    const columns = all<{ table: string; column: string }>(`SELECT made.name AS "table", columns.name AS "column"
      FROM sqlite_schema AS made, pragma_table_info(made.name) AS columns WHERE made.type = 'table' AND made.name NOT LIKE 'sqlite%'`)
    const byTable = Map.groupBy(columns, ({ table }) => table)
    return {
      tables: [...byTable].map(([name, own]) => ({ name, columns: own.map(({ column }) => column) })),
      counters: all(`SELECT 'id' AS kind, kind AS name FROM sequence
        UNION ALL SELECT 'row', name FROM sqlite_schema WHERE sql LIKE '%AUTOINCREMENT%'
        UNION ALL SELECT 'ticket', 'log'`),
    }
  } finally {
    connection.close()
  }
}
