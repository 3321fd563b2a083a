import { present } from '../../../../common/present.ts'
import type { Reader } from '../../../../storage/index.ts'
import { eventKey, type Progress, type Undelivered } from '../progress.ts'
import { findRecord } from './stored.ts'

/** `at` is on the monotonic clock, independent of changes of the wall clock. */
type RetryRow = Undelivered & { due: number; at: number }

/**
 * Rejected events of a subscription that will be retried, and later events about the same instances: a receiver must not get a newer
 * version of an instance before an older one. Only the first event of each instance becomes due.
 */
export class RetryQueue {
  readonly #progress: Progress
  readonly #maxPauseMs: number
  #rows = new Map<string, RetryRow>()
  /** Dead letters of the range being replayed; a confirmed one is removed. */
  #dead: Set<string> | undefined
  #oldest: { readonly position: number; readonly time: number | undefined } | undefined

  /** Nothing waits longer than `maxPauseMs`, even if a stored time is far ahead because a clock was set back. */
  constructor(progress: Progress, maxPauseMs: number) {
    this.#progress = progress
    this.#maxPauseMs = maxPauseMs
  }

  get size(): number {
    return this.#rows.size
  }

  /** The number of instances with waiting events. */
  get instances(): number {
    return this.#heads().size
  }

  has(position: number, event: number): boolean {
    return this.#rows.has(eventKey(position, event))
  }

  /** Whether an event about the instance is waiting, so that later ones must wait behind it. */
  holds(instance: string): boolean {
    return this.#rows.size > 0 && this.#rows.values().some((row) => row.instance === instance)
  }

  /** The first event of each instance. Rows of old releases have no instance and block no other events. */
  #heads(): Map<string, RetryRow> {
    const heads = new Map<string, RetryRow>()
    for (const [key, row] of this.#rows) {
      const of = row.instance || key
      const head = heads.get(of)
      if (!head || isBefore(row, head)) heads.set(of, row)
    }
    return heads
  }

  /** Loads the stored rows; a replay may have turned dead letters back into waiting events. */
  async load(reader: Reader): Promise<void> {
    const rows = await reader
      .selectFrom('undelivered')
      .selectAll()
      .where('subscription', '=', this.#progress.id)
      .where('due', 'is not', null)
      .execute()
    this.#rows = new Map(rows.map((row) => [eventKey(row.position, row.event), this.#timed(row, present(row.due))]))
  }

  /** Loads the dead letters of a range to be replayed: after `position`, up to and including `last_position`. */
  async loadDead(reader: Reader, range: { position: number; last_position: number } | undefined): Promise<void> {
    this.#dead = undefined
    if (!range) return
    const rows = await reader
      .selectFrom('undelivered')
      .select(['position', 'event'])
      .where('subscription', '=', this.#progress.id)
      .where('due', 'is', null)
      .where('position', '>', range.position)
      .where('position', '<=', range.last_position)
      .execute()
    this.#dead = new Set(rows.map((row) => eventKey(row.position, row.event)))
  }

  #timed(row: Undelivered, due: number): RetryRow {
    return { ...row, due, at: performance.now() + Math.min(due - Date.now(), this.#maxPauseMs) }
  }

  /** The time of the oldest event; undefined if there is none, or its record was removed. */
  async oldest(reader: Reader): Promise<number | undefined> {
    if (this.#rows.size === 0) return undefined
    const position = this.#rows.values().reduce((first, row) => Math.min(first, row.position), Number.POSITIVE_INFINITY)
    if (this.#oldest?.position === position) return this.#oldest.time
    const [record] = await findRecord(reader, { position })
    this.#oldest = { position, time: record?.op_time }
    return record?.op_time
  }

  /** When the next retry is due, of an instance without an event in flight. */
  nextDue(inFlight: ReadonlySet<string>): number {
    return this.#next(inFlight)?.at ?? Number.POSITIVE_INFINITY
  }

  /** The first row that is due now, of an instance without an event in flight. */
  firstDue(now: number, inFlight: ReadonlySet<string>): RetryRow | undefined {
    const first = this.#next(inFlight)
    return first && first.at <= now ? first : undefined
  }

  #next(inFlight: ReadonlySet<string>): RetryRow | undefined {
    if (this.#rows.size === 0) return undefined
    let first: RetryRow | undefined
    for (const row of this.#heads().values()) {
      if (!inFlight.has(row.instance) && (!first || row.at < first.at)) first = row
    }
    return first
  }

  /** Stores an event for a retry at `due`; without `due` it is a dead letter. */
  put(row: Undelivered): void {
    const key = eventKey(row.position, row.event)
    if (row.due === null) {
      this.#rows.delete(key)
      this.#dead?.add(key)
    } else this.#rows.set(key, this.#timed(row, row.due))
    this.#progress.setAside(key, row)
  }

  /** Removes an event that was confirmed or no longer matches the filter. */
  drop(position: number, event: number): void {
    // Fast path: nearly always empty.
    if (this.#rows.size === 0 && !this.#dead) return
    const key = eventKey(position, event)
    const [waited, wasDead] = [this.#rows.delete(key), this.#dead?.delete(key)]
    if (waited || wasDead) this.#progress.setAside(key, undefined)
  }
}

const isBefore = (one: RetryRow, other: RetryRow): boolean =>
  one.position < other.position || (one.position === other.position && one.event < other.event)
