import type { Insertable, Selectable } from 'kysely'
import { readOwnJson } from '../../../common/own-json.ts'
import type { Tables } from '../../../storage/index.ts'

type DeliveryRow = Selectable<Tables['delivery']>
/** The stored progress that a sender starts from. */
export type ProgressRow = Pick<
  DeliveryRow,
  | 'subscription'
  | 'position'
  | 'passed'
  | 'settled_ahead'
  | 'next_distribution'
  | 'epoch'
  | 'total'
  | 'failure'
  | 'unreachable'
>
export type Undelivered = Selectable<Tables['undelivered']>
export type Attempt = Omit<Insertable<Tables['attempt']>, 'subscription' | 'number'>

/** Stored push attempts per subscription. */
export const keptAttempts = 100
/** At high rates attempts are stored only at this interval: at thousands of pushes a second not all are of interest. */
const fewAttempts = 10
const saveAttemptsEveryMs = 10_000
/**
 * Distribution numbers reserved at a time; a killed process leaves a gap of at most this size. The block grows for senders that use
 * numbers faster, since they wait for a commit per block.
 */
export const numberBlock = 500
const mostReserved = 8_000

/** A save deletes attempts up to this number. */
export const lastRemoved = ({ total }: Pick<DeliveryRow, 'total'>): number => Math.max(0, total - keptAttempts)

/** Identifies an event: record position and index within the record. */
export const eventKey = (position: number, event: number) => `${position} ${event}`

/** An event's place in the log. */
export interface EventPlace {
  readonly position: number
  readonly index: number
}

/** Events behind a cursor that were settled before those in front of them, by key: with several in flight some are confirmed sooner. */
export type SettledAhead = ReadonlyMap<string, EventPlace>

/** A cursor: all records up to a position, so many events of the next record, and the events behind them that are settled already. */
export interface Reached {
  readonly position: number
  readonly passed: number
  readonly settledAhead: SettledAhead
}

/** A cursor as it is stored. */
export type ReachedRow = Pick<DeliveryRow, 'position' | 'passed' | 'settled_ahead'>

export const readSettledAhead = (stored: string): Map<string, EventPlace> =>
  new Map(
    readOwnJson<[number, number][]>(stored).map(([position, index]) => [
      eventKey(position, index),
      { position, index },
    ]),
  )

const writeSettledAhead = (settled: SettledAhead): string =>
  settled.size === 0 ? '[]' : JSON.stringify(Array.from(settled.values(), ({ position, index }) => [position, index]))

/** Everything that one save writes atomically, so that the cursor never gets ahead of the retry queue. */
export interface ProgressSave {
  readonly progress: Progress
  readonly from: number
  readonly row: ReachedRow &
    Pick<DeliveryRow, 'next_distribution' | 'total' | 'failure' | 'unreachable'> &
    Partial<Pick<DeliveryRow, 'lapsed_from' | 'lapsed_to'>>
  readonly undelivered: ReadonlyMap<string, Undelivered | undefined>
  readonly replays: ReadonlyMap<number, ReachedRow | undefined>
  readonly attempts: readonly (Attempt & { number: number })[]
  /** Attempts up to this number have been deleted. */
  readonly removedAttempts: number
}

/** The progress of a subscription with its unsaved part. Belongs to one owner at one epoch. */
export class Progress {
  readonly id: number
  readonly epoch: number
  #saved: number
  #position: number
  #passed: number
  #settledAhead: SettledAhead
  #next: number
  #reserved: number
  #block = numberBlock
  #total: number
  #failure: number
  #unreachable: string
  #lapsed: { lapsed_from: number; lapsed_to: number } | undefined
  #undelivered = new Map<string, Undelivered | undefined>()
  #replays = new Map<number, ReachedRow | undefined>()
  /** Unsaved attempts; the last one has number `#total`. */
  #attempts: Attempt[] = []
  #attemptsSaved = 0
  #removedAttempts = 0

