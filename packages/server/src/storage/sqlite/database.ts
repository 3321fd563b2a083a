import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { present } from '../../common/present.ts'
import type { Connection, Rows } from '../connection.ts'

/** Size of the cache of prepared statements, oldest evicted first. In practice conditions compile to a bounded number of shapes. */
const maxPreparedStatements = 500

export interface SqliteConnection extends Connection {
  query(sql: string, parameters: readonly unknown[]): Rows
  script(sql: string): void
  /** False after an error that ended the transaction, such as a full disk. */
  inTransaction(): boolean
  close(): void
}

/**
 * A synchronous connection that fails with SQLite's own errors. A separate module, because threads import it: with the translated
 * messages each thread would load hundreds of modules.
 */
export function openDatabase(path: string, mode: 'read' | 'write'): SqliteConnection {
  const database = new DatabaseSync(path, { readOnly: mode === 'read', timeout: 5000 })
  database.exec('PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8000')
  if (mode === 'write') database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')

  const statements = new Map<string, { statement: StatementSync; returns: boolean }>()
  const prepare = (text: string) => {
    const known = statements.get(text)
    if (known) return known
    const statement = database.prepare(text)
    const prepared = { statement, returns: statement.columns().length > 0 }
    statements.set(text, prepared)
    if (statements.size > maxPreparedStatements) statements.delete(present(statements.keys().next().value))
    return prepared
  }

  return {
    query(text, parameters) {
      const { statement, returns } = prepare(text)
      const values = parameters as SQLInputValue[]
      if (returns) {
        const rows = statement.all(...values)
        return { rows, affected: rows.length }
      }
      return { rows: [], affected: Number(statement.run(...values).changes) }
    },
    script: (text) => database.exec(text),
    inTransaction: () => database.isTransaction,
    close: () => database.close(),
  }
}

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const damageCodes: readonly number[] = [11, 26]

/** Whether the error shows damage. The low byte of an extended result code is the primary code. */
export const isDamage = (error: unknown): error is Error =>
  error instanceof Error &&
  'errcode' in error &&
  typeof error.errcode === 'number' &&
  damageCodes.includes(error.errcode & 0xff)
