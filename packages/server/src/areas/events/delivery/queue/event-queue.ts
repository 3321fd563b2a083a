import type { Zone } from '../../../../common/time.ts'
import type { Storage } from '../../../../storage/index.ts'
import { eventAt, type FeedEvent, type Identities } from '../../feed/index.ts'
import { webhookId } from '../attempt/message.ts'
import type { Owned } from '../ownership/claim.ts'
import type { Attempt, Progress, Undelivered } from '../progress.ts'
import type { ProgressStore } from '../progress-store.ts'
import type { SharedLog } from '../shared-log.ts'
import type { Subscription } from '../subscription.ts'
import { type EventFilter, eventFilterOf } from './event-filter.ts'
import { type Item, Pending, type Source } from './pending.ts'
import { RetryQueue } from './retry-queue.ts'
import { maxRetryDelayMs, retryDelayMs } from './schedule.ts'
import { findRecord, readReplay, readSkipped } from './stored.ts'

/** Instances with waiting retries, beyond which new events wait too: so many rejections mean that the receiver is failing. */
const maxWaitingInstances = 100
/** Events that may wait for a retry, or behind one. */
const maxWaitingEvents = 1_000
/** How often the log is read to fill one batch: where few events match, those that do must not wait for the end of the log. */
const maxReadsPerBatch = 10
/** A queue that has not read for this long, or is this many records behind, checks whether retention has overtaken it. */
const lapseCheckMs = 1_000
const lapseCheckRecords = 500

export interface EventQueueParts {
  readonly storage: Storage
  readonly log: SharedLog
  readonly store: ProgressStore
  readonly schedule: readonly number[]
  readonly identities: Identities | undefined
  readonly zone: Zone
}

/**
 * The undelivered events of one subscription, in the order of delivery: due retries, new events and replays take turns. Several may be in flight,
 * but never two about one instance.
 */
export class EventQueue {
  readonly #parts: EventQueueParts
  readonly #progress: Progress
  /** Aborted when the sender stops, at the latest at the end of its grace period. */
  readonly #signal: AbortSignal
  readonly #source: Source
  readonly #skipped = new Set<number>()
  /** Instances of the events in flight. */
  readonly #inFlight = new Set<string>()
  readonly #arriving: Pending
  readonly #waiting: RetryQueue
  #replay: Pending | undefined
  #filter: EventFilter
  #isStale = true
  #isLoaded = false
  #isClosed = false
  #filledAt = Number.NEGATIVE_INFINITY
  #turn = 0

