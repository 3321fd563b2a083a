import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../../common/refusal.ts'
import { type OnDamage, openSqlite } from './connection.ts'
import type { SqliteConnection } from './database.ts'
import { checkedBeforeServingBytes, quickCheck } from './file/check.ts'
import { checkFile, createFile, refuseForeignTables } from './file/file.ts'
import { keepPrivate } from './file/private-file.ts'

/** The database file in a data directory. */
export const databaseIn = (directory: string) => join(directory, 'mainline.db')

/** Read-only, also beside a running server. The file must exist and be a database of Mainline. */
export function openToRead(directory: string, flag = '--data-dir'): { connection: SqliteConnection; path: string } {
  const path = databaseIn(directory)
  if (!checkFile(path, 'read')) {
    throw new Refusal(`There is no estate of Mainline in ${directory}. Choose its directory with ${flag}.`)
  }
  return { connection: openOurs(path, 'read'), path }
}

interface Opened {
  readonly writer: SqliteConnection
  /** Whether every page was checked; large files are checked in the background. */
  readonly isChecked: boolean
}

/** Opens the database for writing, and creates it if missing. Refuses a damaged or foreign file. */
export function openToWrite(path: string, onDamage: OnDamage): Opened {
  if (!checkFile(path, 'write')) createFile(path)
  // Earlier versions created it readable by others.
  for (const each of [path, `${path}-wal`, `${path}-shm`]) if (existsSync(each)) keepPrivate(each)
  const writer = openOurs(path, 'write', onDamage)
  try {
    const isChecked = statSync(path).size <= checkedBeforeServingBytes
    if (isChecked) checkOnce(path)
    return { writer, isChecked }
  } catch (error) {
    writer.close()
    throw error
  }
}

/** On a separate connection, so that the pages do not fill the cache of another one. */
function checkOnce(path: string): void {
  const connection = openSqlite(path, 'read')
  try {
    quickCheck(connection, path)
  } finally {
    connection.close()
  }
}

function openOurs(path: string, mode: 'read' | 'write', onDamage?: OnDamage): SqliteConnection {
  const connection = openSqlite(path, mode, onDamage)
  try {
    refuseForeignTables(connection, path)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}
