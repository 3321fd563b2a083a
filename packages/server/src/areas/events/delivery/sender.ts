import { WakeSignal } from '../../../common/concurrency/wake-signal.ts'
import { present } from '../../../common/present.ts'
import { backoffMs } from '../../../storage/index.ts'
import type { MissingSearchGrant } from '../../privileges/index.ts'
import { completed, type FeedEvent, objectsBehind } from '../feed/index.ts'
import type { Numbered } from './attempt/message.ts'
import type { Push, Pushed, Sending } from './attempt/push.ts'
import type { Owned } from './ownership/claim.ts'
import type { SenderLease } from './ownership/sender-lease.ts'
import { Progress } from './progress.ts'
import { EventQueue, type EventQueueParts } from './queue/event-queue.ts'
import type { Item } from './queue/pending.ts'
import { probePauseMs, rateLimitPauseMs } from './queue/schedule.ts'
import type { Subscription } from './subscription.ts'

/** First pause of the backoff after an internal error. */
const failurePauseMs = 250

/** An event to be sent, with the data that is looked up for it. */
interface Part extends Numbered {
  readonly item: Item
}

interface SenderParts extends EventQueueParts {
  readonly lease: SenderLease
  readonly lacks: MissingSearchGrant
  pusherFor(subscription: Subscription): Push
  onPushed(subscription: number, pushed: Pushed): void
}

/** Delivers the events of one subscription, as many at a time as it asks for, while this process owns it. Its states: see `delivery.ts`. */
export class Sender {
  readonly progress: Progress
  readonly #parts: SenderParts
  readonly #wakeSignal = new WakeSignal()
  readonly #stopping = new AbortController()
  readonly #signal = this.#stopping.signal
  readonly #sending: Sending
  readonly #queue: EventQueue
  #subscription: Subscription
  #push: Push
  readonly #inFlight = new Set<Promise<void>>()
  /** An internal error of an event in flight, for the loop to handle. */
  #failure: { readonly error: unknown } | undefined
  #failures = 0
  #probes = 0
  /** Grows whenever the receiver turns out to be unavailable: of several pushes in flight the first counts, and later ones prove nothing new. */
  #outage = 0
  /** On the monotonic clock, like all pauses here. */
  #notBefore = 0
  /** Since when an incomplete batch has been waiting for more events. */
  #gatheringSince: number | undefined
  #isStopping = false
  #running: Promise<void>

