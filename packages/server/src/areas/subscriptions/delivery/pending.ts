import type { LogRecord } from '../../../platform/storage/index.ts'
import {
  eventsFrom,
  expand,
  type FeedEvent,
  type Identities,
  isOfMany,
  mayConcern,
  nextIndex,
  type OfMany,
  partsOf,
  recordedAs,
  type Tail,
} from '../../feed/index.ts'
import type { Subscription } from '../store.ts'
import type { Reached } from './ledger.ts'

/** Records read at once. */
const batch = 200
/** Batches that are looked through ahead of the queue at once. */
const farthestPeek = 10

/** An event on its way to a subscription. */
export interface Item {
  readonly event: FeedEvent
  /** Drawn for its first push and kept for all others. */
  distribution: number | undefined
  readonly tries: number
  /** It has been confirmed or set aside: what comes next may come. */
  settle(): void
}

/** Which events a subscription wants. */
export interface Wish {
  readonly objects: readonly string[]
  /** Undefined for all of them. */
  readonly business: number | undefined
  wants(event: FeedEvent): boolean
}

export function wishOf({ form, biz_id, account }: Subscription): Wish {
  const names = new Set(form.split(','))
  const kinds = [...names].map((name) => partsOf(name).kind)
  return {
    objects: [...new Set(kinds.flatMap(recordedAs))],
    business: biz_id === 0 ? undefined : biz_id,
    wants: (event) => names.has(event.name) && event.account === account && (biz_id === 0 || mayConcern(event, biz_id)),
  }
}

/** Where a subscription reads. */
export interface Source {
  readonly read: Tail['readOf']
  readonly account: string
  readonly identities: Identities | undefined
  /** Tickets of records that were there before it was. */
  readonly skipped: ReadonlySet<number>
  /** The end of the log as far as this process knows it. */
  head(): number
}

/** The events of a stretch of the log that a subscription wants, one after another. */
export class Pending {
  readonly #source: Source
  readonly #last: number
  readonly #advanced: (reached: Reached) => void
  #events: FeedEvent[] = []
  /** The first of them as it is sent: many may wait, and what only the one under way needs is made for it alone. */
  #first: Item | undefined
  #reached: Reached
  #through: number
  /** Counts restarts: what was read for an older wish is thrown away. */
  #reading = 0
  /** The event that was under way when it was restarted and has been settled since. */
  #settled: FeedEvent | undefined
  /** What was found ahead of what has been read, and up to where it was looked for. */
  #ahead: { event: FeedEvent | undefined; through: number } = { event: undefined, through: 0 }

  /** From what was reached up to and including a position. */
  constructor(source: Source, { position, passed }: Reached, last: number, advanced: (reached: Reached) => void) {
    this.#source = source
    this.#last = last
    this.#advanced = advanced
    this.#reached = { position, passed }
    this.#through = position
  }

  /** Undefined also where more has to be read first: an event that stands for many is expanded by `fill`. */
  get first(): Item | undefined {
    const [head] = this.#events
    const event = isOfMany(head) ? undefined : head
    if (this.#first?.event !== event) {
      this.#first = event && { event, distribution: undefined, tries: 0, settle: () => this.#settle(event) }
    }
    return this.#first
  }

  /** Reads again what is not settled: the wish has changed. */
  restart(): void {
    this.#reading++
    this.#events = []
    this.#first = undefined
    this.#through = this.#reached.position
    this.#ahead = { event: undefined, through: 0 }
  }

  /** The first event that is not settled, also of what nobody has begun to send. Looks ahead and takes nothing. */
  async peek(wish: Wish): Promise<FeedEvent | undefined> {
    const { read, account, head } = this.#source
    for (let batches = 0; batches < farthestPeek && this.#events.length === 0; batches++) {
      const { event } = this.#ahead
      if (event && event.position > this.#through) return event
      const [after, reading] = [Math.max(this.#through, this.#ahead.through), this.#reading]
      if (after >= Math.min(head(), this.#last)) return undefined
      const { records, through } = await read(account, wish.objects, after, batch - (after % batch))
      if (reading !== this.#reading) return undefined
      const [next] = records.flatMap((record) => this.#wanted(record, wish))
      this.#ahead = { event: next, through: next?.position ?? through }
    }
    return this.#events[0]
  }

  /** Reads on; returns whether there was anything to read, wanted or not. */
  async fill(wish: Wish): Promise<boolean> {
    const [ofMany] = this.#events
    if (isOfMany(ofMany)) return this.#expand(ofMany, wish)
    const { read, account, head } = this.#source
    const [after, reading] = [this.#through, this.#reading]
    if (after >= Math.min(head(), this.#last)) return false
    // Up to a round position where everything is wanted: subscriptions that come from different places soon read together.
    const { records, through } = await read(account, wish.objects, after, batch - (after % batch))
    if (reading !== this.#reading) return true
    for (const record of records) for (const event of this.#wanted(record, wish)) this.#events.push(event)
    this.#through = Math.min(through, this.#last)
    this.#reachUnsettled()
    return true
  }

  /** Replaces an event that stands for many by the next page of them. */
  async #expand(ofMany: OfMany, wish: Wish): Promise<true> {
    const reading = this.#reading
    const { events, rest } = await expand(ofMany, this.#source.identities, wish.business)
    if (reading !== this.#reading) return true
    const page = events.filter((event) => !this.#isSettled(event))
    this.#events.splice(0, 1, ...page, ...(rest ? [rest] : []))
    this.#reachUnsettled()
    return true
  }

  #wanted(record: LogRecord, wish: Wish): FeedEvent[] {
    const position = record.position as number
    if (position > this.#last || this.#source.skipped.has(record.ticket)) return []
    const passed = position === this.#reached.position + 1 ? this.#reached.passed : 0
    return eventsFrom(record, passed).filter((event) => !this.#isSettled(event) && wish.wants(event))
  }

  #isSettled({ position, index, host, renamed }: FeedEvent): boolean {
    if (renamed && host === undefined) return false
    return position === this.#settled?.position && index === this.#settled.index
  }

  #settle(event: FeedEvent): void {
    if (this.#events[0] === event) this.#events.shift()
    else {
      this.#settled = event
      this.#events = this.#events.filter((each) => each !== event)
    }
    this.#reachUnsettled()
  }

  /** A record is settled with the last of its events; before the next one nothing is wanted. */
  #reachUnsettled(): void {
    const [next] = this.#events
    const position = next ? next.position - 1 : this.#through
    // Only a rename has so many events that it matters how many of them have been sent.
    const passed = next?.renamed ? nextIndex(next) : 0
    const { position: before, passed: passedBefore } = this.#reached
    if (position < before || (position === before && passed <= passedBefore)) return
    this.#reached = { position, passed }
    this.#advanced(this.#reached)
  }
}
