import type { Reader } from '../../../platform/storage/index.ts'
import { keyOf, type Ledger, type Undelivered } from './ledger.ts'
import { findRecord } from './stored.ts'

/** With the moment on the clock that nobody can set, whatever the stored time was or is. */
type Row = Undelivered & { due: number; at: number }

/**
 * The events of a subscription that were rejected and will be tried again, and those behind them that are about the same
 * instances: a receiver must not get a newer version of an instance before an older one. Only the first of each instance is due.
 */
export class Waiting {
  readonly #ledger: Ledger
  readonly #longest: number
  #rows = new Map<string, Row>()
  /** Dead letters, while a range is replayed: one that is confirmed now is none any more. */
  #dead: Set<string> | undefined
  #oldest: { readonly position: number; readonly time: number | undefined } | undefined

  /** However far a stored time lies ahead, after a clock was set back say, nothing waits longer than `longest`. */
  constructor(ledger: Ledger, longest: number) {
    this.#ledger = ledger
    this.#longest = longest
  }

  get size(): number {
    return this.#rows.size
  }

  /** How many instances have an event that waits. */
  get instances(): number {
    return this.#heads().size
  }

  has(position: number, event: number): boolean {
    return this.#rows.has(keyOf(position, event))
  }

  /** Whether an event about the instance waits, so that later ones must wait, too. */
  holds(instance: string): boolean {
    return this.#rows.size > 0 && this.#rows.values().some((row) => row.instance === instance)
  }

  /** The first event of each instance. Rows from before instances were kept hold nothing back. */
  #heads(): Map<string, Row> {
    const heads = new Map<string, Row>()
    for (const [key, row] of this.#rows) {
      const of = row.instance || key
      const head = heads.get(of)
      if (!head || isBefore(row, head)) heads.set(of, row)
    }
    return heads
  }

  /** As it stands in the database: dead letters may have been called back. */
  async load(reader: Reader): Promise<void> {
    const rows = await reader
      .selectFrom('undelivered')
      .selectAll()
      .where('subscription', '=', this.#ledger.id)
      .where('due', 'is not', null)
      .execute()
    this.#rows = new Map(rows.map((row) => [keyOf(row.position, row.event), this.#timed(row, row.due as number)]))
  }

  /** Those of a range that is to be replayed, from behind a position up to and including another. */
  async loadDead(reader: Reader, range: { position: number; last_position: number } | undefined): Promise<void> {
    this.#dead = undefined
    if (!range) return
    const rows = await reader
      .selectFrom('undelivered')
      .select(['position', 'event'])
      .where('subscription', '=', this.#ledger.id)
      .where('due', 'is', null)
      .where('position', '>', range.position)
      .where('position', '<=', range.last_position)
      .execute()
    this.#dead = new Set(rows.map((row) => keyOf(row.position, row.event)))
  }

  #timed(row: Undelivered, due: number): Row {
    return { ...row, due, at: performance.now() + Math.min(due - Date.now(), this.#longest) }
  }

  /** When the first of them happened; undefined when there is none, or its record is gone. */
  async oldest(reader: Reader): Promise<number | undefined> {
    if (this.#rows.size === 0) return undefined
    const position = this.#rows.values().reduce((first, row) => Math.min(first, row.position), Number.POSITIVE_INFINITY)
    if (this.#oldest?.position === position) return this.#oldest.time
    const [record] = await findRecord(reader, { position })
    this.#oldest = { position, time: record?.op_time }
    return record?.op_time
  }

  /** Until when there is nothing to try again. */
  nextDue(): number {
    return this.#heads()
      .values()
      .reduce((first, { at }) => Math.min(first, at), Number.POSITIVE_INFINITY)
  }

  /** The one that is due first, if its time has come. */
  firstDue(now: number): Row | undefined {
    if (this.#rows.size === 0) return undefined
    const first = this.#heads()
      .values()
      .reduce((best, row) => (row.at < best.at ? row : best))
    return first.at <= now ? first : undefined
  }

  /** It is tried again when it is due; without that it has had its last try. */
  put(row: Undelivered): void {
    const key = keyOf(row.position, row.event)
    if (row.due === null) {
      this.#rows.delete(key)
      this.#dead?.add(key)
    } else this.#rows.set(key, this.#timed(row, row.due))
    this.#ledger.setAside(key, row)
  }

  /** Confirmed after all, or no longer wanted. */
  drop(position: number, event: number): void {
    // Nearly always nothing waits.
    if (this.#rows.size === 0 && !this.#dead) return
    const key = keyOf(position, event)
    const [waited, wasDead] = [this.#rows.delete(key), this.#dead?.delete(key)]
    if (waited || wasDead) this.#ledger.setAside(key, undefined)
  }
}

const isBefore = (one: Row, other: Row): boolean =>
  one.position < other.position || (one.position === other.position && one.event < other.event)