  constructor(parts: SenderParts, owned: Owned) {
    this.#parts = parts
    this.#subscription = owned
    this.#push = parts.pusherFor(owned)
    this.progress = new Progress(owned)
    this.#queue = new EventQueue(parts, owned, this.progress, this.#signal)
    // Not AbortSignal.any: reading `aborted` of such a signal is slow, and happens for every event.
    const die = () => this.#stopping.abort(parts.lease.signal.reason)
    if (parts.lease.signal.aborted) die()
    else parts.lease.signal.addEventListener('abort', die, { once: true, signal: this.#signal })
    this.#sending = { signal: this.#signal, mayStart: () => parts.lease.isHeld() }
    this.#signal.addEventListener('abort', () => this.#wakeSignal.wake(), { once: true })
    this.#running = this.#run()
  }

  get version(): number {
    return this.#subscription.version
  }

  /** The log has grown. */
  wake(): void {
    this.#wakeSignal.wake()
  }

  /** The subscription was changed: pending events follow its new form and address. */
  refresh(subscription: Subscription): void {
    this.#subscription = subscription
    this.#push = this.#parts.pusherFor(subscription)
    this.#queue.refresh(subscription)
    this.#probes = 0
    this.#outage++
    this.#notBefore = 0
    this.#gatheringSince = undefined
    this.#wakeSignal.wake()
  }

  /** Stops sending; pushes in flight may still be answered within the grace period. */
  async stop(graceMs = 0): Promise<void> {
    this.#isStopping = true
    this.#queue.close()
    this.#wakeSignal.wake()
    const giveUp = setTimeout(() => this.#stopping.abort(new Error('stopped')), graceMs)
    if (graceMs === 0) this.#stopping.abort(new Error('stopped'))
    await this.#running
    clearTimeout(giveUp)
  }

  /** Age of the oldest undelivered event, also while paused or waiting for a retry. */
  async lagMs(now: number): Promise<number> {
    return Math.max(0, now - ((await this.#queue.oldest()) ?? now))
  }

  #isOver(): boolean {
    return this.#isStopping || this.#signal.aborted
  }

  async #run(): Promise<void> {
    while (!this.#isOver()) {
      try {
        await this.#step()
        if (this.#inFlight.size === 0) this.#failures = 0
      } catch (error) {
        await this.#recover(error)
      }
    }
    await Promise.all(this.#inFlight)
  }

  async #recover(error: unknown): Promise<void> {
    if (this.#isOver()) return
    const { background } = this.#parts.storage
    background.failed('sending events', error)
    await background.available(this.#signal)
    await this.#wakeSignal.wait(backoffMs(failurePauseMs, ++this.#failures))
  }

  async #step(): Promise<void> {
    this.#throwFailure()
    if (this.#queue.isStale) {
      // What is in flight is settled in the queue that it was taken from.
      if (this.#inFlight.size > 0) return this.#wakeSignal.wait(Number.POSITIVE_INFINITY)
      await this.#queue.load()
    }
    if (this.#subscription.paused) return this.#wakeSignal.wait(Number.POSITIVE_INFINITY)
    const pause = this.#notBefore - performance.now()
    if (pause > 0) return this.#wakeSignal.wait(pause)
    if (this.#inFlight.size >= this.#mostInFlight()) return this.#wakeSignal.wait(Number.POSITIVE_INFINITY)
    const item = this.#queue.first ?? (await this.#queue.next())
    if (!item) return this.#waitForEvents()
    const { parallel, batch_max: maxBatch } = this.#subscription
    if (maxBatch === 1 && parallel === 1 && this.#inFlight.size === 0) return this.#deliver([item])
    const items = maxBatch === 1 ? [item] : await this.#queue.gather(item, maxBatch)
    const gatheringMs = this.#gatheringMs(items)
    if (gatheringMs > 0) return this.#waitForEvents(gatheringMs)
    this.#start(items)
  }

  #waitForEvents(mostMs = Number.POSITIVE_INFINITY): Promise<void> {
    return this.#wakeSignal.wait(Math.min(mostMs, Math.max(1, this.#queue.nextDue() - performance.now())))
  }

  /** How long an incomplete batch waits for more events. */
  #gatheringMs(items: readonly Item[]): number {
    const { batch_max: maxBatch, batch_wait_ms: waitMs } = this.#subscription
    const most = Math.min(maxBatch, ...items.map((item) => item.maxBatch))
    const now = performance.now()
    const leftMs = items.length < most ? (this.#gatheringSince ?? now) + waitMs - now : 0
    this.#gatheringSince = leftMs > 0 ? (this.#gatheringSince ?? now) : undefined
    return leftMs
  }

  /** An unavailable receiver is probed with one event. */
  #mostInFlight(): number {
    return this.#probes > 0 ? 1 : this.#subscription.parallel
  }

  #throwFailure(): void {
    const failure = this.#failure
    if (!failure) return
    this.#failure = undefined
    throw failure.error
  }

  /** Delivers beside the other requests in flight. */
  #start(items: readonly Item[]): void {
    // While the next event was being looked for, another one may have found the receiver unavailable.
    if (this.#notBefore > performance.now() || this.#inFlight.size >= this.#mostInFlight()) return
    const delivery = this.#deliver(items)
      .catch((error) => {
        this.#failure ??= { error }
      })
      .finally(() => {
        this.#inFlight.delete(delivery)
        this.#wakeSignal.wake()
      })
    this.#inFlight.add(delivery)
  }

  async #deliver(items: readonly Item[]): Promise<void> {
    this.#queue.begin(items)
    try {
      await this.#send(items)
      this.#failures = 0
    } finally {
      this.#queue.end(items)
    }
  }

  /** Avoids every unnecessary await, for thousands of events a second. */
  async #send(items: readonly Item[]): Promise<void> {
    const parts: Part[] = []
    for (const item of items) {
      const event = item.event.host === undefined ? item.event : await this.#identified(item.event)
      const objects = event ? objectsBehind(event) : []
      if (!event || (objects.length > 0 && (await this.#isWithheld(objects)))) {
        this.#queue.settle(item)
        continue
      }
      item.distribution ??= this.progress.draw() ?? (await this.#queue.reserve())
      parts.push({ item, event, distribution: item.distribution })
    }
    // The subscription was changed (perhaps paused) in the meantime, or has another owner.
    if (parts.length === 0 || this.#queue.isStale || !this.#parts.lease.isHeld()) return
    const outage = this.#outage
    const pushed = await this.#push(parts, this.#sending)
    for (const attempt of pushed.attempts) this.progress.count(attempt)
    this.#parts.store.note(this.progress)
    this.#parts.onPushed(this.progress.id, pushed)
    if (pushed.result === 'unreachable') {
      if (outage === this.#outage) this.#stayAway(pushed)
      return
    }
    if (outage === this.#outage) this.#probes = 0
    if (pushed.result === 'rejected') this.#setAside(parts, pushed)
    else for (const { item } of parts) this.#queue.settle(item)
  }

  /** A hostidentifier with its data, unless the host was deleted or the filter rejects it. */
  async #identified(event: FeedEvent): Promise<FeedEvent | undefined> {
    const { filter } = this.#queue
    const found = await completed(event, this.#parts.identities, filter.business)
    return found && filter.wants(found) ? found : undefined
  }

  /** Checked for each event, so that a revoked privilege takes effect with the next one. */
  async #isWithheld(objects: readonly string[]): Promise<boolean> {
    const owner = { user: this.#subscription.defined_by, account: this.#subscription.account }
    for (const object of objects) {
      if ((await this.#parts.lacks(this.#parts.storage, owner, object)) !== undefined) return true
    }
    return false
  }

  /** The receiver is unavailable: probes with backoff, without counting an attempt of the event. */
  #stayAway({ requestedMs }: Pushed): void {
    this.#outage++
    this.#probes++
    this.#notBefore = performance.now() + probePauseMs(this.#probes, requestedMs)
  }

  /** A rejected batch is sent again in halves, so that in the end only the events that the receiver cannot accept are set aside. */
  #setAside(parts: readonly Part[], { attempts, status, requestedMs }: Pushed): void {
    for (const [nth, { item }] of parts.entries()) {
      if (parts.length > 1) item.maxBatch = Math.ceil(parts.length / 2)
      else this.#queue.setAside(item, present(attempts[nth]), requestedMs)
    }
    const pauseMs = rateLimitPauseMs(status ?? null, requestedMs)
    this.#notBefore = Math.max(this.#notBefore, performance.now() + pauseMs)
  }
}
