import { setTimeout as pause } from 'node:timers/promises'
import { rowsOf } from '../connection.ts'
import type { Engine } from '../engine.ts'

const retryPauseMs = 500

interface IndexStatement {
  readonly name: string
  readonly table: string
  /** `CREATE INDEX name ON table ...`, without a semicolon. */
  readonly sql: string
}

/** The lines of a migration that begin with `concurrently: `. */
export function indexesIn(text: string): IndexStatement[] {
  return [...text.matchAll(/^concurrently: (CREATE (?:UNIQUE )?INDEX (\w+) ON (\w+) .*?);?$/gm)].map(
    ([, sql = '', name = '', table = '']) => ({ name, table, sql }),
  )
}

/**
 * CREATE INDEX CONCURRENTLY on PostgreSQL, outside of any transaction. A process that is killed leaves an invalid index, which the next
 * one drops and rebuilds.
 */
export async function buildOnline(
  engine: Engine,
  run: (sql: string) => Promise<void>,
  index: IndexStatement,
): Promise<void> {
  const { name, table, sql } = index
  while (true) {
    const isValid = await validityOf(engine, name)
    if (isValid) return
    if (isValid === false && (await isBeingBuilt(engine, table))) {
      await pause(retryPauseMs)
      continue
    }
    if (isValid === false) await run(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`)
    try {
      await run(sql.replace(/INDEX /, 'INDEX CONCURRENTLY IF NOT EXISTS '))
    } catch (error) {
      // Another process is building it as well.
      if (!isConflict(error)) throw error
      await pause(retryPauseMs)
    }
  }
}

async function validityOf({ reads }: Engine, index: string): Promise<boolean | undefined> {
  const { rows } = await reads.query('SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)', [index])
  return rowsOf<{ indisvalid: boolean }>(rows)[0]?.indisvalid
}

async function isBeingBuilt({ reads }: Engine, table: string): Promise<boolean> {
  const sql = 'SELECT 1 FROM pg_stat_progress_create_index WHERE relid = to_regclass($1)'
  return (await reads.query(sql, [table])).rows.length > 0
}

/** A deadlock or duplicate caused by the same statement in another process. */
const isConflict = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['40P01', '42P07', '55P03'].includes(String(error.code))
