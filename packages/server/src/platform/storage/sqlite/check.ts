import { Damaged } from './damage.ts'
import type { SqliteConnection } from './database.ts'
import { openThread } from './threads.ts'

/** Up to this size a file is checked before anything is served from it. */
export const checkedBeforeServingBytes = 64 * 1024 * 1024

const shownFindings = 3

/** A row may hold several findings, a line each, below a heading; `ok` is the row of a file that is as it should be. */
const findingsOf = (rows: readonly unknown[]): string[] =>
  rows
    .flatMap((row) => String(Object.values(row as object)[0]).split('\n'))
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== 'ok' && !line.startsWith('***'))

const summaryOf = (findings: readonly string[]) => findings.slice(0, shownFindings).join('; ')

/** Reads every page on this thread. Without the comparison of indexes with their tables, which takes four times as long. */
export function quickCheck(connection: SqliteConnection, path: string): void {
  const findings = findingsOf(connection.query(`PRAGMA quick_check(${shownFindings})`, []).rows)
  if (findings.length > 0) throw new Damaged(path, summaryOf(findings))
}

/** Everything that SQLite can check, for `mainline verify`. */
export function integrityCheck(connection: SqliteConnection, path: string): void {
  const findings = findingsOf(connection.query('PRAGMA integrity_check', []).rows)
  if (findings.length === 0) return
  const onlyIndexes = findings.every((finding) => /\bindex\b/.test(finding))
  throw onlyIndexes ? Damaged.indexes(path, summaryOf(findings)) : new Damaged(path, summaryOf(findings))
}

/**
 * The same in a thread, while requests are served. Table by table: a statement cannot be interrupted, and who stops the server
 * waits for one table at most.
 */
export function checkInBackground(path: string, onDamaged: (damaged: Damaged) => void): { stop(): Promise<void> } {
  const thread = openThread(path, 'read', onDamaged)
  let stopped = false
  const run = async () => {
    const { rows } = await thread.query("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0", [])
    for (const { name } of rows as { name: string }[]) {
      if (stopped) return
      const check = await thread.query(`PRAGMA quick_check("${name}")`, [])
      const findings = findingsOf(check.rows)
      if (findings.length > 0) return onDamaged(new Damaged(path, summaryOf(findings)))
    }
  }
  // A failure that shows damage has been reported by the thread; any other (it was stopped) says nothing about the file.
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
