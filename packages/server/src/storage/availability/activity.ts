/** Without activity for this long, the process is idle. */
const idleAfterMs = 2_000

/**
 * Whether anything happens in this process. Background loops of an idle process read the database every few seconds instead of several
 * times a second, and the next activity wakes them.
 */
export class Activity {
  readonly #waiting = new Set<() => void>()
  #at = performance.now()
  #watchedAt = Number.NEGATIVE_INFINITY

  get isIdle(): boolean {
    return performance.now() - this.#at > idleAfterMs
  }

  /** Clients or senders of this process are waiting for new log records. */
  get isWatched(): boolean {
    return performance.now() - this.#watchedAt < 1_000
  }

  /** A change was committed here, or another process's change was noticed. */
  note(): void {
    this.#at = performance.now()
    for (const wake of this.#waiting) wake()
  }

  /** The end of the log was read for waiting clients, which also keeps the process from becoming idle. */
  noteWatched(): void {
    const isNew = !this.isWatched
    this.#watchedAt = performance.now()
    if (isNew) this.note()
    else this.#at = this.#watchedAt
  }

  /** Resolves with the next activity, after the timeout, or when the signal is aborted. */
  async next(timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    await new Promise<void>((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake)
        clearTimeout(timer)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      const timer = setTimeout(wake, timeoutMs).unref()
      this.#waiting.add(wake)
      signal.addEventListener('abort', wake, { once: true })
    })
  }
}
