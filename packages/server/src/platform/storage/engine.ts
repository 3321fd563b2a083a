import type { Cache } from './cache.ts'
import type { Connection } from './connection.ts'
import type { Dialect } from './dialect.ts'

/** Models, counts, pages and trees that were just asked for: bytes. */
export const maxCacheBytes = 32_000_000

export interface TransactOptions {
  /** Touches many rows: must not hold the event loop. */
  bulk?: boolean
  /** Somebody waits for it who can be told to come back when its turn has not come in time. */
  sheds?: boolean
  /** How long a lock is waited for. `brief`: the caller begins anew after `LockTimeout`; in full by default. */
  lockWait?: 'brief' | 'full'
  /** Asked when a commit was cut off and nobody knows whether it has happened. By repeating, unless told otherwise. */
  resolve?: Resolve
}

/** How the outcome of a cut-off commit is found: by what it left in the log, by doing it again, or not at all. */
export type Resolve = () => 'by its record' | 'by repeating' | 'not'

/** How busy an engine is at this moment. */
export interface EngineLoad {
  readonly pools: Readonly<Record<string, { readonly inUse: number; readonly idle: number }>>
  /** How many wait, by what for. */
  readonly queues: Readonly<Record<string, number>>
}

/** What each of the two engines does in its own way. */
export interface Engine {
  readonly dialect: Dialect
  readonly cache: Cache
  /** How long a change may wait for its turn, in milliseconds. */
  readonly queueTime: number
  /**
   * How often anything has been committed, where nobody else can commit: what was read at the same count still holds.
   * Undefined where other processes write, too.
   */
  readonly generation?: () => number
  /** Reads bounded by a page or a key. */
  readonly reads: Connection
  /** Reads that may scan. */
  readonly heavyReads: Connection
  /**
   * Runs the work in one durable transaction. It may run again after a serialisation failure or deadlock,
   * so the work must leave nothing behind but what it wrote through the connection.
   */
  transact<T>(txnId: string, work: (connection: Connection) => Promise<T>, options?: TransactOptions): Promise<T>
  /** Statements outside any rule of ours: migrations. */
  script(sql: string): Promise<void>
  /** Refuses a database on which the promises of the log do not hold; asked once its schema is up to date. */
  expectSound?(): Promise<void>
  /** Rejects while the storage does not answer. */
  ping(): Promise<void>
  load(): EngineLoad
  /** What the database takes on disk. */
  sizeBytes(): Promise<number>
  /** When the last backup was finished, in milliseconds since 1970. */
  lastBackup(): Promise<number | undefined>
  /** Room left on the disk of embedded storage. */
  freeBytes?(): Promise<number>
  close(): Promise<void>
}
