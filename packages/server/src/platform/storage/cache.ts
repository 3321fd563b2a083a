import type { CommittedReader, Reader } from './handles.ts'

/**
 * What a cached value is believed under: a version that the request has read from committed rows, or the number of commits
 * of the one process that writes.
 */
export type Stamp = string | number

interface Entry {
  readonly stamp: Stamp
  readonly value: unknown
  readonly bytes: number
}

/** What an entry is taken to weigh that does not tell its weight in bytes: a count, a small model. */
const smallBytes = 1_000

const bytesOf = (value: unknown): number =>
  typeof value === 'string' ? value.length : ((value as { weight?: number } | null)?.weight ?? smallBytes)

/** Where a reader that sees only committed rows has its cache. Only this file reads it, and no transaction has one. */
export const cacheOf: unique symbol = Symbol('cache')

/**
 * What a process keeps between requests, bounded in bytes: the least recently used entries are dropped first. Reached
 * through `cached` alone.
 */
export class Cache {
  readonly #entries = new Map<string, Entry>()
  readonly #loading = new Map<string, Promise<unknown>>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get(key: string, stamp: Stamp): unknown {
    const found = this.#entries.get(key)
    if (found?.stamp !== stamp) return undefined
    // Moved to the end: what is used stays.
    this.#entries.delete(key)
    this.#entries.set(key, found)
    return found.value
  }

  /** Whatever its stamp. */
  latest(key: string): unknown {
    return this.#entries.get(key)?.value
  }

  set(key: string, stamp: Stamp, value: unknown): void {
    this.#drop(key)
    const bytes = key.length + bytesOf(value)
    // It would push out all the rest, and itself.
    if (bytes > this.#maxBytes) return
    this.#entries.set(key, { stamp, value, bytes })
    this.#bytes += bytes
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) return
      this.#drop(oldest)
    }
  }

  /** Requests that need the same value under the same stamp while it is being loaded share the load. */
  load<T>(key: string, stamp: Stamp, load: Load<T>): Promise<T> {
    const job = `${stamp}\n${key}`
    const underway = this.#loading.get(job) as Promise<T> | undefined
    if (underway) return underway
    const loading = this.#fill(key, stamp, load).finally(() => this.#loading.delete(job))
    this.#loading.set(job, loading)
    return loading
  }

  async #fill<T>(key: string, stamp: Stamp, load: Load<T>): Promise<T> {
    let readAt = stamp
    const value = await load((actual) => {
      readAt = actual
    })
    if (value !== undefined) this.set(key, readAt, value)
    return value
  }

  #drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0
    this.#entries.delete(key)
  }
}

/** Reads the value from committed rows. `readAt` says that they were of another stamp than was asked for. */
export type Load<T> = (readAt: (stamp: Stamp) => void) => Promise<T>

/**
 * The value that is cached under the stamp, or else what `load` reads. Without a stamp nothing tells whether a cached value
 * still holds, so it is loaded every time; what is undefined is not cached.
 *
 * Only for readers outside of transactions, by type: a transaction sees rows that may never be committed, and must not miss
 * those that it has written itself.
 */
export function cached<T>(
  reader: CommittedReader,
  key: string,
  stamp: Stamp | undefined,
  load: Load<T>,
): T | Promise<T> {
  if (stamp === undefined) return load(() => {})
  const known = reader[cacheOf].get(key, stamp) as T | undefined
  return known === undefined ? reader[cacheOf].load(key, stamp, load) : known
}

/** What was cached last under the key, current or not: for callers that compare its version with one they read themselves. */
export const lastCached = (reader: CommittedReader, key: string): unknown => reader[cacheOf].latest(key)

/** False inside a transaction. */
export const isCommitted = (reader: Reader): reader is CommittedReader => cacheOf in reader
