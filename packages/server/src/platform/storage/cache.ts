type Stamp = string | number

interface Kept {
  readonly stamp: Stamp
  readonly value: unknown
  readonly size: number
}

/** What an entry takes that does not tell its weight in bytes: a count, a small model. */
const smallWeight = 1_000

const weightOf = (value: unknown): number =>
  typeof value === 'string' ? value.length : ((value as { weight?: number } | null)?.weight ?? smallWeight)

/**
 * What a process remembers between requests, bounded in bytes. Nothing in it is believed without a stamp read from the
 * database in this request, so any number of processes can remember the same thing.
 */
export class Cache {
  readonly #kept = new Map<string, Kept>()
  readonly #most: number
  #size = 0

  constructor(mostBytes: number) {
    this.#most = mostBytes
  }

  get<T>(key: string, stamp: Stamp): T | undefined {
    const found = this.#kept.get(key)
    if (found?.stamp !== stamp) return undefined
    // Moved to the end: what is used stays.
    this.#kept.delete(key)
    this.#kept.set(key, found)
    return found.value as T
  }

  set(key: string, stamp: Stamp, value: unknown): void {
    this.#forget(key)
    const size = key.length + weightOf(value)
    // It would push out all the rest, and itself.
    if (size > this.#most) return
    this.#kept.set(key, { stamp, value, size })
    this.#size += size
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= this.#most) return
      this.#forget(oldest)
    }
  }

  #forget(key: string): void {
    this.#size -= this.#kept.get(key)?.size ?? 0
    this.#kept.delete(key)
  }
}
