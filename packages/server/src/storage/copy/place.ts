import { readdirSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { messageOf } from '../../common/error-code.ts'
import { Refusal } from '../../common/refusal.ts'
import { uniqueId } from '../../common/unique-id.ts'
import type { Connection } from '../connection.ts'
import { rowsOf } from '../connection.ts'
import type { EngineParts } from '../handles.ts'
import { embeddedParts, openEngine, type StorageConfig } from '../index.ts'
import { readAddress } from '../postgres/address.ts'
import { openSqlite } from '../sqlite/connection.ts'
import { lockDirectory } from '../sqlite/file/lock.ts'
import { loadSqlite } from '../sqlite/loading.ts'
import { databaseIn } from '../sqlite/opening.ts'
import { snapshotOfSqlite } from '../sqlite/snapshot.ts'
import { witnessIn } from '../sqlite/whereabouts.ts'
import type { Loading } from './loading.ts'
import type { StoreSnapshot } from './snapshot.ts'

/** The location of a store. */
export interface StoreLocation extends Pick<StorageConfig, 'databaseUrl' | 'dataDir' | 'connections' | 'queueTimeMs'> {
  /** The flag to name in messages, if it is not that of the setting. */
  readonly chosenBy?: '--from' | '--to'
}

/** For messages; never contains a password. */
export function storeName({ databaseUrl, dataDir }: StoreLocation): string {
  if (!databaseUrl) return dataDir
  return `the database ${readAddress(databaseUrl).label}`
}

/** A snapshot of the store; others may continue to write. */
export async function snapshotOf(place: StoreLocation): Promise<StoreSnapshot> {
  if (!place.databaseUrl) return snapshotOfSqlite(place.dataDir, place.chosenBy)
  try {
    const { snapshotOfPostgres } = await import('../postgres/snapshot.ts')
    return await snapshotOfPostgres(place.databaseUrl)
  } catch (error) {
    throw new Refusal(
      `There is no estate of Mainline in ${storeName(place)}, or it cannot be read: ${reasonOf(error)}.`,
    )
  }
}

const reasonOf = (error: unknown) => (error instanceof AggregateError ? messageOf(error.errors[0]) : messageOf(error))

export type Work<T> = (connection: Connection, parts: EngineParts, loading: Loading) => Promise<T>

/** Creates a new store atomically, also if the process is killed. */
export function makeAt<T>(place: StoreLocation, work: Work<T>): Promise<T> {
  return place.databaseUrl ? makeInPostgres(place, work) : makeInDirectory(place, work)
}

/** In a temporary file, which is renamed when it is complete. */
async function makeInDirectory<T>(place: StoreLocation, work: Work<T>): Promise<T> {
  const { dataDir, chosenBy } = place
  const lock = lockDirectory(dataDir, chosenBy)
  const path = databaseIn(dataDir)
  const making = `${path}.making`
  try {
    refuseTaken(
      place,
      readdirSync(dataDir).some((name) => name.startsWith('mainline.db') && !name.includes('.making')),
    )
    await rm(making, { force: true })
    const result = await makeFile(making, work)
    // Knowledge about an earlier database in this directory does not apply to the new one.
    await rm(witnessIn(dataDir), { force: true })
    await settleOnDisk(making, path)
    return result
  } finally {
    await rm(making, { force: true })
    lock.release()
  }
}

async function makeFile<T>(path: string, work: Work<T>): Promise<T> {
  const connection = openSqlite(path, 'write')
  try {
    // No journal: an unfinished file is discarded.
    connection.script('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; BEGIN')
    const result = await work(connection, embeddedParts(), loadSqlite(connection))
    connection.script('COMMIT; PRAGMA journal_mode = WAL')
    return result
  } finally {
    connection.close()
  }
}

/** Syncs the file, renames it, and syncs the directory. */
export async function settleOnDisk(from: string, to: string): Promise<void> {
  await sync(from)
  await rename(from, to)
  await sync(dirname(to))
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  await handle.sync().finally(() => handle.close())
}

async function makeInPostgres<T>(place: StoreLocation, work: Work<T>): Promise<T> {
  const engine = await openEngine(place)
  const { loadPostgres } = await import('../postgres/loading.ts')
  try {
    return await engine.transact(uniqueId(), async (connection) => {
      await connection.script('SET LOCAL idle_in_transaction_session_timeout = 0')
      const { rows } = await connection.query("SELECT to_regclass('migration') IS NOT NULL AS there", [])
      const steps = rowsOf<{ there: boolean }>(rows)[0]?.there
        ? (await connection.query('SELECT number FROM migration', [])).rows
        : []
      refuseTaken(place, steps.length > 0)
      return work(connection, engine, loadPostgres(connection))
    })
  } finally {
    await engine.close()
  }
}

function refuseTaken(place: StoreLocation, isTaken: boolean): void {
  if (!isTaken) return
  const other = place.databaseUrl
    ? `Create an empty database and name it with ${place.chosenBy ?? '--database-url'}`
    : `Name another directory with ${place.chosenBy ?? '--data-dir'}`
  throw new Refusal(`${storeName(place)} already contains an estate, which is not overwritten. ${other}.`)
}
