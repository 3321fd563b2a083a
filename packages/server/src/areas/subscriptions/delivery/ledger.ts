import type { Insertable, Selectable } from 'kysely'
import type { Tables } from '../../../platform/storage/index.ts'

export type DeliveryRow = Selectable<Tables['delivery']>
/** What a sender starts from. */
export type Progress = Pick<
  DeliveryRow,
  'subscription' | 'position' | 'passed' | 'next_distribution' | 'epoch' | 'total' | 'failure' | 'unreachable'
>
export type Undelivered = Selectable<Tables['undelivered']>
export type Attempt = Omit<Insertable<Tables['attempt']>, 'subscription' | 'number'>

/** Pushes that are remembered of each subscription. */
export const keptAttempts = 100
/** More than a few at once are saved only so often, in milliseconds: at thousands of pushes a second nobody reads each. */
const fewAttempts = 10
const attemptsPause = 10_000
/**
 * Numbers reserved at once; a process that is killed leaves a gap of at most so many. Who uses them faster than they are
 * reserved gets more: each time it has to wait for a commit.
 */
export const numberBlock = 500
const mostReserved = 8_000

/** Which event of which record. */
export const keyOf = (position: number, event: number) => `${position} ${event}`

/** How far a reader of the log has come: up to a record, and in the one behind it past so many events. */
export type Reached = Pick<DeliveryRow, 'position' | 'passed'>

/** What one save writes, taken together, so that the cursor never gets ahead of what it has set aside. */
export interface Entry {
  readonly ledger: Ledger
  readonly from: number
  readonly row: Pick<DeliveryRow, 'position' | 'passed' | 'next_distribution' | 'total' | 'failure' | 'unreachable'> &
    Partial<Pick<DeliveryRow, 'lapsed_from' | 'lapsed_to'>>
  readonly undelivered: ReadonlyMap<string, Undelivered | undefined>
  readonly replays: ReadonlyMap<number, Reached | undefined>
  readonly attempts: readonly (Attempt & { number: number })[]
}

/** How far a subscription has got, and what of it is not saved yet. Belongs to one owner at one epoch. */
export class Ledger {
  readonly id: number
  readonly epoch: number
  #saved: number
  #position: number
  #passed: number
  #next: number
  #reserved: number
  #block = numberBlock
  #total: number
  #failure: number
  #unreachable: string
  #lapsed: { lapsed_from: number; lapsed_to: number } | undefined
  #undelivered = new Map<string, Undelivered | undefined>()
  #replays = new Map<number, Reached | undefined>()
  /** The last of them is number `#total`. */
  #attempts: Attempt[] = []
  #attemptsSaved = 0

  constructor(row: Progress) {
    this.id = row.subscription
    this.epoch = row.epoch
    this.#saved = row.position
    this.#position = row.position
    this.#passed = row.passed
    // A block was reserved with the claim.
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

  /** Everything up to here is settled. */
  advance({ position, passed }: Reached): void {
    if (position < this.#position) return
    this.#position = position
    this.#passed = passed
  }

  /** Retention was faster. */
  lapse(first: number, last: number): void {
    const { lapsed_from, lapsed_to } = this.#lapsed ?? { lapsed_from: first, lapsed_to: last }
    this.#lapsed = { lapsed_from: Math.min(lapsed_from, first), lapsed_to: Math.max(lapsed_to, last) }
  }

  /** The next distribution number, as long as there are reserved ones. */
  draw(): number | undefined {
    if (this.#next < this.#reserved) return this.#next++
    this.#block = Math.min(2 * this.#block, mostReserved)
    return undefined
  }

  /** Undefined: settled after all. */
  setAside(key: string, row: Undelivered | undefined): void {
    this.#undelivered.set(key, row)
  }

  /** Undefined: done. */
  advanceReplay(id: number, reached: Reached | undefined): void {
    this.#replays.set(id, reached)
  }

  count(attempt: Attempt): void {
    this.#total++
    if (attempt.result !== 'confirmed') this.#failure++
    this.#unreachable = attempt.result === 'unreachable' ? attempt.error : ''
    this.#attempts.push(attempt)
    if (this.#attempts.length > 2 * keptAttempts) this.#attempts = this.#attempts.slice(-keptAttempts)
  }

  /** What is to be saved; `last` gives reserved numbers that were not used back. */
  entry(now: number, last: boolean): Entry {
    const runsShort = this.#reserved - this.#next < this.#block / 2
    const isTime = last || this.#attempts.length <= fewAttempts || now - this.#attemptsSaved >= attemptsPause
    return {
      ledger: this,
      from: this.#saved,
      row: {
        position: this.#position,
        passed: this.#passed,
        next_distribution: last ? this.#next : runsShort ? this.#next + this.#block : this.#reserved,
        total: this.#total,
        failure: this.#failure,
        unreachable: this.#unreachable,
        ...this.#lapsed,
      },
      undelivered: new Map(this.#undelivered),
      replays: new Map(this.#replays),
      attempts: isTime ? this.#numbered() : [],
    }
  }

  #numbered(): Entry['attempts'] {
    const kept = this.#attempts.slice(-keptAttempts)
    const first = this.#total - kept.length + 1
    return kept.map((attempt, nth) => ({ ...attempt, number: first + nth }))
  }

  /** The entry is durable. Returns whether anything remains to be saved. */
  saved({ row, undelivered, replays, attempts }: Entry, now: number): boolean {
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
    }
    return this.#attempts.length > 0
  }
}
