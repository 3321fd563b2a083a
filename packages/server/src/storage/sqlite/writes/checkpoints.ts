import { first } from '../../../common/present.ts'
import { type Connection, rowsOf } from '../../connection.ts'
import type { SqliteConnection } from '../database.ts'

/** Pages (4 kB) of the write-ahead log that are due to be moved into the database. */
const duePages = 1_000
/** With so many pages, changes wait until all are moved, so that the next change starts the log from its beginning. */
const maxPages = 4_000

/**
 * The commit that moves pages would do it on the event loop, which takes 10 to 100 ms. Only if this does not keep up, because a long read
 * still needs pages of the log, commits do it from this size on.
 */
export const pagesMovedByCommits = 16 * maxPages

interface CheckpointProgress {
  readonly log: number
  readonly checkpointed: number
}

/**
 * Checkpoints of the write-ahead log in a thread:
 *
 *   `duePages` are not moved -> moving, while changes go on | `maxPages` in the log -> moving the rest, while changes wait
 */
export class Checkpoints {
  readonly #writer: SqliteConnection
  readonly #thread: () => Connection
  #moving: Promise<void> | undefined
  /** Doubled while a long read needs pages of the log, so that changes do not wait again for what cannot be done. */
  #waitsFrom = maxPages

  constructor(writer: SqliteConnection, thread: () => Connection) {
    this.#writer = writer
    this.#thread = thread
  }

  /** To be called after commits. If it returns a promise, the next transaction has to wait for it. */
  afterCommit(): Promise<void> | undefined {
    const { log, checkpointed } = this.#progress()
    if (log >= this.#waitsFrom) return this.#moveAll(log)
    if (log - checkpointed >= duePages) this.#moving ??= this.#move()
    return undefined
  }

  async #moveAll(pages: number): Promise<void> {
    await this.#moving
    await this.#move()
    const { log, checkpointed } = this.#progress()
    this.#waitsFrom = checkpointed < log ? pages * 2 : maxPages
  }

  async #move(): Promise<void> {
    try {
      await this.#thread().query('PRAGMA wal_checkpoint(PASSIVE)', [])
    } catch {
      // Tried again after the next commit, which fails too if the disk is full.
    } finally {
      this.#moving = undefined
    }
  }

  #progress(): CheckpointProgress {
    try {
      return first(rowsOf<CheckpointProgress>(this.#writer.query('PRAGMA wal_checkpoint(NOOP)', []).rows))
    } catch {
      // Damage has been reported by the connection.
      return { log: 0, checkpointed: 0 }
    }
  }
}
