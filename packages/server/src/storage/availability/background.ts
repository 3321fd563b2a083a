import { setTimeout as pause } from 'node:timers/promises'
import { Activity } from './activity.ts'
import type { Availability } from './availability.ts'

/** Maximum backoff of work that fails repeatedly. */
const longestPauseMs = 5_000
/** Repeated failures of the same work are logged at this interval, with their number. */
const loggedEveryMs = 60_000

/** `failures`: since this work was last logged. */
export type OnFault = (what: string, error: unknown, failures: number) => void

/**
 * Error handling of all background loops: during an outage they wait for recovery (the outage itself is logged once, elsewhere); other
 * failures are logged at most once a minute per kind of work, and retried with backoff.
 */
export class Background {
  readonly activity = new Activity()
  readonly #availability: Availability
  readonly #onFault: OnFault
  readonly #logged = new Map<string, { at: number; failures: number }>()

  constructor(availability: Availability, onFault: OnFault) {
    this.#availability = availability
    this.#onFault = onFault
  }

  /** Resolves when the storage is available, or the signal is aborted. */
  available(signal?: AbortSignal): Promise<void> {
    return this.#availability.available(signal)
  }

  /** Reports a failure of work that will be retried. */
  failed(what: string, error: unknown): void {
    // After the storage was closed, failures are expected.
    if (this.#availability.isClosed || this.#availability.report(error)) return
    const now = performance.now()
    const { at, failures } = this.#logged.get(what) ?? { at: Number.NEGATIVE_INFINITY, failures: 0 }
    const isDue = now - at >= loggedEveryMs
    this.#logged.set(what, isDue ? { at: now, failures: 0 } : { at, failures: failures + 1 })
    if (isDue) this.#onFault(what, error, failures + 1)
  }

  /**
   * Repeats a step until the signal is aborted; failures are retried with backoff. While the process is idle, the next step waits for
   * activity, at most for `idlePauseMs`.
   */
  async repeat(
    what: string,
    { pauseMs, idlePauseMs = pauseMs }: Pace,
    signal: AbortSignal,
    step: () => Promise<void>,
  ): Promise<void> {
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
      if (failures === 0 && idlePauseMs > pauseMs && this.activity.isIdle) {
        await this.activity.next(idlePauseMs - pauseMs, signal)
      }
    }
  }
}

export interface Pace {
  readonly pauseMs: number
  /** Without it, an idle process makes no difference. */
  readonly idlePauseMs?: number
}

/** Exponential backoff after consecutive failures. */
export const backoffMs = (pauseMs: number, failures: number): number =>
  failures === 0
    ? pauseMs
    : Math.max(pauseMs, Math.min(longestPauseMs, pauseMs * 2 ** failures) * (0.8 + Math.random() * 0.4))