  constructor(parts: EventQueueParts, subscription: Owned, progress: Progress, signal: AbortSignal) {
    const { log, identities, store } = parts
    this.#parts = parts
    this.#progress = progress
    this.#signal = signal
    this.#filter = eventFilterOf(subscription, parts.storage.read, parts.zone)
    this.#waiting = new RetryQueue(progress, maxRetryDelayMs(parts.schedule))
    this.#source = { log, account: subscription.account, identities, skipped: this.#skipped }
    this.#arriving = new Pending(this.#source, subscription, Number.POSITIVE_INFINITY, (reached) => {
      progress.advance(reached)
      store.note(progress)
    })
  }

  get filter(): EventFilter {
    return this.#filter
  }

  /** Whether the retries and the replay must be loaded: at the start, after every change of the subscription, after each replay. */
  get isStale(): boolean {
    return this.#isStale
  }

  /** The subscription was changed: pending events follow its new form. */
  refresh(subscription: Subscription): void {
    this.#filter = eventFilterOf(subscription, this.#parts.storage.read, this.#parts.zone)
    this.#arriving.restart()
    this.#replay?.restart()
    this.#isStale = true
    this.#filledAt = Number.NEGATIVE_INFINITY
  }

  /** Ends a search for the next event. */
  close(): void {
    this.#isClosed = true
  }

  /** Loads the retries and the next replay, which requests may have changed. */
  async load(): Promise<void> {
    this.#isStale = false
    try {
      await this.#load()
    } catch (error) {
      this.#isStale = true
      throw error
    }
  }

  async #load(): Promise<void> {
    const { store, storage } = this.#parts
    if (this.#isLoaded) await store.save(this.#progress)
    else for (const ticket of await readSkipped(storage.read, this.#progress.id)) this.#skipped.add(ticket)
    await this.#waiting.load(storage.read)
    const row = await readReplay(storage.read, this.#progress.id)
    await this.#waiting.loadDead(storage.read, row)
    this.#replay =
      row &&
      new Pending(this.#source, row, row.last_position, (reached) => {
        const isDone = reached.position >= row.last_position
        this.#progress.advanceReplay(row.id, isDone ? undefined : reached)
        store.note(this.#progress)
        if (!isDone) return
        this.#replay = undefined
        // The next replay is loaded once this one is deleted.
        this.#isStale = true
      })
    this.#isLoaded = true
  }

  /** Fast path without awaiting: no retries and no replay. */
  get first(): Item | undefined {
    return this.#waiting.size === 0 && !this.#replay ? this.#arriving.next(this.#inFlight) : undefined
  }

  /** From here until `end` no other events about these instances are chosen. */
  begin(items: readonly Item[]): void {
    for (const { event } of items) this.#inFlight.add(event.instance)
  }

  /** Without having been settled or set aside, an event is the next one about its instance again. */
  end(items: readonly Item[]): void {
    for (const { event } of items) this.#inFlight.delete(event.instance)
  }

  /** The events to send in one request with this one, at most `max` in all. A retry is sent alone. */
  async gather(first: Item, max: number): Promise<readonly Item[]> {
    const { source } = first
    const items = [first]
    const [events, instances] = [new Set([first.event]), new Set([first.event.instance])]
    let reads = 0
    for (let most = Math.min(max, first.maxBatch); source && items.length < most && !this.#isOver(); ) {
      const item = source.next(this.#inFlight, { events, instances })
      if (!item && reads++ < maxReadsPerBatch && (await this.#read(source))) continue
      if (!item || item.maxBatch <= items.length) break
      if (!(await this.#inOrder(item))) continue
      items.push(item)
      events.add(item.event)
      instances.add(item.event.instance)
      most = Math.min(most, item.maxBatch)
    }
    return items
  }

  /** Retries, new events and replays take turns, so that none of them starves the others. */
  async next(): Promise<Item | undefined> {
    const sources = [() => this.#due(), () => this.#new(), () => this.#replayed()]
    for (let tried = 0; tried < sources.length; tried++) {
      this.#turn = (this.#turn + 1) % sources.length
      const item = await sources[this.#turn]?.()
      if (item) return item
    }
    return undefined
  }

  /** When the next retry is due, on the monotonic clock. */
  nextDue(): number {
    return this.#waiting.nextDue(this.#inFlight)
  }

  /** The time of the oldest undelivered event, if there is one. */
  async oldest(): Promise<number | undefined> {
    const next = await this.#arriving.peek(this.#filter)
    const waiting = await this.#waiting.oldest(this.#parts.storage.read)
    return next && waiting !== undefined ? Math.min(next.actionTime, waiting) : (next?.actionTime ?? waiting)
  }

  /** The next distribution number, after waiting for a save that reserves more. */
  async reserve(): Promise<number> {
    for (;;) {
      await this.#parts.store.save(this.#progress)
      this.#signal.throwIfAborted()
      const number = this.#progress.draw()
      if (number !== undefined) return number
    }
  }

  /** The event was confirmed, or is not for this subscription. */
  settle(item: Item): void {
    this.#waiting.drop(item.event.position, item.event.index)
    item.settle()
    this.#parts.store.note(this.#progress)
  }

  /** The event was rejected: it is retried by the schedule while the queue continues, and becomes a dead letter after its last attempt. */
  setAside(item: Item, attempt: Attempt, requestedMs: number | undefined): void {
    const tries = item.tries + 1
    const pauseMs = retryDelayMs(this.#parts.schedule, tries, requestedMs)
    const due = pauseMs === undefined ? null : Math.ceil(Date.now() + pauseMs)
    const { distribution_id, time, error } = attempt
    this.#wait(item.event, { distribution_id, tries, due, time, error })
    item.settle()
  }

  #wait(event: FeedEvent, retry: Pick<Undelivered, 'distribution_id' | 'tries' | 'due' | 'time' | 'error'>): void {
    const { position, index, instance } = event
    const { id } = this.#progress
    this.#waiting.put({
      subscription: id,
      position,
      event: index,
      instance,
      webhook_id: webhookId(id, event),
      ...retry,
    })
  }

  /** The first retry that is due now. */
  async #due(): Promise<Item | undefined> {
    const row = this.#waiting.firstDue(performance.now(), this.#inFlight)
    if (!row) return undefined
    const [record] = await findRecord(this.#parts.storage.read, { position: row.position })
    const event = record && eventAt(record, row.event)
    await this.#filter.prepare()
    // Rows of old releases do not name it.
    if (event && this.#inFlight.has(event.instance)) return undefined
    if (event && this.#filter.wants(event)) {
      const { distribution_id: distribution, tries } = row
      return { event, distribution, tries, maxBatch: 1, source: undefined, settle: () => {} }
    }
    // Removed by retention, or no longer matching the filter.
    if (!record) this.#progress.lapse(row.position, row.position)
    this.#waiting.drop(row.position, row.event)
    this.#parts.store.note(this.#progress)
    return undefined
  }

  async #new(): Promise<Item | undefined> {
    while (this.#mayTakeMore()) {
      const first = this.#arriving.next(this.#inFlight)
      const next = first && (await this.#inOrder(first))
      if (next) return next
      if (!first && !(await this.#read(this.#arriving))) return undefined
    }
    return undefined
  }

  /** Returns whether there were any records. */
  async #read(source: Pending): Promise<boolean> {
    if (source !== this.#arriving) return source.fill(this.#filter)
    const { through: position } = source
    const isLate =
      performance.now() - this.#filledAt > lapseCheckMs || this.#parts.log.head - position > lapseCheckRecords
    if (!(await source.fill(this.#filter))) return false
    if (isLate) await this.#noteLapse(position)
    this.#filledAt = performance.now()
    return true
  }

  async #replayed(): Promise<Item | undefined> {
    while (this.#replay && this.#mayTakeMore()) {
      const first = this.#replay.next(this.#inFlight)
      const next = first && (await this.#inOrder(first))
      if (next) return next
      if (!first && !(await this.#read(this.#replay))) return undefined
    }
    return undefined
  }

  #isOver(): boolean {
    return this.#isClosed || this.#signal.aborted
  }

  #mayTakeMore(): boolean {
    if (this.#isOver()) return false
    // Each event in flight may be rejected.
    const { size: inFlight } = this.#inFlight
    const { size } = this.#waiting
    if (size + inFlight < maxWaitingInstances) return true
    return size + inFlight < maxWaitingEvents && this.#waiting.instances + inFlight < maxWaitingInstances
  }

  /** The item, unless an older event about the same instance is waiting: then it is queued behind that, and later events continue. */
  async #inOrder(item: Item): Promise<Item | undefined> {
    const { instance, position, index } = item.event
    if (!this.#waiting.holds(instance)) return item
    if (!this.#waiting.has(position, index)) {
      item.distribution ??= this.#progress.draw() ?? (await this.reserve())
      const now = Date.now()
      this.#wait(item.event, { distribution_id: item.distribution, tries: 0, due: now, time: now, error: '' })
    }
    item.settle()
    this.#parts.store.note(this.#progress)
    return undefined
  }

  /** Called after reading: records that existed then have been read, removed ones are below the floor. */
  async #noteLapse(position: number): Promise<void> {
    const floor = await this.#parts.log.floor()
    if (floor <= position + 1) return
    this.#progress.lapse(position + 1, floor - 1)
    this.#parts.store.note(this.#progress)
  }
}
