import { rowsOf } from '../connection.ts'
import type { Loading } from '../copy/loading.ts'
import type { SqliteConnection } from './database.ts'

/** For a connection with foreign keys off while rows are loaded; all are checked at the end. */
export function loadSqlite(connection: SqliteConnection): Loading {
  let indexes: { name: string; sql: string }[] = []
  const all = <Row>(sql: string) => rowsOf<Row>(connection.query(sql, []).rows)
  return {
    async begin() {
      indexes = all("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
      for (const { name } of indexes) connection.script(`DROP INDEX "${name}"`)
      connection.script('DELETE FROM log_head')
    },
    async insert({ table, columns, rows }) {
      const sql = `INSERT INTO "${table}" (${columns.map((name) => `"${name}"`)}) VALUES (${columns.map(() => '?')})`
      for (const row of rows) connection.query(sql, JSON.parse(row))
    },
    async raise(counters) {
      for (const { kind, name, value } of counters) {
        // The next ticket is derived from the highest stored one.
        if (kind === 'ticket') continue
        const [table, key, column] = kind === 'id' ? ['sequence', 'kind', 'value'] : ['sqlite_sequence', 'name', 'seq']
        connection.query(`DELETE FROM ${table} WHERE ${key} = ?`, [name])
        connection.query(`INSERT INTO ${table} (${key}, ${column}) VALUES (?, ?)`, [name, value])
      }
    },
    async finish() {
      for (const { sql } of indexes) connection.script(sql)
      const [broken] = all<{ table: string; parent: string }>('PRAGMA foreign_key_check')
      if (broken) throw new Error(`a row of ${broken.table} refers to one of ${broken.parent} that is not there`)
    },
  }
}
