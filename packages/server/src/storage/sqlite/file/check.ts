import { rowsOf } from '../../connection.ts'
import type { SqliteConnection } from '../database.ts'
import { openThread } from '../threads/threads.ts'
import { Damaged } from './damage.ts'

/** Files up to this size are checked before serving. */
export const checkedBeforeServingBytes = 64 * 1024 * 1024

const shownFindings = 3

/** A row may hold a heading and several findings, one per line; an intact file has the row `ok`. */
const findingsOf = (rows: readonly unknown[]): string[] =>
  rows
    .flatMap((row) => String(Object.values(row ?? {})[0]).split('\n'))
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== 'ok' && !line.startsWith('***'))

const summaryOf = (findings: readonly string[]) => findings.slice(0, shownFindings).join('; ')

/** Reads every page on this thread. Does not compare indexes with their tables, which takes four times as long. */
export function quickCheck(connection: SqliteConnection, path: string): void {
  const findings = findingsOf(connection.query(`PRAGMA quick_check(${shownFindings})`, []).rows)
  if (findings.length > 0) throw new Damaged(path, summaryOf(findings))
}

/** SQLite's full check, for `mainline verify`. */
export function integrityCheck(connection: SqliteConnection, path: string): void {
  const findings = findingsOf(connection.query('PRAGMA integrity_check', []).rows)
  if (findings.length === 0) return
  const onlyIndexes = findings.every((finding) => /\bindex\b/.test(finding))
  throw onlyIndexes ? Damaged.indexes(path, summaryOf(findings)) : new Damaged(path, summaryOf(findings))
}

/**
 * The check in a thread, while requests are served. Table by table, because a statement cannot be interrupted: a stop waits for one table
 * at most.
 */
export function checkInBackground(path: string, onDamaged: (damaged: Damaged) => void): { stop(): Promise<void> } {
  const thread = openThread(path, 'read', onDamaged)
  let stopped = false
  const run = async () => {
    const { rows } = await thread.query("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0", [])
    for (const { name } of rowsOf<{ name: string }>(rows)) {
      if (stopped) return
      const check = await thread.query(`PRAGMA quick_check("${name}")`, [])
      const findings = findingsOf(check.rows)
      if (findings.length > 0) return onDamaged(new Damaged(path, summaryOf(findings)))
    }
  }
  // Damage has been reported by the thread; any other failure, such as a stop, says nothing about the file.
  const running = run()
    .catch(() => {})
    .then(() => thread.close())
  return {
    async stop() {
      stopped = true
      await running
    },
  }
}
