import type { FileGuard } from '../file/file-guard.ts'
import type { Safety } from '../file/safety.ts'
import { openThread, type ThreadConnection } from '../threads/threads.ts'
import { afterCommit, outcomeUnknown, type Waiting } from './waiting.ts'

interface BulkParts {
  readonly path: string
  readonly guard: FileGuard
  readonly safety: Safety
  /** Invalidates caches; called before any caller learns of the commit. */
  committed(): void
}

/** Runs changes of many rows in a thread with a connection of its own, so that the event loop stays free. */
export class BulkWriter {
  readonly #parts: BulkParts
  #thread: ThreadConnection | undefined

  constructor(parts: BulkParts) {
    this.#parts = parts
  }

  /** Opened on first use, and again after it has ended. */
  connection(): ThreadConnection {
    if (!this.#thread || this.#thread.ended) {
      this.#thread = openThread(this.#parts.path, 'write', this.#parts.safety.damaged)
    }
    return this.#thread
  }

  async run(waiting: Waiting): Promise<void> {
    const { guard, safety, committed } = this.#parts
    let isCommitting = false
    try {
      const connection = this.connection()
      await connection.script('BEGIN IMMEDIATE')
      try {
        guard.ensureAlone()
        const turn = await guard.witness.beginBulk(connection)
        const result = await waiting.run(connection)
        safety.ensure()
        isCommitting = true
        await connection.script('COMMIT')
        committed()
        waiting.done.resolve(result)
        if (!(await turn.endedAlone())) safety.writtenByOther()
      } catch (error) {
        // Fails if there is no transaction left, after a full disk or the end of the thread.
        await connection.script('ROLLBACK').catch(() => {})
        throw error
      }
    } catch (error) {
      if (isCommitting) guard.lookAnew()
      if (isCommitting && this.#thread?.ended) {
        // It may have been committed, so caches are invalidated.
        committed()
        waiting.done.reject(outcomeUnknown(waiting))
      } else waiting.done.reject(isCommitting ? afterCommit(error, waiting) : error)
    }
  }

  close(): Promise<void> | undefined {
    return this.#thread?.close()
  }
}
