import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type { Step } from '../statements.ts'
import type { Loop } from './raw-statements.ts'
import { freshValues, type Row, valuesOf } from './values.ts'

/** One writer, as in SQLite; with the settings of the server. */
export function openSqliteLoop(dataDir: string, steps: readonly Step[]): Loop {
  const database = new DatabaseSync(join(dataDir, 'mainline.db'), { timeout: 5000 })
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
  database.exec('PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32000')
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const prepared = steps.map((step) => {
    const statement = database.prepare(step.sql)
    return { step, statement, returns: statement.columns().length > 0 }
  })

  return async (deadline, done) => {
    for (let started = performance.now(); started < deadline; ) {
      const fresh = freshValues()
      const rows: (Row | undefined)[] = []
      begin.run()
      for (const { step, statement, returns } of prepared) {
        const values = valuesOf(step, rows, fresh) as SQLInputValue[]
        rows.push(returns ? statement.get(...values) : void statement.run(...values))
      }
      commit.run()
      const now = performance.now()
      done(now - started)
      started = now
    }
  }
}
