// The storage: two engines behind one set of queries, one function for changes, one append-only log.
import type { ServeConfig } from '../common/config.ts'
import type { Refusal } from '../common/refusal.ts'
import { uniqueId } from '../common/unique-id.ts'
import { Availability } from './availability/availability.ts'
import { Background, type OnFault } from './availability/background.ts'
import { StorageOutage } from './availability/outage.ts'
import { Cache } from './cache.ts'
import { type ChangeFunction, changesOf } from './change/change.ts'
import type { ModelSource } from './change/models-ahead.ts'
import { type RehearseFunction, rehearsalsOf } from './change/rehearse.ts'
import type { Connection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { type Engine, maxCacheBytes, maxLargeCacheBytes } from './engine.ts'
import { type CommittedReader, type EngineParts, type Reader, readerOver, type Writer, writerOver } from './handles.ts'
import { History, type HistoryEvents } from './history/history.ts'
import { keepLog, type SealingTrouble } from './log/keeper.ts'
import { sealNext } from './log/seals.ts'
import { expectUpToDate, migrate, readMigrations } from './migrations/migrate.ts'
import { openSigner, type Signer } from './seals/signer.ts'
import type { Seal } from './seals/statement.ts'
import { openSealWitness } from './seals/witness.ts'
import { openSqliteEngine } from './sqlite/engine.ts'
import { integrityCheck } from './sqlite/file/check.ts'
import { openToRead } from './sqlite/opening.ts'

export { attributesIn, inColumn, unshownValues } from './attributes.ts'
export { type Background, backoffMs } from './availability/background.ts'
export { StorageOutage } from './availability/outage.ts'
export { cached, lastCached } from './cache.ts'
export { type Actor, type Authorization, systemUser } from './change/actor.ts'
export type { ChangeFunction, Tx } from './change/change.ts'
export type { ChangeRecord, Emitted, Snapshot, Unshown } from './change/change-record.ts'
export { hasStoredResult, IdempotentRequest } from './change/idempotency.ts'
export type { AccountModel, ModelSource } from './change/models-ahead.ts'
export { expectRevision, nextVersion } from './change/revision.ts'
export { waitingIn } from './change/waiting.ts'
export { countOwn } from './count.ts'
export { bounding, type Dialect } from './dialect.ts'
export { type CommittedReader, isCommitted, type Reader, type Writer } from './handles.ts'
export { type Ends, isGone } from './history/ends.ts'
export type { History } from './history/history.ts'
export { emptyHistory, type HistoryMark, recordId } from './history/marks.ts'
export { type Reset, readResets } from './history/reset.ts'
export type { IdKind } from './ids.ts'
export { insertMany } from './insert-many.ts'
export { type Sized, slicesBySize, smallText, textBytes } from './large-texts.ts'
export { recordBackup } from './last-backup.ts'
export { type Moment, presentMoment, readMoment } from './log/moment.ts'
export type { LogRecord } from './log/seals.ts'
export { describeFault, type Verdict, verifyLog, verifyStep } from './log/verify.ts'
export { measureStorage } from './metrics.ts'
export { prepared, preparedChange, preparedShared } from './prepared.ts'
export { receiptFor } from './seals/receipt.ts'
export { type Shadow, shadowed } from './shadowed.ts'
export type { Tables } from './tables.ts'
export { together } from './together.ts'
export { refuse } from './violation.ts'

export interface Storage {
  /** For reads bounded by a page or a key. */
  readonly read: CommittedReader
  /** For reads that may scan; they never block the event loop. */
  readonly heavy: CommittedReader
  /** The rows of a moment of the past: each read costs more, and little is cached. */
  readonly isPast?: true
  readonly change: ChangeFunction
  /** Dry runs: changes are executed and rolled back. */
  readonly rehearse: RehearseFunction
  /** Bookkeeping writes without a log record, such as the cursor of a subscription. May run again, like a change. */
  upkeep<T>(work: (writer: Writer) => Promise<T>, options?: UpkeepOptions): Promise<T>
  readonly engine: Engine
  readonly background: Background
  /** Registers a listener for growth of the log that this process has caused: by a change, or on PostgreSQL by numbering. */
  onGrowth(listener: () => void): void
  /** The current outage, if any. */
  outage(): StorageOutage | undefined
  /** Rejects with the outage while the storage cannot be read or written. */
  expectReady(): Promise<void>
  /** Identifies this database: data cached from another one is not valid for it. */
  readonly epoch: string
  /** Detects that the database has gone back to an earlier state. */
  readonly history: History
  readonly seals: Seals
  close(): Promise<void>
}

export interface UpkeepOptions {
  /** Writes many rows, so it must not run on the event loop. */
  readonly bulk?: boolean
  /** All statements see the rows of one moment. */
  readonly oneMoment?: boolean
  /** What is written can be derived again: PostgreSQL's commit waits for no disk and no standby. */
  readonly isDerived?: boolean
}

/** Sealing of the log by this process. */
interface Seals {
  readonly signer: Signer | undefined
  readonly isWitnessed: boolean
  troubles(): readonly SealingTrouble[]
  /** Seals all records that have a position, however new they are. */
  sealAll(): Promise<void>
}

export interface StorageEvents {
  onMigrated(names: string[]): void
  /** A migration cannot get its locks yet and is being retried. */
  onMigrationWait?(step: string): void
  onSeal(seal: Seal): void
  readonly onFault: OnFault
  onOutage(outage: StorageOutage): void
  onRecovery(outageMs: number): void
  onHistoryReset: HistoryEvents['onHistoryReset']
  onFailOver: HistoryEvents['onFailOver']
  /** Changes are refused from now on until a restart. */
  onUnsafe(why: Refusal): void
}

export type StorageConfig = Pick<
  ServeConfig,
  | 'databaseUrl'
  | 'dataDir'
  | 'connections'
  | 'retentionDays'
  | 'migrate'
  | 'queueTimeMs'
  | 'sealKey'
  | 'sealCommand'
  | 'sealPublicKey'
  | 'sealWitness'
>

/** Imports only the engine in use. */
export async function openEngine(
  config: Pick<StorageConfig, 'databaseUrl' | 'dataDir' | 'connections' | 'queueTimeMs'>,
  onUnsafe?: StorageEvents['onUnsafe'],
): Promise<Engine> {
  if (!config.databaseUrl) return openSqliteEngine(config.dataDir, config.queueTimeMs, onUnsafe)
  const { openPostgresEngine } = await import('./postgres/engine.ts')
  return openPostgresEngine({
    url: config.databaseUrl,
    connections: config.connections,
    queueTimeMs: config.queueTimeMs,
  })
}

/** Handle parts for a connection to embedded storage without an engine. */
export const embeddedParts = (): EngineParts => ({
  dialect: sqliteDialect,
  cache: new Cache(maxCacheBytes, maxLargeCacheBytes),
  generation: () => undefined,
})

interface OpenForReading {
  readonly reader: CommittedReader
  /** Refuses a damaged file of the embedded storage; PostgreSQL checks its own files. */
  checkFile(): void
  /** All statements see the rows of one moment. */
  atOneMoment<T>(work: (reader: Reader) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Read-only, also beside a running server: takes no lock and changes nothing. */
export async function openForReading(config: StorageConfig): Promise<OpenForReading> {
  if (config.databaseUrl) {
    const engine = await openEngine(config)
    return {
      reader: readerOver(engine.heavyReads, engine),
      checkFile() {},
      atOneMoment: (work) =>
        engine.transact(
          uniqueId(),
          async (connection) => {
            await connection.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY', [])
            return work(writerOver(connection, engine))
          },
          { bulk: true },
        ),
      close: () => engine.close(),
    }
  }
  const { connection, path } = openToRead(config.dataDir)
  const reader = readerOver(connection, embeddedParts())
  return {
    reader,
    checkFile: () => integrityCheck(connection, path),
    async atOneMoment(work) {
      connection.script('BEGIN')
      try {
        return await work(reader)
      } finally {
        connection.script('ROLLBACK')
      }
    },
    close: async () => connection.close(),
  }
}

/** Opens the storage, migrates its schema and starts the log keeper; short-lived commands leave sealing to servers. */
export async function openStorage(
  config: StorageConfig,
  events: StorageEvents,
  models: ModelSource,
  { seals = true }: { readonly seals?: boolean } = {},
): Promise<Storage> {
  const signer = openSigner(config)
  const opened = await openEngine(config, events.onUnsafe)
  const availability = new Availability(() => probe(opened), events)
  const background = new Background(availability, events.onFault)
  const history = new History(opened, background, events)
  const engine = reporting(history.guard(opened), availability)
  const migrations = readMigrations()
  try {
    if (!config.migrate) await expectUpToDate(engine, migrations)
    // Checked before and after migrating: a standby cannot be migrated, and the sequence exists only afterwards.
    await engine.expectSound?.()
    const applied = await migrate(engine, migrations, events.onMigrationWait)
    if (applied.length > 0) await engine.expectSound?.()
    if (applied.length > 0) events.onMigrated(applied)
    await history.start()
    engine.startChecking?.()
  } catch (error) {
    await engine.close()
    throw error
  }
  const reader = readerOver(engine.reads, engine)
  const born = await reader.selectFrom('migration').select('applied_at').orderBy('number').limit(1).executeTakeFirst()
  const witness = openSealWitness(config.sealWitness, (segment) =>
    background.failed(
      'comparing seals with the witness',
      new Error(`the database does not have the witnessed seal of segment ${segment}; run 'mainline verify --witness'`),
    ),
  )
  const { retentionDays } = config
  const growth = new Set<() => void>()
  const onNumbered = () => {
    for (const listener of growth) listener()
  }
  const { onSeal } = events
  const keeper = keepLog(engine, { onSeal, onNumbered, background, retentionDays, seals, signer, witness })
  const change = changesOf(engine, migrations.at(-1)?.number ?? 0, models)
  return {
    engine,
    background,
    onGrowth: (listener) => void growth.add(listener),
    outage: () => availability.outage,
    async expectReady() {
      if (availability.outage) throw availability.outage
      await engine.ping().catch((error) => {
        availability.report(error)
        throw error
      })
      if (await isFull(engine)) await availability.verify()
    },
    history,
    seals: {
      signer,
      isWitnessed: witness !== undefined,
      troubles: () => keeper.sealing(),
      async sealAll() {
        while (await sealNext(engine, Date.now(), true, { signer, retentionDays }));
        background.activity.note()
      },
    },
    epoch: (born?.applied_at ?? 0).toString(36),
    read: reader,
    heavy: readerOver(engine.heavyReads, engine),
    upkeep: (work, { bulk = false, oneMoment = false, isDerived = false } = {}) =>
      engine.transact(
        uniqueId(),
        async (connection) => {
          // With a single writer, no other changes come in between.
          if (oneMoment && engine.isShared)
            await connection.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ', [])
          if (isDerived && engine.isShared) await connection.query('SET LOCAL synchronous_commit = off', [])
          return work(writerOver(connection, engine))
        },
        { bulk },
      ),
    change: (actor, work, options) =>
      change(actor, work, options).then((result) => {
        background.activity.note()
        if (engine.dialect.numbersInChange) onNumbered()
        else keeper.committed()
        return result
      }),
    rehearse: rehearsalsOf(engine, migrations.at(-1)?.number ?? 0),
    async close() {
      await keeper.stop()
      await history.stop()
      await availability.close()
      await engine.close()
    },
  }
}

/** With less free space the disk counts as full: the probe's row may still fit where a whole change does not. */
const minFreeBytes = 1_000_000

const isFull = async (engine: Engine) => ((await engine.freeBytes?.()) ?? Number.POSITIVE_INFINITY) < minFreeBytes

/** Checks that writes work, without changing anything. */
async function probe(engine: Engine): Promise<void> {
  if (await isFull(engine)) throw new StorageOutage('diskFull', new Error(`less than ${minFreeBytes} bytes are free`))
  await engine.transact(uniqueId(), async (connection: Connection) => {
    await connection.query(`UPDATE lease SET holder = holder WHERE name = 'log'`, [])
  })
}

/** Reports every failed write to the availability check. */
const reporting = (engine: Engine, availability: Availability): Engine => ({
  ...engine,
  transact: (txnId, work, options) =>
    engine.transact(txnId, work, options).catch((error) => {
      availability.report(error)
      throw error
    }),
})
