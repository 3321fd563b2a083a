import { currentCaller } from '../common/caller.ts'
import { sharedOrAnew } from '../common/concurrency/shared-work.ts'
import { first } from '../common/present.ts'

/**
 * The version under which a cached value is valid: one that the request has read from committed rows, or the commit count of the only
 * process that writes.
 */
type Stamp = string | number

interface CacheEntry {
  readonly stamp: Stamp
  readonly value: unknown
  readonly bytes: number
  /** For whom it was loaded; '' for background work. */
  readonly caller: string
}

/** Assumed size of values without a `weight`: a count, a small model. */
const smallBytes = 1_000

const approximateBytes = (value: unknown): number =>
  typeof value === 'string' ? value.length : ((value as { weight?: number } | null)?.weight ?? smallBytes)

/** The cache of a reader that sees only committed rows. Only this file uses it, and transactions have none. */
export const cacheOf: unique symbol = Symbol('cache')

/** What a caller may hold of a full cache before its own entries are evicted first. Heavier values are kept apart, if there is room for them. */
const share = 1 / 4

/**
 * LRU cache of a process, bounded in bytes. Used only through `cached`. When it is full, a caller that keeps adding entries evicts
 * its own, not those of other callers.
 */
export class Cache {
  readonly #entries = new Map<string, CacheEntry>()
  readonly #loading = new Map<string, Promise<unknown>>()
  readonly #maxBytes: number
  /** The keys of each caller, the least recently used first, and how many bytes they take. */
  readonly #callers = new Map<string, { readonly keys: Set<string>; bytes: number }>()
  /** For values that take more than a caller's share: they must not evict all others, nor each other by and by. */
  readonly #large: Cache | undefined
  #bytes = 0
  /** Counts how often the cache was cleared. */
  #era = 0

  constructor(maxBytes: number, maxLargeBytes = 0) {
    this.#maxBytes = maxBytes
    this.#large = maxLargeBytes > 0 ? new Cache(maxLargeBytes) : undefined
  }

  get(key: string, stamp: Stamp): unknown {
    const found = this.#entries.get(key)
    if (!found) return this.#large?.get(key, stamp)
    if (found.stamp !== stamp) return undefined
    // Maps keep insertion order: reinserting marks the entry as most recently used.
    this.#entries.delete(key)
    this.#entries.set(key, found)
    const keys = this.#callers.get(found.caller)?.keys
    keys?.delete(key)
    keys?.add(key)
    return found.value
  }

  /** The cached value, whatever its stamp. */
  latest(key: string): unknown {
    return this.#entries.get(key)?.value ?? this.#large?.latest(key)
  }

  set(key: string, stamp: Stamp, value: unknown): void {
    this.#drop(key)
    if (this.#large) this.#large.#drop(key)
    const bytes = key.length + approximateBytes(value)
    if (this.#large && bytes > this.#maxBytes * share) {
      this.#large.set(key, stamp, value)
      return
    }
    // It would evict all other entries, and then itself.
    if (bytes > this.#maxBytes) return
    const caller = currentCaller()
    this.#entries.set(key, { stamp, value, bytes, caller })
    const held = this.#callers.get(caller) ?? { keys: new Set(), bytes: 0 }
    this.#callers.set(caller, held)
    held.keys.add(key)
    held.bytes += bytes
    this.#bytes += bytes
    while (this.#bytes > this.#maxBytes) this.#drop(this.#victim(held))
  }

  /** The newest entry is never the first of several. */
  #victim({ keys, bytes }: { readonly keys: Set<string>; readonly bytes: number }): string {
    const candidates = bytes > this.#maxBytes * share && keys.size > 1 ? keys : this.#entries
    return first([...candidates.keys().take(1)])
  }

  /** Concurrent requests for the same key and stamp share one load. */
  load<T>(key: string, stamp: Stamp, load: Load<T>): Promise<T> {
    const job = `${stamp}\n${key}`
    const underway = this.#loading.get(job) as Promise<T> | undefined
    if (underway) return sharedOrAnew(underway, () => this.load(key, stamp, load))
    const loading = this.#fill(key, stamp, load).finally(() => this.#loading.delete(job))
    this.#loading.set(job, loading)
    return loading
  }

  async #fill<T>(key: string, stamp: Stamp, load: Load<T>): Promise<T> {
    let readAt = stamp
    const era = this.#era
    const value = await load((actual) => {
      readAt = actual
    })
    // Cleared after a reset of the history: the value may belong to the lost one.
    if (value !== undefined && era === this.#era) this.set(key, readAt, value)
    return value
  }

  clear(): void {
    this.#era++
    this.#large?.clear()
    this.#entries.clear()
    this.#loading.clear()
    this.#callers.clear()
    this.#bytes = 0
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#entries.delete(key)
    this.#bytes -= entry.bytes
    const held = this.#callers.get(entry.caller)
    if (!held) return
    held.keys.delete(key)
    held.bytes -= entry.bytes
    if (held.keys.size === 0) this.#callers.delete(entry.caller)
  }
}

/** Reads the value from committed rows. It calls `readAt` if the rows had another stamp than the requested one. */
export type Load<T> = (readAt: (stamp: Stamp) => void) => Promise<T>

/** Only readers outside of transactions have one. */
interface HasCache {
  readonly [cacheOf]: Cache
}

/**
 * The value cached under the stamp, or else loaded. Without a stamp the validity of a cached value is unknown, so it is loaded every
 * time. `undefined` is not cached.
 *
 * By type only for readers outside of transactions: a transaction sees rows that may be rolled back, and must see its own writes.
 */
export function cached<T>(reader: HasCache, key: string, stamp: Stamp | undefined, load: Load<T>): T | Promise<T> {
  if (stamp === undefined) return load(() => {})
  const known = reader[cacheOf].get(key, stamp) as T | undefined
  return known === undefined ? reader[cacheOf].load(key, stamp, load) : known
}

/** The last value cached under the key, current or not, for callers that check its version themselves. */
export const lastCached = (reader: HasCache, key: string): unknown => reader[cacheOf].latest(key)
