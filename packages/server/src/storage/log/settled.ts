import { rowsOf } from '../connection.ts'
import type { Engine } from '../engine.ts'

/** All tickets are searched again occasionally, using at most this share of the time. */
const fullShare = 0.01
const fullPauseMs = 10_000
/** An idle process searches all tickets again after this. */
const idleFullPauseMs = 60_000

interface Candidate {
  readonly ticket: number
  /** Transactions that held the log's write lock when this was the last ticket. */
  readonly writers: ReadonlySet<string>
}

/**
 * The ticket up to which all records have a position: numbering searches only after it.
 *
 * PostgreSQL keeps the unnumbered version of every record, and its entry in the index `log_unnumbered`, until no snapshot can see it.
 * While a long backup holds a snapshot, a search from the first ticket reads all dead index entries: after 300,000 records 21,055 pages
 * per pass, up to 50 times a second.
 *
 * A transaction locks the table `log` before it draws a ticket, until it ends. Once all that held this lock after ticket n was drawn
 * have ended, every ticket up to n is visible or rolled back, and the next pass numbers the rest of them.
 *
 * Kept in memory, and reset after any failure: a restored database may draw the same tickets again.
 */
export class SettledTickets {
  #ticket = 0
  #candidate: Candidate | undefined
  #lookAt = 0
  #fullAt = 0
  /** The last ticket, when it was last read. */
  #last: number | undefined
  readonly #lookPauseMs: number

  constructor(lookPauseMs = 1_000) {
    this.#lookPauseMs = lookPauseMs
  }

  get ticket(): number {
    return this.#ticket
  }

  reset(): void {
    this.#ticket = 0
    this.#candidate = undefined
    this.#last = undefined
    this.#lookAt = 0
  }

  /** Every ticket that was drawn has a position or was rolled back, as of the last look. */
  get isComplete(): boolean {
    return this.#last === this.#ticket
  }

  /** Whether that is still so. One read of the sequence; it does not show tickets that a restored database has drawn again. */
  async isUnchanged(engine: Engine): Promise<boolean> {
    if (!this.isComplete || performance.now() >= this.#fullAt + idleFullPauseMs) return false
    return (await lastTicket(engine)) === this.#ticket
  }

  /**
   * Runs a pass. `number` numbers all visible records after the given ticket, and returns whether none is left: another process may be
   * numbering.
   */
  async pass(engine: Engine, number: (after: number) => Promise<boolean>): Promise<void> {
    try {
      const decided = await this.#decided(engine)
      const began = performance.now()
      const isFull = this.#ticket === 0 || began >= this.#fullAt
      if (!(await number(isFull ? 0 : this.#ticket))) return
      const ended = performance.now()
      if (isFull) this.#fullAt = ended + Math.max(fullPauseMs, (ended - began) / fullShare)
      if (decided !== undefined) this.#ticket = decided
    } catch (error) {
      this.reset()
      throw error
    }
  }

  /** A new ticket up to which all are visible or rolled back, if there is one. */
  async #decided(engine: Engine): Promise<number | undefined> {
    if (performance.now() < this.#lookAt) return undefined
    this.#lookAt = performance.now() + this.#lookPauseMs
    // In this order: transactions with a ticket up to the last one still hold their lock, or have ended.
    const last = await lastTicket(engine)
    const writers = await logWriters(engine)
    // The database has gone back to an earlier state.
    if (last < this.#ticket) this.reset()
    this.#last = last
    this.#candidate ??= { ticket: last, writers }
    if (!this.#candidate.writers.isDisjointFrom(writers)) return undefined
    const { ticket } = this.#candidate
    this.#candidate = undefined
    return ticket
  }
}

async function lastTicket({ reads }: Engine): Promise<number> {
  const { rows } = await reads.query('SELECT last_value, is_called FROM log_ticket', [])
  const [row] = rowsOf<{ last_value: number; is_called: boolean }>(rows)
  if (!row) throw new Error('the sequence log_ticket is empty')
  return row.is_called ? Number(row.last_value) : Number(row.last_value) - 1
}

async function logWriters({ reads }: Engine): Promise<ReadonlySet<string>> {
  const { rows } = await reads.query(
    `SELECT virtualtransaction FROM pg_locks
     WHERE locktype = 'relation' AND relation = 'log'::regclass AND mode = 'RowExclusiveLock'
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [],
  )
  return new Set(rowsOf<{ virtualtransaction: string }>(rows).map((row) => row.virtualtransaction))
}
