import { setTimeout as pause } from 'node:timers/promises'
import { WakeSignal } from '../../common/concurrency/wake-signal.ts'
import { uniqueId } from '../../common/unique-id.ts'
import { type Background, backoffMs } from '../availability/background.ts'
import type { Engine } from '../engine.ts'
import { readerOver } from '../handles.ts'
import { prepared } from '../prepared.ts'
import { holdLease, type Lease, leaseMs, releaseLease } from './lease.ts'
import { number, numberedAtOnce } from './numbering.ts'
import { SettledTickets } from './settled.ts'

/** Passes start at least this far apart, so that one pass numbers many records under load. */
const passPauseMs = 20
/** The same while clients of this process wait for events. */
const watchedPassPauseMs = 10
/** The lease is released after this long without new records, so that the next process to commit can number immediately. */
const releaseAfterMs = 2_000
/** While another process holds the lease. */
const elsewherePauseMs = 250
/** Interval at which an idle process looks for records of other processes that are not numbered yet. */
const idlePauseMs = 4_000

const findUnnumbered = prepared((reader, { after }: { after: number }) =>
  reader.selectFrom('log').select('ticket').where('position', 'is', null).where('ticket', '>', after).limit(1),
)

/**
 * Numbers the log on engines with concurrent writers. One process at a time does, the holder of a lease:
 *
 *          a commit of this process, or new tickets in the sequence          records without a position
 *   idle ------------------------------------------------------------> looking ------------------------> numbering
 *     ^                                                                  |  ^                                |
 *     +------------- all tickets are settled; the lease is released -----+  +------ nothing left, or lease lost
 *
 * Looking does not write, so an idle process causes no WAL. A process whose records stay unnumbered, because the holder was killed, tries
 * to get the lease until it has expired.
 */
export class Numberer {
  readonly #engine: Engine
  readonly #background: Background
  readonly #onNumbered: () => void
  readonly #holder = uniqueId()
  readonly #settled = new SettledTickets()
  readonly #committed = new WakeSignal()
  readonly #stopping = new AbortController()
  #lease: Lease | undefined
  #renewedAt = Number.NEGATIVE_INFINITY
  #numberedAt = Number.NEGATIVE_INFINITY
  #isElsewhere = false
  readonly #running: Promise<void>

  constructor(engine: Engine, background: Background, onNumbered: () => void) {
    this.#engine = engine
    this.#background = background
    this.#onNumbered = onNumbered
    this.#running = this.#run()
  }

  /** A change of this process was committed. */
  wake(): void {
    this.#committed.wake()
  }

  /** Acquires the lease for other upkeep of the log, so that processes do not repeat each other's work. Released when idle. */
  async mayKeep(): Promise<boolean> {
    const lease = await this.#hold()
    this.#committed.wake()
    return lease !== undefined
  }

  async #hold(): Promise<Lease | undefined> {
    if (this.#lease && performance.now() - this.#renewedAt < leaseMs / 4) return this.#lease
    this.#lease = await holdLease(this.#engine, this.#holder)
    this.#renewedAt = performance.now()
    return this.#lease
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#committed.wake()
    await this.#running
    await this.#release().catch((error) => this.#background.failed('releasing the lease', error))
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    for (let failures = 0; !signal.aborted; ) {
      await this.#background.available(signal)
      const began = performance.now()
      try {
        await this.#pass()
        failures = 0
      } catch (error) {
        this.#background.failed('numbering the log', error)
        failures++
      }
      if (signal.aborted) return
      if (failures > 0) await this.#rest(backoffMs(passPauseMs, failures))
      else if (this.#isElsewhere) await this.#rest(elsewherePauseMs)
      else if (this.#numberedAt > began) await this.#rest(this.#passPauseMs - (performance.now() - began))
      else await this.#committed.wait(passPauseMs)
      await this.#idle()
    }
  }

  get #passPauseMs(): number {
    return this.#background.activity.isWatched ? watchedPassPauseMs : passPauseMs
  }

  /** Not cut short by commits. */
  async #rest(timeoutMs: number): Promise<void> {
    const { signal } = this.#stopping
    if (timeoutMs > 0) await pause(timeoutMs, undefined, { signal, ref: false }).catch(() => {})
  }

  async #pass(): Promise<void> {
    const isQuiet = performance.now() - this.#numberedAt > releaseAfterMs
    this.#isElsewhere = false
    await this.#settled.pass(this.#engine, (after) => this.#numberAll(after))
    if (this.#lease && isQuiet && this.#settled.isComplete) await this.#release()
  }

  /** Returns whether no visible record after the ticket is left without a position. */
  async #numberAll(after: number): Promise<boolean> {
    const reader = readerOver(this.#engine.reads, this.#engine)
    if ((await findUnnumbered(reader, { after })).length === 0) return true
    this.#background.activity.note()
    const lease = await this.#hold()
    this.#isElsewhere = lease === undefined
    if (!lease) return false
    for (let isFull = true; isFull; ) {
      const numbered = await number(this.#engine, lease, after)
      if (numbered === undefined) {
        // Another process has taken over, or the database has gone back.
        this.#lease = undefined
        this.#settled.reset()
        return false
      }
      if (numbered > 0) {
        this.#numberedAt = performance.now()
        this.#onNumbered()
      }
      isFull = numbered === numberedAtOnce
      if (isFull && this.#stopping.signal.aborted) return false
    }
    return true
  }

  /** Returns once this process or another one has drawn a ticket. */
  async #idle(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted && !this.#lease && !this.#isElsewhere && this.#settled.isComplete) {
      await this.#committed.wait(this.#background.activity.isWatched ? elsewherePauseMs : idlePauseMs)
      if (signal.aborted) return
      try {
        if (await this.#settled.isUnchanged(this.#engine)) continue
        this.#background.activity.note()
        return
      } catch (error) {
        this.#settled.reset()
        this.#background.failed('looking for records to number', error)
      }
    }
  }

  async #release(): Promise<void> {
    if (!this.#lease) return
    this.#lease = undefined
    await releaseLease(this.#engine, this.#holder)
  }
}
