type Stamp = string | number

interface Kept {
  readonly stamp: Stamp
  readonly value: unknown
  readonly size: number
}

/** What an entry takes that does not know its size: a count, a small model. */
const smallSize = 1_000

const sizeOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length
  const { bytes, weight } = (value ?? {}) as { bytes?: Uint8Array; weight?: number }
  return bytes instanceof Uint8Array ? bytes.length : (weight ?? smallSize)
}

/**
 * What a process remembers between requests, bounded in bytes. Nothing in it is believed without a stamp read from the
 * database in this request, so any number of processes can remember the same thing.
 */
export class Memo {
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
    const size = key.length + sizeOf(value)
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
