import type { SqliteConnection } from '../database.ts'
import type { FileGuard } from '../file/file-guard.ts'
import type { Safety } from '../file/safety.ts'
import { afterCommit, type Waiting } from './waiting.ts'

/** How long a group may collect changes on the event loop before it commits. */
const maxGroupMs = 10

interface GroupParts {
  readonly writer: SqliteConnection
  readonly guard: FileGuard
  readonly safety: Safety
  /** Invalidates caches; called before any caller learns of the commit. */
  committed(): void
}

/**
 * Group commit: the changes at the front of the queue run one after another, each in a savepoint, and share one fsync. Takes them from the
 * queue, up to the first bulk change.
 */
export async function commitGroup(queue: Waiting[], { writer, guard, safety, committed }: GroupParts): Promise<void> {
  const finished: { waiting: Waiting; result: unknown }[] = []
  const started = performance.now()
  let stage: 'begin' | 'run' | 'commit' = 'begin'
  try {
    writer.query('BEGIN IMMEDIATE', [])
    stage = 'run'
    guard.ensureAlone()
    for (let waiting = queue[0]; waiting && !waiting.bulk; waiting = queue[0]) {
      queue.shift()
      try {
        writer.query('SAVEPOINT change', [])
        finished.push({ waiting, result: await waiting.run(writer) })
      } catch (error) {
        waiting.done.reject(error)
        // A violated constraint rolls back this change only. A full disk has ended the transaction and with it the whole group.
        if (!writer.inTransaction()) throw error
        writer.query('ROLLBACK TO change', [])
      }
      writer.query('RELEASE change', [])
      if (performance.now() - started > maxGroupMs) break
    }
    safety.ensure()
    stage = 'commit'
    writer.query('COMMIT', [])
    committed()
    for (const { waiting, result } of finished) waiting.done.resolve(result)
  } catch (error) {
    if (stage === 'begin') queue.shift()?.done.reject(error)
    for (const { waiting } of finished) waiting.done.reject(stage === 'commit' ? afterCommit(error, waiting) : error)
    rollBack(writer)
    if (stage !== 'begin') guard.lookAnew()
  }
}

/** If it fails, the next BEGIN fails inside the open transaction, and is rolled back again. */
function rollBack(writer: SqliteConnection): void {
  try {
    if (writer.inTransaction()) writer.query('ROLLBACK', [])
  } catch {}
}
