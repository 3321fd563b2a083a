import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { FairQueue } from '../../common/concurrency/fair-queue.ts'

/** Larger bodies are queued for parsing; smaller ones parse in at most a millisecond. */
export const largeBodyBytes = 8_192
const maxPauseMs = 50

interface Job {
  readonly run: () => Promise<void>
}

/**
 * Large bodies are parsed and validated one at a time, round-robin over callers, using at most half of the event loop's time: a caller
 * that sends many of them delays mainly its own requests.
 */
export class LargeBodies {
  // Unbounded here: admission control limits the number of requests.
  readonly #queue = new FairQueue<Job>({
    maxRunningPerCaller: 1,
    maxWaiting: Number.POSITIVE_INFINITY,
    maxWaitingPerCaller: Number.POSITIVE_INFINITY,
  })
  #isRunning = false

  parse(caller: string, work: () => Promise<unknown>): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#queue.add(caller, { run: () => work().then(resolve, reject) })
    if (!this.#isRunning) void this.#run()
    return promise
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    for (let turn = this.#queue.take(); turn; turn = this.#queue.take()) {
      const started = performance.now()
      await turn.item.run()
      // One turn later, so that the validation that follows parsing is measured as well.
      await nextTurn()
      this.#queue.finish(turn.caller)
      if (this.#queue.size > 0) await pause(Math.min(maxPauseMs, performance.now() - started))
    }
    this.#isRunning = false
  }
}
