import { AsyncLocalStorage } from 'node:async_hooks'
import { problem, rule } from '@mainline/contract'
import { FairQueue, type QueueLimits } from './fair-queue.ts'

interface SlotLimits extends QueueLimits {
  readonly maxRunning: number
}

interface Job {
  readonly run: () => Promise<void>
}

/** A semaphore with a fair queue: callers take turns, and work is refused when the queue is full. */
export class FairSlots {
  readonly #queue: FairQueue<Job>
  readonly #maxRunning: number
  #running = 0

  constructor({ maxRunning, ...limits }: SlotLimits) {
    this.#queue = new FairQueue(limits)
    this.#maxRunning = maxRunning
  }

  run<T>(caller: string, work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    // It is started by whatever has finished before, and must not run in its context: budgets and disconnects belong to one caller.
    const inOwnContext = AsyncLocalStorage.snapshot()
    if (!this.#queue.add(caller, { run: () => inOwnContext(() => Promise.try(work)).then(resolve, reject) })) {
      return Promise.reject(problem('tooManyRequests', { rule: rule('overloaded') }))
    }
    this.#begin()
    return promise
  }

  #begin(): void {
    while (this.#running < this.#maxRunning) {
      const turn = this.#queue.take()
      if (!turn) return
      this.#running++
      void turn.item.run().finally(() => {
        this.#running--
        this.#queue.finish(turn.caller)
        this.#begin()
      })
    }
  }
}
