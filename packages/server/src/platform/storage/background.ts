import { setTimeout as pause } from 'node:timers/promises'
import type { Availability } from './availability.ts'

/** The longest pause of work that fails again and again. */
const longestPauseMs = 5_000
/** The same work that goes on failing is logged so often, with the number of failures in between. */
const loggedEveryMs = 60_000

/** `failures` counts those since the work was last logged. */
export type OnFault = (what: string, error: unknown, failures: number) => void

/**
 * What all background loops share: during an outage they wait for the storage to be back, which is logged once by whoever
 * watches it; failures of another kind are logged at most once a minute for each kind of work, and repeated with backoff.
 */
export class Background {
  readonly #availability: Availability
  readonly #onFault: OnFault
  readonly #logged = new Map<string, { at: number; failures: number }>()

  constructor(availability: Availability, onFault: OnFault) {
    this.#availability = availability
    this.#onFault = onFault
  }

  /** Resolves when the storage can be used, or the signal is aborted. */
  available(signal?: AbortSignal): Promise<void> {
    return this.#availability.available(signal)
  }

  /** Work has failed, and will be tried again. */
  failed(what: string, error: unknown): void {
    // Once the storage is closed, whatever was still waiting for it cannot succeed.
    if (this.#availability.isClosed || this.#availability.report(error)) return
    const now = performance.now()
    const { at, failures } = this.#logged.get(what) ?? { at: Number.NEGATIVE_INFINITY, failures: 0 }
    const isDue = now - at >= loggedEveryMs
    this.#logged.set(what, isDue ? { at: now, failures: 0 } : { at, failures: failures + 1 })
    if (isDue) this.#onFault(what, error, failures + 1)
  }

  /** Runs a step again and again until the signal is aborted; a step that fails is repeated after longer and longer pauses. */
  async repeat(what: string, pauseMs: number, signal: AbortSignal, step: () => Promise<void>): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      await this.available(signal)
      if (signal.aborted) return
      try {
        await step()
        failures = 0
      } catch (error) {
        failures++
        this.failed(what, error)
      }
      await pause(backoffMs(pauseMs, failures), undefined, { signal, ref: false }).catch(() => {})
    }
  }
}

/** How long to wait after so many failures in a row. */
export const backoffMs = (pauseMs: number, failures: number): number =>
  failures === 0
    ? pauseMs
    : Math.max(pauseMs, Math.min(longestPauseMs, pauseMs * 2 ** failures) * (0.8 + Math.random() * 0.4))
