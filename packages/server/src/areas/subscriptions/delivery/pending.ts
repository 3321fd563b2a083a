import type { LogRecord } from '../../../platform/storage/index.ts'
import { eventsOf, type FeedEvent, partsOf, recordedAs, type Tail } from '../../feed/index.ts'
import type { Subscription } from '../store.ts'

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
  wants(event: FeedEvent): boolean
}

export function wishOf({ form, biz_id, account }: Subscription): Wish {
  const names = new Set(form.split(','))
  const kinds = [...names].map((name) => partsOf(name).kind)
  return {
    objects: [...new Set(kinds.flatMap(recordedAs))],
    wants: (event) =>
      names.has(event.name) && event.account === account && (biz_id === 0 || event.businessId === biz_id),
  }
}

/** Where a subscription reads. */
export interface Source {
  readonly read: Tail['readOf']
  readonly account: string
  /** Tickets of records that were there before it was. */
  readonly skipped: ReadonlySet<number>
  /** The end of the log as far as this process knows it. */
  head(): number
}

/** The events of a stretch of the log that a subscription wants, one after another. */
export class Pending {
  readonly #source: Source
  readonly #last: number
  readonly #advanced: (position: number) => void
  #events: FeedEvent[] = []
  /** The first of them as it is sent: many may wait, and what only the one under way needs is made for it alone. */
  #first: Item | undefined
  #position: number
  #through: number
  /** Counts restarts: what was read for an older wish is thrown away. */
  #reading = 0
  /** The event that was under way when it was restarted and has been settled since. */
  #settled: FeedEvent | undefined
  /** What was found ahead of what has been read, and up to where it was looked for. */
  #ahead: { event: FeedEvent | undefined; through: number } = { event: undefined, through: 0 }

  /** From behind a position up to and including another. */
  constructor(source: Source, position: number, last: number, advanced: (position: number) => void) {
    this.#source = source
    this.#last = last
    this.#advanced = advanced
    this.#position = position
    this.#through = position
  }

  get first(): Item | undefined {
    const event = this.#events[0]
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
    this.#through = this.#position
    this.#ahead = { event: undefined, through: 0 }
  }

  /** The first event that is not settled, also of what nobody has begun to send. Looks ahead and takes nothing. */
  async peek(wish: Wish): Promise<FeedEvent | undefined> {
    const { read, account, head } = this.#source
    for (let batches = 0; batches < farthestPeek && !this.first; batches++) {
      const { event } = this.#ahead
      if (event && event.position > this.#through) return event
      const [after, reading] = [Math.max(this.#through, this.#ahead.through), this.#reading]
      if (after >= Math.min(head(), this.#last)) return undefined
      const { records, through } = await read(account, wish.objects, after, batch - (after % batch))
      if (reading !== this.#reading) return undefined
      const [next] = records.flatMap((record) => this.#wanted(record, wish))
      this.#ahead = { event: next, through: next?.position ?? through }
    }
    return this.first?.event
  }

  /** Reads on; returns whether there was anything to read, wanted or not. */
  async fill(wish: Wish): Promise<boolean> {
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

  #wanted(record: LogRecord, wish: Wish): FeedEvent[] {
    if ((record.position as number) > this.#last || this.#source.skipped.has(record.ticket)) return []
    const isSettled = ({ position, index }: FeedEvent) =>
      position === this.#settled?.position && index === this.#settled.index
    return eventsOf(record).filter((event) => !isSettled(event) && wish.wants(event))
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
    const next = this.#events[0]
    const position = next ? next.position - 1 : this.#through
    if (position <= this.#position) return
    this.#position = position
    this.#advanced(position)
  }
}
