// Where everything is kept: two engines behind one set of queries, one way to change things, one log of what happened.
import type { ServeConfig } from '../config.ts'
import type { Refusal } from '../refusal.ts'
import { uniqueId } from '../unique-id.ts'
import { Availability } from './availability.ts'
import { Background, type OnFault } from './background.ts'
import { Cache } from './cache.ts'
import { type ChangeFunction, changesOf, type RehearseFunction, rehearsalsOf } from './change.ts'
import type { Connection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { type Engine, maxCacheBytes } from './engine.ts'
import { type CommittedReader, type EngineParts, readerOver, type Writer, writerOver } from './handles.ts'
import { keepLog } from './log/keeper.ts'
import type { Seal } from './log/seals.ts'
import { expectUpToDate, migrate, readMigrations } from './migrate.ts'
import type { ModelSource } from './models-ahead.ts'
import { StorageOutage } from './outage.ts'
import { integrityCheck } from './sqlite/check.ts'
import { openSqliteEngine } from './sqlite/engine.ts'
import { openToRead } from './sqlite/opening.ts'

export { backoffMs } from './background.ts'
export { cached, isCommitted, lastCached } from './cache.ts'
export {
  type Actor,
  type ChangeFunction,
  type Emitted,
  type Happened,
  type Snapshot,
  systemUser,
  type Tx,
} from './change.ts'
export { bounding, type Dialect, type IdKind } from './dialect.ts'
export type { CommittedReader, Reader, Writer } from './handles.ts'
export { insertMany } from './insert-many.ts'
export { recordBackup } from './last-backup.ts'
export type { LogRecord } from './log/seals.ts'
export { describeFault, type Verdict, verifyLog, verifyStep } from './log/verify.ts'
export { measureStorage } from './metrics.ts'
export type { AccountModel, ModelSource } from './models-ahead.ts'
export { StorageOutage } from './outage.ts'
export { prepared, preparedChange, preparedShared } from './prepared.ts'
export type { Tables } from './tables.ts'
export { refuse } from './violation.ts'
export { waitingIn } from './waiting.ts'

export interface Storage {
  /** For reads bounded by a page or a key. */
  readonly read: CommittedReader
  /** For reads that may scan: they never hold the event loop. */
  readonly heavy: CommittedReader
  readonly change: ChangeFunction
  /** Changes that are tried out and taken back, to tell what they would come to. */
  readonly rehearse: RehearseFunction
  /** Writes that are nobody's change and leave no record, such as how far a subscription has got. May run again, like a change. */
  upkeep<T>(work: (writer: Writer) => Promise<T>): Promise<T>
  readonly engine: Engine
  readonly background: Background
  /** The outage that is going on. */
  outage(): StorageOutage | undefined
  /** Rejects with the outage while nothing can be read, or stored. */
  expectReady(): Promise<void>
  /** Tells this database from any other: what was cached from one is not valid for another. */
  readonly epoch: string
  close(): Promise<void>
}

export interface StorageEvents {
  onMigrated(names: string[]): void
  onSeal(seal: Seal): void
  readonly onFault: OnFault
  onOutage(outage: StorageOutage): void
  onRecovery(outageMs: number): void
  /** Changes are refused from now on, until a restart. */
  onUnsafe(why: Refusal): void
}

export type StorageConfig = Pick<
  ServeConfig,
  'databaseUrl' | 'dataDir' | 'connections' | 'retentionDays' | 'migrate' | 'queueTime'
>

/** Only the engine that is used is loaded. */
export async function openEngine(
  config: Pick<StorageConfig, 'databaseUrl' | 'dataDir' | 'connections' | 'queueTime'>,
  onUnsafe?: StorageEvents['onUnsafe'],
): Promise<Engine> {
  if (!config.databaseUrl) return openSqliteEngine(config.dataDir, config.queueTime, onUnsafe)
  const { openPostgresEngine } = await import('./postgres/engine.ts')
  return openPostgresEngine({ url: config.databaseUrl, connections: config.connections, queueTime: config.queueTime })
}

/** What handles over a connection to embedded storage are made of, where no engine looks after it. */
export const embeddedParts = (): EngineParts => ({ dialect: sqliteDialect, cache: new Cache(maxCacheBytes) })

export interface OpenForReading {
  readonly reader: CommittedReader
  /** Refuses a damaged file of the embedded storage; PostgreSQL looks after its own. */
  checkFile(): void
  close(): Promise<void>
}

/** Only to look, also beside a running server: takes no lock and changes nothing. */
export async function openForReading(config: StorageConfig): Promise<OpenForReading> {
  if (config.databaseUrl) {
    const engine = await openEngine(config)
    return { reader: readerOver(engine.heavyReads, engine), checkFile() {}, close: () => engine.close() }
  }
  const { connection, path } = openToRead(config.dataDir)
  return {
    reader: readerOver(connection, embeddedParts()),
    checkFile: () => integrityCheck(connection, path),
    close: async () => connection.close(),
  }
}

/** Opens the storage, brings its schema up to date and starts looking after the log. */
export async function openStorage(config: StorageConfig, events: StorageEvents, models: ModelSource): Promise<Storage> {
  const opened = await openEngine(config, events.onUnsafe)
  const availability = new Availability(() => probe(opened), events)
  const background = new Background(availability, events.onFault)
  const engine = reporting(opened, availability)
  const migrations = readMigrations()
  try {
    if (!config.migrate) await expectUpToDate(engine, migrations)
    // Before and after: a standby cannot be migrated, and the sequence exists only once the schema does.
    await engine.expectSound?.()
    const applied = await migrate(engine, migrations)
    if (applied.length > 0) await engine.expectSound?.()
    if (applied.length > 0) events.onMigrated(applied)
  } catch (error) {
    await engine.close()
    throw error
  }
  const reader = readerOver(engine.reads, engine)
  const born = await reader.selectFrom('migration').select('applied_at').orderBy('number').limit(1).executeTakeFirst()
  const keeper = keepLog(engine, { onSeal: events.onSeal, background, retentionDays: config.retentionDays })
  return {
    engine,
    background,
    outage: () => availability.outage,
    async expectReady() {
      if (availability.outage) throw availability.outage
      await engine.ping().catch((error) => {
        availability.report(error)
        throw error
      })
      if (await isFull(engine)) await availability.verify()
    },
    epoch: (born?.applied_at ?? 0).toString(36),
    read: reader,
    heavy: readerOver(engine.heavyReads, engine),
    upkeep: (work) => engine.transact(uniqueId(), (connection) => work(writerOver(connection, engine))),
    change: changesOf(engine, migrations.at(-1)?.number ?? 0, models),
    rehearse: rehearsalsOf(engine, migrations.at(-1)?.number ?? 0),
    async close() {
      await keeper.stop()
      await availability.close()
      await engine.close()
    },
  }
}

/** With less room than this the disk is full: one row may still fit where a whole change does not. */
const minFreeBytes = 1_000_000

const isFull = async (engine: Engine) => ((await engine.freeBytes?.()) ?? Number.POSITIVE_INFINITY) < minFreeBytes

/** Writes without changing anything, which is what an outage prevents. */
async function probe(engine: Engine): Promise<void> {
  if (await isFull(engine)) throw new StorageOutage('diskFull', new Error(`less than ${minFreeBytes} bytes are free`))
  await engine.transact(uniqueId(), async (connection: Connection) => {
    await connection.query(`UPDATE lease SET holder = holder WHERE name = 'log'`, [])
  })
}

/** Every write that fails says something about the storage. */
const reporting = (engine: Engine, availability: Availability): Engine => ({
  ...engine,
  transact: (txnId, work, options) =>
    engine.transact(txnId, work, options).catch((error) => {
      availability.report(error)
      throw error
    }),
})