  constructor(row: ProgressRow) {
    this.id = row.subscription
    this.epoch = row.epoch
    this.#saved = row.position
    this.#position = row.position
    this.#passed = row.passed
    this.#settledAhead = readSettledAhead(row.settled_ahead)
    // A block of numbers was reserved with the claim.
    this.#next = row.next_distribution - numberBlock
    this.#reserved = row.next_distribution
    this.#total = row.total
    this.#failure = row.failure
    this.#unreachable = row.unreachable
  }

  get position(): number {
    return this.#position
  }

  get unreachable(): string {
    return this.#unreachable
  }

  /** Everything up to this cursor is settled. */
  advance({ position, passed, settledAhead }: Reached): void {
    if (position < this.#position) return
    this.#position = position
    this.#passed = passed
    this.#settledAhead = settledAhead
  }

  /** Retention has removed records before they were delivered. */
  lapse(first: number, last: number): void {
    const { lapsed_from, lapsed_to } = this.#lapsed ?? { lapsed_from: first, lapsed_to: last }
    this.#lapsed = { lapsed_from: Math.min(lapsed_from, first), lapsed_to: Math.max(lapsed_to, last) }
  }

  /** The next reserved distribution number, if any. */
  draw(): number | undefined {
    if (this.#next < this.#reserved) return this.#next++
    this.#block = Math.min(2 * this.#block, mostReserved)
    return undefined
  }

  /** Stores an event for a retry; undefined removes it. */
  setAside(key: string, row: Undelivered | undefined): void {
    this.#undelivered.set(key, row)
  }

  /** Stores the progress of a replay; undefined removes it. */
  advanceReplay(id: number, reached: Reached | undefined): void {
    if (!reached) return void this.#replays.set(id, undefined)
    const { position, passed, settledAhead } = reached
    this.#replays.set(id, { position, passed, settled_ahead: writeSettledAhead(settledAhead) })
  }

  count(attempt: Attempt): void {
    this.#total++
    if (attempt.result !== 'confirmed') this.#failure++
    this.#unreachable = attempt.result === 'unreachable' ? attempt.error : ''
    this.#attempts.push(attempt)
    if (this.#attempts.length > 2 * keptAttempts) this.#attempts = this.#attempts.slice(-keptAttempts)
  }

  /** The next save; `last` also returns unused reserved numbers. */
  entry(now: number, last: boolean): ProgressSave {
    const runsShort = this.#reserved - this.#next < this.#block / 2
    const isTime = last || this.#attempts.length <= fewAttempts || now - this.#attemptsSaved >= saveAttemptsEveryMs
    return {
      progress: this,
      from: this.#saved,
      row: {
        position: this.#position,
        passed: this.#passed,
        settled_ahead: writeSettledAhead(this.#settledAhead),
        next_distribution: last ? this.#next : runsShort ? this.#next + this.#block : this.#reserved,
        total: this.#total,
        failure: this.#failure,
        unreachable: this.#unreachable,
        ...this.#lapsed,
      },
      undelivered: new Map(this.#undelivered),
      replays: new Map(this.#replays),
      attempts: isTime ? this.#numbered() : [],
      removedAttempts: this.#removedAttempts,
    }
  }

  #numbered(): ProgressSave['attempts'] {
    const kept = this.#attempts.slice(-keptAttempts)
    const first = this.#total - kept.length + 1
    return kept.map((attempt, nth) => ({ ...attempt, number: first + nth }))
  }

  /** The save is durable. Returns whether there is more to save. */
  saved({ row, undelivered, replays, attempts }: ProgressSave, now: number): boolean {
    this.#saved = row.position
    this.#reserved = row.next_distribution
    if (row.lapsed_to === this.#lapsed?.lapsed_to && row.lapsed_from === this.#lapsed?.lapsed_from)
      this.#lapsed = undefined
    for (const [key, value] of undelivered) if (this.#undelivered.get(key) === value) this.#undelivered.delete(key)
    for (const [id, reached] of replays) if (this.#replays.get(id) === reached) this.#replays.delete(id)
    const last = attempts.at(-1)?.number ?? 0
    if (last > 0) {
      const since = this.#total - last
      this.#attempts = since > 0 ? this.#attempts.slice(-since) : []
      this.#attemptsSaved = now
      this.#removedAttempts = lastRemoved(row)
    }
    return this.#attempts.length > 0
  }
}
