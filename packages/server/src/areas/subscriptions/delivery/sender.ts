import { backoffMs, type Storage } from '../../../platform/storage/index.ts'
import { completed, eventAt, type Identities, type Tail } from '../../feed/index.ts'
import type { Subscription } from '../store.ts'
import { Bell } from './bell.ts'
import type { Books } from './books.ts'
import type { Owned } from './claim.ts'
import { Ledger } from './ledger.ts'
import type { Life } from './life.ts'
import { type Item, Pending, type Source, type Wish, wishOf } from './pending.ts'
import type { Push, Pushed, Sending } from './push.ts'
import { longestPause, probePause, quietPause, retryPause } from './schedule.ts'
import { findRecord, readReplay, readSkipped } from './stored.ts'
import { Waiting } from './waiting.ts'

/** Instances whose events may wait for their next try; with more, new ones wait too: it is not the events that are bad. */
const maxWaitingInstances = 100
/** Events that may wait for their next try, or behind one that does. */
const maxWaitingEvents = 1_000
/** After a failure of our own, in milliseconds; more and more after several. */
const faultPause = 250
/** Who has not read for so long, in milliseconds, or has so much to read, may have been overtaken by retention. */
const longSilence = 1_000
const farBehind = 500

export interface SenderParts {
  readonly storage: Storage
  readonly read: Tail['readOf']
  /** The end of the log as far as this process knows it. */
  head(): number
  /** Below it, records have been removed. */
  floor(): Promise<number>
  readonly books: Books
  readonly life: Life
  readonly schedule: readonly number[]
  readonly identities: Identities | undefined
  pusherFor(subscription: Subscription): Push
  onPushed(subscription: number, pushed: Pushed): void
}

/** Sends the events of one subscription, one at a time, for as long as this process owns it. */
export class Sender {
  readonly ledger: Ledger
  readonly #parts: SenderParts
  readonly #bell = new Bell()
  readonly #stopping = new AbortController()
  readonly #signal = this.#stopping.signal
  readonly #sending: Sending
  readonly #source: Source
  readonly #skipped = new Set<number>()
  readonly #queue: Pending
  #subscription: Subscription
  #push: Push
  #wish: Wish
  readonly #waiting: Waiting
  #replay: Pending | undefined
  /** Whether waiting events and replays are to be read from the database: at first, and after every change of the subscription. */
  #stale = true
  #isLoaded = false
  #filledAt = Number.NEGATIVE_INFINITY
  #probes = 0
  /** On the clock that nobody can set, like all pauses here. */
  #notBefore = 0
  #turn = 0
  #isStopping = false
  #running: Promise<void>

