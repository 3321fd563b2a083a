import { readdirSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Refusal } from '../../refusal.ts'
import { uniqueId } from '../../unique-id.ts'
import type { Connection } from '../connection.ts'
import type { EngineParts } from '../handles.ts'
import { embeddedParts, openEngine, type StorageConfig } from '../index.ts'
import { readAddress } from '../postgres/address.ts'
import { openSqlite } from '../sqlite/connection.ts'
import { loadSqlite } from '../sqlite/loading.ts'
import { lockDirectory } from '../sqlite/lock.ts'
import { databaseIn } from '../sqlite/opening.ts'
import { stillOfSqlite } from '../sqlite/still.ts'
import type { Loading } from './loading.ts'
import type { Still } from './still.ts'

/** Where an estate is or is to be. */
export interface Place extends Pick<StorageConfig, 'databaseUrl' | 'dataDir' | 'connections' | 'queueTime'> {
  /** The flag that another place is chosen with, where it is not that of the setting. */
  readonly chosenBy?: '--from' | '--to'
}

/** For people: never with a password. */
export function nameOf({ databaseUrl, dataDir }: Place): string {
  if (!databaseUrl) return dataDir
  return `the database ${readAddress(databaseUrl).label}`
}

/** The store as it is now; others may go on writing. */
export async function stillOf(place: Place): Promise<Still> {
  if (!place.databaseUrl) return stillOfSqlite(place.dataDir, place.chosenBy)
  try {
    const { stillOfPostgres } = await import('../postgres/still.ts')
    return await stillOfPostgres(place.databaseUrl)
  } catch (error) {
    throw new Refusal(`There is no estate of Mainline in ${nameOf(place)}, or it cannot be read: ${reasonOf(error)}.`)
  }
}

const reasonOf = (error: unknown) =>
  error instanceof AggregateError ? (error.errors[0] as Error).message : (error as Error).message

export type Work<T> = (connection: Connection, parts: EngineParts, loading: Loading) => Promise<T>

/** Makes a store where there is none. It is there as a whole or not at all, also when the process is killed. */
export function makeAt<T>(place: Place, work: Work<T>): Promise<T> {
  return place.databaseUrl ? makeInPostgres(place, work) : makeInDirectory(place, work)
}

/** In a file of another name, which becomes the database by being renamed. */
async function makeInDirectory<T>(place: Place, work: Work<T>): Promise<T> {
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
    // Nothing has to be undone or survive a crash here: what is not finished is thrown away.
    connection.script('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; BEGIN')
    const result = await work(connection, embeddedParts(), loadSqlite(connection))
    connection.script('COMMIT; PRAGMA journal_mode = WAL')
    return result
  } finally {
    connection.close()
  }
}

/** Renamed once all of it is on the disk; the new name is on the disk when this returns. */
export async function settleOnDisk(from: string, to: string): Promise<void> {
  await sync(from)
  await rename(from, to)
  await sync(dirname(to))
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  await handle.sync().finally(() => handle.close())
}

async function makeInPostgres<T>(place: Place, work: Work<T>): Promise<T> {
  const engine = await openEngine(place)
  const { loadPostgres } = await import('../postgres/loading.ts')
  try {
    return await engine.transact(uniqueId(), async (connection) => {
      await connection.script('SET LOCAL idle_in_transaction_session_timeout = 0')
      const { rows } = await connection.query("SELECT to_regclass('migration') IS NOT NULL AS there", [])
      const steps = (rows as { there: boolean }[])[0]?.there
        ? (await connection.query('SELECT number FROM migration', [])).rows
        : []
      refuseTaken(place, steps.length > 0)
      return work(connection, engine, loadPostgres(connection))
    })
  } finally {
    await engine.close()
  }
}

function refuseTaken(place: Place, isTaken: boolean): void {
  if (!isTaken) return
  const other = place.databaseUrl
    ? `Create an empty database and name it with ${place.chosenBy ?? '--database-url'}`
    : `Name another directory with ${place.chosenBy ?? '--data-dir'}`
  throw new Refusal(`There is an estate already in ${nameOf(place)}, and it is not written over. ${other}.`)
}
