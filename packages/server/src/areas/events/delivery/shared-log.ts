import { setImmediate as nextTurn } from 'node:timers/promises'
import { present } from '../../../common/present.ts'
import type { Stretch, Tail } from '../feed/index.ts'

/** Ranges of the log that are cached. */
const maxRanges = 8

/**
 * The log as all senders of a process read it: those with the same position and objects share the records, and the events made from
 * them. When the log grows all senders read at the same time, so that one query serves them all.
 */
export class SharedLog {
  readonly #tail: Tail
  readonly #stretches = new Map<string, Promise<Stretch>>()
  #head = 0
  #floor: Promise<number> | undefined

  constructor(tail: Tail) {
    this.#tail = tail
  }

  /** The last known position of the log. */
  get head(): number {
    return this.#head
  }

  read(...range: Parameters<Tail['readOf']>): Promise<Stretch> {
    const key = JSON.stringify(range)
    const known = this.#stretches.get(key)
    if (known) return known
    const stretch = this.#tail.readOf(...range)
    this.#stretches.set(key, stretch)
    stretch.catch(() => this.#stretches.delete(key))
    if (this.#stretches.size > maxRanges) this.#stretches.delete(present(this.#stretches.keys().next().value))
    return stretch
  }

  /** Records below it have been removed by retention. */
  floor(): Promise<number> {
    this.#floor ??= nextTurn().then(() => {
      this.#floor = undefined
      return this.#tail.floor()
    })
    return this.#floor
  }

  /** Resolves when the log has grown beyond the last known position, or after a while. */
  async grown(signal: AbortSignal): Promise<void> {
    this.#head = await this.#tail.changed(this.#head, signal)
  }

  /** The database has gone back: positions now name other records. */
  reset(): void {
    this.#stretches.clear()
    this.#head = 0
  }
}
