import type { Cache } from './cache.ts'
import type { Connection } from './connection.ts'
import type { Dialect } from './dialect.ts'
import type { Whereabouts } from './history/place.ts'
import type { IdsAhead } from './ids.ts'

export const maxCacheBytes = 32_000_000
/** For values above a quarter of that: of estates with hundreds of thousands of hosts. */
export const maxLargeCacheBytes = 96_000_000

export interface TransactOptions {
  /** Changes many rows, so it must not run on the event loop. */
  bulk?: boolean
  /** A client waits for it and can retry: the change is rejected if its turn does not come within the queue time. */
  sheds?: boolean
  /** How long to wait for a lock; `full` by default. With `brief` the caller must retry after a `LockTimeout`. */
  lockWait?: 'brief' | 'full'
  /**
   * Resolves once the statements that the work has not waited for are answered: awaited together with the commit, so that they take no
   * round trip of their own. Rejects with the failure of one of them.
   */
  answered?: () => Promise<unknown>
  /**
   * PostgreSQL's number of the transaction, if known. Without it, such statements are awaited before the commit is sent: if the connection
   * is lost, they may be executed only after the log has been searched for the record.
   */
  transactionId?: () => string | undefined
  /** How to resolve a commit with an unknown outcome, after a lost connection; by repeating by default. */
  resolve?: Resolve
}

/** The outcome of a lost commit is found by its log record, by repeating the work, or not at all. */
export type Resolve = () => 'by its record' | 'by repeating' | 'not'

/** The current load of an engine. */
interface EngineLoad {
  readonly pools: Readonly<Record<string, { readonly inUse: number; readonly idle: number }>>
  /** Queue lengths by name. */
  readonly queues: Readonly<Record<string, number>>
}

/** A storage engine: SQLite or PostgreSQL. */
export interface Engine {
  readonly dialect: Dialect
  readonly cache: Cache
  /** How long a change may wait for its turn. */
  readonly queueTimeMs: number
  /** Other processes read and write the same database. */
  readonly isShared: boolean
  readonly idBlocks?: IdsAhead
  /** The number of commits: data read at the same count is current. Undefined in a shared database. */
  generation(): number | undefined
  /** Reads bounded by a page or a key. */
  readonly reads: Connection
  /** Reads that may scan. */
  readonly heavyReads: Connection
  /**
   * Runs the work in one durable transaction. It may run again after a serialisation failure or deadlock,
   * so the work must leave nothing behind but what it wrote through the connection.
   */
  transact<T>(txnId: string, work: (connection: Connection) => Promise<T>, options?: TransactOptions): Promise<T>
  /** Runs the statements of a migration. */
  script(sql: string): Promise<void>
  /** One statement that cannot run in a transaction, without a time limit. Only for engines with concurrent writers. */
  readonly runAlone?: (sql: string) => Promise<void>
  /** Refuses a database whose settings break the guarantees of the log; called once the schema is up to date. */
  expectSound?(): Promise<void>
  readonly whereabouts: Whereabouts
  /** Registers a check that runs on every new connection before its use. Absent for a single process on one file. */
  onConnect?(look: (connection: Connection) => Promise<unknown>): void
  /** Rejects if the storage does not answer. */
  ping(): Promise<void>
  load(): EngineLoad
  /** Size of the database on disk. */
  sizeBytes(): Promise<number>
  /** Time of the last completed backup, in milliseconds since 1970. */
  lastBackup(): Promise<number | undefined>
  /** Starts checks of the stored data that go on while it is served. */
  startChecking?(): void
  /** Free space on the disk of embedded storage. */
  freeBytes?(): Promise<number>
  close(): Promise<void>
}
