import { setImmediate as nextTurn } from 'node:timers/promises'
import { problem, rule } from '@mainline/contract'
import { present } from '../../../common/present.ts'
import type { Safety } from '../file/safety.ts'
import type { Waiting } from './waiting.ts'

/** Interval of rejecting changes that have waited behind a bulk change for too long. */
const sweepPauseMs = 100

/**
 * A turn of the event loop accepts one new connection. With one turn between groups of 10 ms, the last of 64 new connections was accepted after a second;
 * a turn without other work takes 5 µs.
 */
const turnsBetweenGroups = 16

async function severalTurns(): Promise<void> {
  for (let turn = 0; turn < turnsBetweenGroups; turn++) await nextTurn()
}

interface QueueParts {
  readonly safety: Safety
  /** Takes changes from the front of the queue, and runs them. */
  runGroup(queue: Waiting[]): Promise<void>
  runBulk(waiting: Waiting): Promise<void>
}

/** The changes that wait to write: one transaction at a time, of a group of changes or of a bulk change. */
export class ChangeQueue {
  readonly #parts: QueueParts
  readonly #queue: Waiting[] = []
  #draining: Promise<void> | undefined

  constructor(parts: QueueParts) {
    this.#parts = parts
  }

  get length(): number {
    return this.#queue.length
  }

  isRunning(): boolean {
    return this.#draining !== undefined
  }

  add(waiting: Waiting): void {
    this.#queue.push(waiting)
    this.#draining ??= this.#drain()
  }

  /** Resolves when no change is running or waiting. */
  async idle(): Promise<void> {
    await this.#draining
  }

  async #drain(): Promise<void> {
    // One turn of the event loop, so that all requests that have arrived join the first group.
    await nextTurn()
    while (this.#queue.length > 0) {
      const unsafe = this.#parts.safety.problem()
      if (unsafe) {
        for (const { done } of this.#queue.splice(0)) done.reject(unsafe)
        break
      }
      if (this.#queue[0]?.bulk) await this.#runBulk(present(this.#queue.shift()))
      else await this.#parts.runGroup(this.#queue)
      if (this.#queue.length > 0) await severalTurns()
    }
    this.#draining = undefined
  }

  async #runBulk(waiting: Waiting): Promise<void> {
    // Only bulk changes block the queue for long.
    const sweeping = setInterval(() => this.#shedLate(), sweepPauseMs)
    try {
      await this.#parts.runBulk(waiting)
    } finally {
      clearInterval(sweeping)
    }
  }

  /** Rejects changes that have waited too long. Changes that have started are never rejected. */
  #shedLate(): void {
    const now = performance.now()
    const late = this.#queue.filter(({ until }) => until < now)
    for (const waiting of late) {
      this.#queue.splice(this.#queue.indexOf(waiting), 1)
      waiting.done.reject(problem('notReady', { rule: rule('waitedTooLong') }))
    }
  }
}
