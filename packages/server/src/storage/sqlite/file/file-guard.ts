import type { SqliteConnection } from '../database.ts'
import type { Safety } from './safety.ts'
import { openedFile, openWitness } from './witness.ts'

/** Interval of checking an idle file for writes or replacement by another program. */
const watchPauseMs = 1_000

/** Notices other programs that write or replace the file. */
export class FileGuard {
  readonly witness: ReturnType<typeof openWitness>
  readonly #safety: Safety
  readonly #watching: NodeJS.Timeout
  #isClosed = false

  /** `isBusy`: changes are running, each of which checks the file in its transaction. */
  constructor(path: string, writer: SqliteConnection, safety: Safety, isBusy: () => boolean) {
    this.witness = openWitness(writer)
    this.#safety = safety
    const file = openedFile(path)
    this.#watching = setInterval(async () => {
      try {
        if (!isBusy() && this.witness.sawOther()) safety.writtenByOther()
      } catch {
        // Damage has been reported by the connection.
      }
      if (!(await file.isInPlace()) && !this.#isClosed) safety.replaced()
    }, watchPauseMs).unref()
  }

  /** To be called with the write lock held: no other process can commit until it is released. */
  ensureAlone(): void {
    if (this.witness.sawOther()) this.#safety.writtenByOther()
    this.#safety.ensure()
  }

  /** To be called after a change that has failed: what it wrote is not what another program wrote. */
  lookAnew(): void {
    try {
      this.witness.lookAnew()
    } catch {
      // Damage has been reported by the connection.
    }
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#watching)
  }
}
