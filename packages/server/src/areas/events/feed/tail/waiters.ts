import { setImmediate as nextTurn } from 'node:timers/promises'

/** Waiting clients are woken in batches, so that other requests get their turn in between. */
const wakeBatch = 25

interface Waiter {
  readonly after: number
  readonly wake: () => void
}

/** Clients that wait for the log to grow. */
export class Waiters {
  readonly #all = new Set<Waiter>()

  get size(): number {
    return this.#all.size
  }

  /** Waits until woken, or until the signal is aborted. `added` is called once the client counts as waiting. */
  wait(after: number, signal: AbortSignal | undefined, added: () => void): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#all.delete(waiter)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      const waiter = { after, wake }
      this.#all.add(waiter)
      signal?.addEventListener('abort', wake, { once: true })
      added()
    })
  }

  /** Wakes those that wait for a position up to this one. */
  async wakeBelow(position: number): Promise<void> {
    let woken = 0
    for (const { after, wake } of this.#all) {
      if (after >= position) continue
      wake()
      if (++woken % wakeBatch === 0) await nextTurn()
    }
  }

  wakeAll(): void {
    for (const { wake } of this.#all) wake()
  }
}
