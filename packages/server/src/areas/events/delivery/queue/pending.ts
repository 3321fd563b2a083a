import { present } from '../../../../common/present.ts'
import type { LogRecord } from '../../../../storage/index.ts'
import {
  eventsFrom,
  expand,
  type FeedEvent,
  type Identities,
  isOfMany,
  nextIndex,
  type OfMany,
} from '../../feed/index.ts'
import type { Reached } from '../progress.ts'
import type { SharedLog } from '../shared-log.ts'
import type { EventFilter } from './event-filter.ts'

/** Records per read. */
const batchSize = 200
/** Batches that one `peek` searches ahead of the queue. */
const maxPeekBatches = 10

/** An event that is being delivered to a subscription. */
export interface Item {
  readonly event: FeedEvent
  /** Drawn for the first push and kept for its retries. */
  distribution: number | undefined
  readonly tries: number
  /** The event was confirmed or set aside for a retry; the next one may be sent. */
  settle(): void
}

/** The log as a subscription reads it. */
export interface Source {
  readonly log: SharedLog
  readonly account: string
  readonly identities: Identities | undefined
  /** Tickets of records from before the subscription, which had no position yet. */
  readonly skipped: ReadonlySet<number>
}

/** Queue of the matching events of a range of the log. */
export class Pending {
  readonly #source: Source
  readonly #last: number
  readonly #advanced: (reached: Reached) => void
  #events: FeedEvent[] = []
  /** The item of the first event; items are created only for the event in delivery. */
  #first: Item | undefined
  #reached: Reached
  #through: number
  /** Counts restarts, to discard reads that were started with an older filter. */
  #reading = 0
  /** The event that was in delivery at the restart and has been settled since. */
  #settled: FeedEvent | undefined
  /** The result of `peek`, and the position up to which it has searched. */
  #ahead: { event: FeedEvent | undefined; through: number } = { event: undefined, through: 0 }

  /** The range from `reached` up to and including position `last`. */
  constructor(source: Source, { position, passed }: Reached, last: number, advanced: (reached: Reached) => void) {
    this.#source = source
    this.#last = last
    this.#advanced = advanced
    this.#reached = { position, passed }
    this.#through = position
  }

  /** Undefined also if more has to be read first: an event that represents many is expanded by `fill`. */
  get first(): Item | undefined {
    const [head] = this.#events
    const event = isOfMany(head) ? undefined : head
    if (this.#first?.event !== event) {
      this.#first = event && { event, distribution: undefined, tries: 0, settle: () => this.#settle(event) }
    }
    return this.#first
  }

  /** Reads unsettled events again, with a changed filter. */
  restart(): void {
    this.#reading++
    this.#events = []
    this.#first = undefined
    this.#through = this.#reached.position
    this.#ahead = { event: undefined, through: 0 }
  }

  /** The first unsettled event, also beyond what has been read. Does not change the queue. */
  async peek(filter: EventFilter): Promise<FeedEvent | undefined> {
    const { log, account } = this.#source
    for (let batches = 0; batches < maxPeekBatches && this.#events.length === 0; batches++) {
      const { event } = this.#ahead
      if (event && event.position > this.#through) return event
      const [after, reading] = [Math.max(this.#through, this.#ahead.through), this.#reading]
      if (after >= Math.min(log.head, this.#last)) return undefined
      const { records, through } = await log.read(account, filter.objects, after, batchSize - (after % batchSize))
      await filter.prepare()
      if (reading !== this.#reading) return undefined
      const [next] = records.flatMap((record) => this.#wanted(record, filter))
      this.#ahead = { event: next, through: next?.position ?? through }
    }
    return this.#events[0]
  }

  /** Reads the next batch; returns whether there were any records, matching or not. */
  async fill(filter: EventFilter): Promise<boolean> {
    const [ofMany] = this.#events
    if (isOfMany(ofMany)) return this.#expand(ofMany, filter)
    const { log, account } = this.#source
    const [after, reading] = [this.#through, this.#reading]
    if (after >= Math.min(log.head, this.#last)) return false
    // Batches end at multiples of their size, so that subscriptions that started at different positions soon share their reads.
    const { records, through } = await log.read(account, filter.objects, after, batchSize - (after % batchSize))
    await filter.prepare()
    if (reading !== this.#reading) return true
    for (const record of records) for (const event of this.#wanted(record, filter)) this.#events.push(event)
    this.#through = Math.min(through, this.#last)
    this.#reachUnsettled()
    return true
  }

  /** Replaces an event that represents many by the next page of them. */
  async #expand(ofMany: OfMany, filter: EventFilter): Promise<true> {
    const reading = this.#reading
    const { events, rest } = await expand(ofMany, this.#source.identities, filter.business)
    if (reading !== this.#reading) return true
    const page = events.filter((event) => !this.#isSettled(event))
    this.#events.splice(0, 1, ...page, ...(rest ? [rest] : []))
    this.#reachUnsettled()
    return true
  }

  #wanted(record: LogRecord, filter: EventFilter): FeedEvent[] {
    const position = present(record.position)
    if (position > this.#last || this.#source.skipped.has(record.ticket)) return []
    const passed = position === this.#reached.position + 1 ? this.#reached.passed : 0
    return eventsFrom(record, passed).filter((event) => !this.#isSettled(event) && filter.wants(event))
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

  /** A record is settled with its last event, and so are records without matching events before the next one. */
  #reachUnsettled(): void {
    const [next] = this.#events
    const position = next ? next.position - 1 : this.#through
    // Only a rename has enough events to store the progress within a record.
    const passed = next?.renamed ? nextIndex(next) : 0
    const { position: before, passed: passedBefore } = this.#reached
    if (position < before || (position === before && passed <= passedBefore)) return
    this.#reached = { position, passed }
    this.#advanced(this.#reached)
  }
}
