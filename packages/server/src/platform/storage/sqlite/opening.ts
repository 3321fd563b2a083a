import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../../refusal.ts'
import { checkedBeforeServingBytes, quickCheck } from './check.ts'
import { type OnDamage, openSqlite } from './connection.ts'
import type { SqliteConnection } from './database.ts'
import { checkFile, createFile, refuseForeignTables } from './file.ts'

/** The database file in a data directory. */
export const databaseIn = (directory: string) => join(directory, 'mainline.db')

/** For a command that only looks, also beside a running server: the file must be there, and be one of ours. */
export function openToRead(directory: string, flag = '--data-dir'): { connection: SqliteConnection; path: string } {
  const path = databaseIn(directory)
  if (!checkFile(path, 'read')) {
    throw new Refusal(`There is no estate of Mainline in ${directory}. Choose its directory with ${flag}.`)
  }
  return { connection: openOurs(path, 'read'), path }
}

export interface Opened {
  readonly writer: SqliteConnection
  /** Whether every page was read; a large file would keep everyone waiting. */
  readonly isChecked: boolean
}

/** Opens the database to change it, created where there is none. Refuses one that is damaged or not ours. */
export function openToWrite(path: string, onDamage: OnDamage): Opened {
  if (!checkFile(path, 'write')) createFile(path)
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

/** By a connection of its own, so that no other keeps all those pages in its cache. */
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
