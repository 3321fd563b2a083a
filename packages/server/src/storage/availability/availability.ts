import { setTimeout as pause } from 'node:timers/promises'
import { StorageOutage } from './outage.ts'

/** Pause between probes during an outage: exponential backoff with 20 % jitter. */
const firstProbeMs = 250
const lastProbeMs = 2_000

interface AvailabilityEvents {
  onOutage(outage: StorageOutage): void
  onRecovery(outageMs: number): void
}

/**
 * Tracks whether the storage can be written to. A reported failure is checked with a probe, since one broken connection is not an
 * outage. During an outage a single loop probes with backoff, on behalf of everything that waits for the storage.
 *
 *   available -(report)-> suspected -(probe fails)-> unavailable (onOutage)
 *        ^                    | probe succeeds            | probe succeeds (onRecovery)
 *        +--------------------+---------------------------+
 */
export class Availability {
  readonly #probe: () => Promise<unknown>
  readonly #events: AvailabilityEvents
  readonly #closing = new AbortController()
  #checking: Promise<void> | undefined
  #outage: StorageOutage | undefined

  constructor(probe: () => Promise<unknown>, events: AvailabilityEvents) {
    this.#probe = probe
    this.#events = events
  }

  /** The current outage, if any. */
  get outage(): StorageOutage | undefined {
    return this.#outage
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted
  }

  /** If the error concerns the storage as a whole, starts a check and returns true. */
  report(error: unknown): error is StorageOutage {
    if (!(error instanceof StorageOutage)) return false
    if (!this.#closing.signal.aborted) this.#checking ??= this.#check()
    return true
  }

  /** Resolves when the storage is not suspected to be unavailable, or the signal is aborted. */
  async available(signal?: AbortSignal): Promise<void> {
    if (!this.#checking || signal?.aborted) return
    const aborted = Promise.withResolvers<void>()
    signal?.addEventListener('abort', () => aborted.resolve(), { once: true })
    await Promise.race([this.#checking, aborted.promise])
  }

  /** Probes now; rejects with the outage if there is one. */
  async verify(): Promise<void> {
    const failure = this.#outage ?? (await this.#failure())
    if (this.report(failure)) throw failure
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#checking
  }

  async #check(): Promise<void> {
    const startedAt = performance.now()
    let pauseMs = firstProbeMs
    for (;;) {
      const failure = await this.#failure()
      if (!failure || this.#closing.signal.aborted) break
      if (!this.#outage) this.#events.onOutage(failure)
      this.#outage = failure
      const jitter = 0.8 + Math.random() * 0.4
      await pause(pauseMs * jitter, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {})
      pauseMs = Math.min(lastProbeMs, pauseMs * 2)
    }
    const wasOut = this.#outage !== undefined
    this.#outage = undefined
    this.#checking = undefined
    if (wasOut && !this.#closing.signal.aborted) this.#events.onRecovery(Math.round(performance.now() - startedAt))
  }

  /** Any other failure of the probe is an answer of the storage, so it is available. */
  #failure = (): Promise<StorageOutage | undefined> =>
    this.#probe().then(
      () => undefined,
      (error) => (error instanceof StorageOutage ? error : undefined),
    )
}
