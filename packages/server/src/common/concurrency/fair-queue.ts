export interface QueueLimits {
  /** Concurrent items of one caller. */
  readonly maxRunningPerCaller: number
  readonly maxWaiting: number
  /** So that one caller cannot fill the whole queue. */
  readonly maxWaitingPerCaller: number
}

/**
 * Round-robin over one queue per caller: a caller with one item waits for at most one item of every other caller. An item queued by several
 * callers is taken once.
 */
export class FairQueue<Item> {
  readonly #limits: QueueLimits
  /** In the order of turns: a served caller moves to the end. */
  readonly #queues = new Map<string, Set<Item>>()
  readonly #running = new Map<string, number>()
  #size = 0

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#size
  }

  *items(): Iterable<Item> {
    for (const queue of this.#queues.values()) yield* queue
  }

  /** Returns false if the queue is full. */
  add(caller: string, item: Item): boolean {
    const queue = this.#queues.get(caller) ?? new Set()
    if (queue.has(item)) return true
    const { maxWaiting, maxWaitingPerCaller } = this.#limits
    if (this.#size >= maxWaiting || queue.size >= maxWaitingPerCaller) return false
    this.#queues.set(caller, queue.add(item))
    this.#size++
    return true
  }

  remove(item: Item): void {
    for (const [caller, queue] of this.#queues) {
      if (queue.delete(item)) this.#size--
      if (queue.size === 0) this.#queues.delete(caller)
    }
  }

  /** The next item; `finish` must be called for its caller when it is done. */
  take(): { readonly caller: string; readonly item: Item } | undefined {
    for (const [caller, queue] of this.#queues) {
      const running = this.#running.get(caller) ?? 0
      const [item] = queue
      if (item === undefined || running >= this.#limits.maxRunningPerCaller) continue
      this.remove(item)
      const rest = this.#queues.get(caller)
      if (rest) {
        this.#queues.delete(caller)
        this.#queues.set(caller, rest)
      }
      this.#running.set(caller, running + 1)
      return { caller, item }
    }
    return undefined
  }

  finish(caller: string): void {
    const running = (this.#running.get(caller) ?? 1) - 1
    if (running === 0) this.#running.delete(caller)
    else this.#running.set(caller, running)
  }
}
