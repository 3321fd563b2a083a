import { present } from '../../../../common/present.ts'
import type { LogRecord } from '../../../../storage/index.ts'
import {
  eventsFrom,
  expand,
  type FeedEvent,
  type Identities,
  isOfMany,
  isReset,
  nextIndex,
  type OfMany,
} from '../../feed/index.ts'
import { type EventPlace, eventKey, type Reached, type ReachedRow, readSettledAhead } from '../progress.ts'
import type { SharedLog } from '../shared-log.ts'
import type { EventFilter } from './event-filter.ts'

/** Records per read. */
const batchSize = 200
/**
 * Events that are read, or settled, behind the first unsettled one. It bounds what is stored beside the position; at 32 in flight, 50 ms each,
 * one slow answer may take a second and a half before the others wait for it.
 */
const maxAhead = 1_000
/** Batches that one `peek` searches ahead of the queue. */
const maxPeekBatches = 10

/** An event that is being delivered to a subscription. */
export interface Item {
  readonly event: FeedEvent
  /** Drawn for the first push and kept for its retries. */
  distribution: number | undefined
  readonly tries: number
  /** How many events one request with it may have: fewer each time that one was rejected. */
  maxBatch: number
  /** Where the events behind it are; undefined for a retry. */
  readonly source: Pending | undefined
  /** The event was confirmed or set aside for a retry. */
  settle(): void
}

/** Events that are put together into one request. */
export interface EventBatch {
  readonly events: ReadonlySet<FeedEvent>
  readonly instances: ReadonlySet<string>
}
const emptyBatch: EventBatch = { events: new Set(), instances: new Set() }

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
  /** Unsettled events in order, including those in flight. */
  #events: FeedEvent[] = []
  /** The items of events that were in flight and are not settled. */
  readonly #items = new Map<FeedEvent, Item>()
  /** Settled events behind the first unsettled one, also those that were in flight at a restart. */
  readonly #settledAhead: Map<string, EventPlace>
  #reached: Omit<Reached, 'settledAhead'>
  #through: number
  /** Counts restarts, to discard reads that were started with an older filter. */
  #reading = 0
  /** The result of `peek`, and the position up to which it has searched. */
  #peeked: { event: FeedEvent | undefined; through: number } = { event: undefined, through: 0 }

  /** The range from `reached` up to and including position `last`. */
  constructor(source: Source, reached: ReachedRow, last: number, advanced: (reached: Reached) => void) {
    this.#source = source
    this.#last = last
    this.#advanced = advanced
    this.#reached = { position: reached.position, passed: reached.passed }
    this.#settledAhead = readSettledAhead(reached.settled_ahead)
    this.#through = reached.position
  }

  /** The last position that has been read. */
  get through(): number {
    return this.#through
  }

  /**
   * The first event about an instance that is not in flight. Undefined also if more has to be read first: an event that represents many is
   * expanded by `fill`. A reset of the history is sent after all events before it and before all events behind it. Events of a batch are
   * followed by others about the same instances.
   */
  next(inFlight: ReadonlySet<string>, { events, instances } = emptyBatch): Item | undefined {
    const [head] = this.#events
    for (const event of this.#events) {
      if (isOfMany(event)) return undefined
      const mayOvertake = this.#settledAhead.size + inFlight.size < maxAhead && !isReset(event)
      if (event !== head && !mayOvertake) return undefined
      const isFree = !inFlight.has(event.instance) || instances.has(event.instance)
      if (isFree && !events.has(event)) return this.#itemOf(event)
      if (isReset(event)) return undefined
    }
    return undefined
  }

  #itemOf(event: FeedEvent): Item {
    const known = this.#items.get(event)
    if (known) return known
    const item: Item = {
      event,
      distribution: undefined,
      tries: 0,
      maxBatch: Number.POSITIVE_INFINITY,
      source: this,
      settle: () => this.#settle(event),
    }
    this.#items.set(event, item)
    return item
  }

  /** Reads unsettled events again, with a changed filter. */
  restart(): void {
    this.#reading++
    this.#events = []
    this.#items.clear()
    this.#through = this.#reached.position
    this.#peeked = { event: undefined, through: 0 }
  }

  /** The first unsettled event, also beyond what has been read. Does not change the queue. */
  async peek(filter: EventFilter): Promise<FeedEvent | undefined> {
    const { log, account } = this.#source
    for (let batches = 0; batches < maxPeekBatches && this.#events.length === 0; batches++) {
      const { event } = this.#peeked
      if (event && event.position > this.#through) return event
      const [after, reading] = [Math.max(this.#through, this.#peeked.through), this.#reading]
      if (after >= Math.min(log.head, this.#last)) return undefined
      const { records, through } = await log.read(account, filter.objects, after, batchSize - (after % batchSize))
      await filter.prepare()
      if (reading !== this.#reading) return undefined
      const [next] = records.flatMap((record) => this.#wanted(record, filter))
      this.#peeked = { event: next, through: next?.position ?? through }
    }
    return this.#events[0]
  }

  /** Reads the next batch; returns whether there were any records, matching or not. Reads no more while too many events are unsettled. */
  async fill(filter: EventFilter): Promise<boolean> {
    const ofMany = this.#events.find(isOfMany)
    const isBlocked = this.#events.length > 0 && ofMany !== this.#events[0]
    if (isBlocked && this.#events.length + this.#settledAhead.size >= maxAhead) return false
    if (ofMany) return this.#expand(ofMany, filter)
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
    this.#events.splice(this.#events.indexOf(ofMany), 1, ...page, ...(rest ? [rest] : []))
    this.#reachUnsettled()
    return true
  }

  #wanted(record: LogRecord, filter: EventFilter): FeedEvent[] {
    const position = present(record.position)
    if (position > this.#last || this.#source.skipped.has(record.ticket)) return []
    const passed = position === this.#reached.position + 1 ? this.#reached.passed : 0
    return eventsFrom(record, passed).filter((event) => !this.#isSettled(event) && filter.wants(event))
  }

  #isSettled({ position, index }: FeedEvent): boolean {
    return this.#settledAhead.size > 0 && this.#settledAhead.has(eventKey(position, index))
  }

  #settle(event: FeedEvent): void {
    this.#items.delete(event)
    if (this.#events[0] === event) this.#events.shift()
    else {
      const { position, index } = event
      this.#settledAhead.set(eventKey(position, index), { position, index })
      const at = this.#events.indexOf(event)
      if (at >= 0) this.#events.splice(at, 1)
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
    const isFurther = position > before || (position === before && passed > passedBefore)
    if (isFurther) {
      this.#reached = { position, passed }
      this.#forgetReached()
    } else if (this.#settledAhead.size === 0) return
    this.#advanced({ ...this.#reached, settledAhead: this.#settledAhead })
  }

  #forgetReached(): void {
    const { position, passed } = this.#reached
    for (const [key, place] of this.#settledAhead) {
      const isReached = place.position <= position || (place.position === position + 1 && place.index < passed)
      if (isReached) this.#settledAhead.delete(key)
    }
  }
}