  constructor(parts: SenderParts, owned: Owned) {
    this.#parts = parts
    this.#subscription = owned
    this.#push = parts.pusherFor(owned)
    this.#wish = wishOf(owned)
    this.ledger = new Ledger(owned)
    this.#waiting = new Waiting(this.ledger, longestPause(parts.schedule))
    const { read, head, identities } = parts
    this.#source = { read, account: owned.account, identities, skipped: this.#skipped, head }
    this.#queue = new Pending(this.#source, owned, Number.POSITIVE_INFINITY, (reached) => {
      this.ledger.advance(reached)
      parts.books.note(this.ledger)
    })
    // Not AbortSignal.any: asking such a signal whether it is aborted is slow, and it is asked for every event.
    const die = () => this.#stopping.abort(parts.life.signal.reason)
    if (parts.life.signal.aborted) die()
    else parts.life.signal.addEventListener('abort', die, { once: true, signal: this.#signal })
    this.#sending = { signal: this.#signal, mayStart: () => parts.life.isAlive() }
    this.#signal.addEventListener('abort', () => this.#bell.ring(), { once: true })
    this.#running = this.#run()
  }

  get version(): number {
    return this.#subscription.version
  }

  /** The log has grown. */
  ring(): void {
    this.#bell.ring()
  }

  /** The subscription was changed: what is pending follows its new form and address. */
  refresh(subscription: Subscription): void {
    this.#subscription = subscription
    this.#push = this.#parts.pusherFor(subscription)
    this.#wish = wishOf(subscription)
    this.#queue.restart()
    this.#replay?.restart()
    this.#stale = true
    this.#filledAt = Number.NEGATIVE_INFINITY
    this.#probes = 0
    this.#notBefore = 0
    this.#bell.ring()
  }

  /** Sends nothing more; what is under way gets so much time to be answered. */
  async stop(grace = 0): Promise<void> {
    this.#isStopping = true
    this.#bell.ring()
    const giveUp = setTimeout(() => this.#stopping.abort(new Error('stopped')), grace)
    if (grace === 0) this.#stopping.abort(new Error('stopped'))
    await this.#running
    clearTimeout(giveUp)
  }

  /** For how long the oldest event that is not delivered has been waiting, in milliseconds; paused, or held back, too. */
  async lagTime(now: number): Promise<number> {
    const next = await this.#queue.peek(this.#wish)
    const waits = await this.#waiting.oldest(this.#parts.storage.read)
    return Math.max(0, now - Math.min(next?.actionTime ?? now, waits ?? now))
  }

  #isOver(): boolean {
    return this.#isStopping || this.#signal.aborted
  }

  async #run(): Promise<void> {
    for (let failures = 0; !this.#isOver(); ) {
      try {
        await this.#step()
        failures = 0
      } catch (error) {
        if (this.#isOver()) return
        const { background } = this.#parts.storage
        background.failed('sending events', error)
        await background.available(this.#signal)
        await this.#bell.wait(backoffMs(faultPause, ++failures))
      }
    }
  }

  async #step(): Promise<void> {
    if (this.#stale)
      await this.#load().catch((error) => {
        this.#stale = true
        throw error
      })
    if (this.#subscription.paused) return this.#bell.wait(Number.POSITIVE_INFINITY)
    const pause = this.#notBefore - performance.now()
    if (pause > 0) return this.#bell.wait(pause)
    const item = this.#usual() ?? (await this.#next())
    if (item) return this.#deliver(item)
    await this.#bell.wait(Math.max(1, this.#waiting.nextDue() - performance.now()))
  }

  /** Nearly always there is nothing but the queue. */
  #usual(): Item | undefined {
    return this.#waiting.size === 0 && !this.#replay ? this.#queue.first : undefined
  }

  /** Waiting events, new ones and replays take turns, so that none of them keeps the others back. */
  async #next(): Promise<Item | undefined> {
    const sources = [() => this.#due(), () => this.#new(), () => this.#replayed()]
    for (let tried = 0; tried < sources.length; tried++) {
      this.#turn = (this.#turn + 1) % sources.length
      const item = await sources[this.#turn]?.()
      if (item) return item
    }
    return undefined
  }

  /** At thousands of events a second, whatever has not to be waited for is not waited for. */
  async #deliver(item: Item): Promise<void> {
    const event =
      item.event.host === undefined
        ? item.event
        : await completed(item.event, this.#parts.identities, this.#wish.business)
    if (!event) return this.#settle(item)
    item.distribution ??= this.ledger.draw() ?? (await this.#reserve())
    // Changed meanwhile, paused perhaps: it is looked at anew. Or no longer ours.
    if (this.#stale || !this.#parts.life.isAlive()) return
    const pushed = await this.#push(event, item.distribution, this.#sending)
    this.ledger.count(pushed.attempt)
    this.#parts.books.note(this.ledger)
    this.#parts.onPushed(this.ledger.id, pushed)
    if (pushed.attempt.result === 'unreachable') return this.#stayAway(pushed)
    this.#probes = 0
    if (pushed.attempt.result === 'rejected') this.#setAside(item, pushed)
    else this.#settle(item)
  }

  /** Spends no try: the event is sent again as it is. */
  #stayAway({ wished }: Pushed): void {
    this.#probes++
    this.#notBefore = performance.now() + probePause(this.#probes, wished)
  }

  #settle(item: Item): void {
    this.#waiting.drop(item.event.position, item.event.index)
    item.settle()
    this.#parts.books.note(this.ledger)
  }

  /** The queue goes on; the event is tried again by the schedule, and becomes a dead letter after its last try. */
  #setAside(item: Item, { attempt, wished }: Pushed): void {
    const tries = item.tries + 1
    const pause = retryPause(this.#parts.schedule, tries, wished)
    const due = pause === undefined ? null : Math.ceil(Date.now() + pause)
    const { position, event, distribution_id, time, error } = attempt
    const { instance } = item.event
    this.#waiting.put({
      subscription: this.ledger.id,
      position,
      event,
      distribution_id,
      tries,
      due,
      time,
      error,
      instance,
    })
    this.#notBefore = performance.now() + quietPause(attempt.status ?? null, wished)
    item.settle()
  }

  /** The next distribution number, when no reserved one was left. */
  async #reserve(): Promise<number> {
    for (;;) {
      await this.#parts.books.save(this.ledger)
      this.#signal.throwIfAborted()
      const number = this.ledger.draw()
      if (number !== undefined) return number
    }
  }

  /** The waiting event that is due first, if its time has come. */
  async #due(): Promise<Item | undefined> {
    const row = this.#waiting.firstDue(performance.now())
    if (!row) return undefined
    const [record] = await findRecord(this.#parts.storage.read, { position: row.position })
    const event = record && eventAt(record, row.event)
    if (event && this.#wish.wants(event)) {
      return { event, distribution: row.distribution_id, tries: row.tries, settle: () => {} }
    }
    // Removed by retention, or no longer wanted.
    if (!record) this.ledger.lapse(row.position, row.position)
    this.#waiting.drop(row.position, row.event)
    this.#parts.books.note(this.ledger)
    return undefined
  }

  #isFull(): boolean {
    const { size } = this.#waiting
    if (size < maxWaitingInstances) return false
    return size >= maxWaitingEvents || this.#waiting.instances >= maxWaitingInstances
  }

  /** The item, unless an older event about the same instance waits: then it waits behind that, and what follows may go on. */
  async #inOrder(item: Item): Promise<Item | undefined> {
    const { instance, position, index } = item.event
    if (!this.#waiting.holds(instance)) return item
    if (!this.#waiting.has(position, index)) {
      item.distribution ??= this.ledger.draw() ?? (await this.#reserve())
      const now = Date.now()
      this.#waiting.put({
        subscription: this.ledger.id,
        position,
        event: index,
        distribution_id: item.distribution,
        tries: 0,
        due: now,
        time: now,
        error: '',
        instance,
      })
    }
    item.settle()
    this.#parts.books.note(this.ledger)
    return undefined
  }

  async #new(): Promise<Item | undefined> {
    while (!this.#isFull() && !this.#isOver()) {
      const first = this.#queue.first
      const next = first && (await this.#inOrder(first))
      if (next) return next
      if (first) continue
      const { position } = this.ledger
      const isLate = performance.now() - this.#filledAt > longSilence || this.#parts.head() - position > farBehind
      if (!(await this.#queue.fill(this.#wish))) return undefined
      if (isLate) await this.#noteLapse(position)
      this.#filledAt = performance.now()
    }
    return undefined
  }

  /** Looked at after reading: what was there then has been read, and what had gone is below the floor. */
  async #noteLapse(position: number): Promise<void> {
    const floor = await this.#parts.floor()
    if (floor <= position + 1) return
    this.ledger.lapse(position + 1, floor - 1)
    this.#parts.books.note(this.ledger)
  }

  async #replayed(): Promise<Item | undefined> {
    while (this.#replay && !this.#isFull() && !this.#isOver()) {
      const { first } = this.#replay
      const next = first && (await this.#inOrder(first))
      if (next) return next
      if (!first && !(await this.#replay.fill(this.#wish))) return undefined
    }
    return undefined
  }

  /** What others have changed meanwhile: what waits again, and what is to be replayed. */
  async #load(): Promise<void> {
    const { books, storage } = this.#parts
    this.#stale = false
    if (this.#isLoaded) await books.save(this.ledger)
    else for (const ticket of await readSkipped(storage.read, this.ledger.id)) this.#skipped.add(ticket)
    await this.#waiting.load(storage.read)
    const row = await readReplay(storage.read, this.ledger.id)
    await this.#waiting.loadDead(storage.read, row)
    this.#replay =
      row &&
      new Pending(this.#source, row, row.last_position, (reached) => {
        const isDone = reached.position >= row.last_position
        this.ledger.advanceReplay(row.id, isDone ? undefined : reached)
        books.note(this.ledger)
        if (!isDone) return
        this.#replay = undefined
        // The next one is read once this one is gone from the database.
        this.#stale = true
      })
    this.#isLoaded = true
  }
}
