import { accessSync, closeSync, constants, openSync, readSync, renameSync, rmSync, type Stats, statSync } from 'node:fs'
import { Refusal } from '../../refusal.ts'
import { Damaged } from './damage.ts'
import { openDatabase, type SqliteConnection } from './database.ts'

/** Refuses, before SQLite opens it, what is not the file of a database that Mainline has made. False when there is no file. */
export function checkFile(path: string, mode: 'read' | 'write'): boolean {
  const found = statOf(path)
  if (!found) return false
  if (!found.isFile()) throw new Refusal(`${path} is not a file, and the database must be one. Move it away.`)
  try {
    accessSync(path, mode === 'read' ? constants.R_OK : constants.R_OK | constants.W_OK)
  } catch {
    const may = mode === 'read' ? 'read' : 'read and write'
    throw new Refusal(`This user may not ${may} ${path}. Run as the user who owns it, or change its owner with chown.`)
  }
  // Never left behind by us: a new database gets its name once it has a header. SQLite would begin a new one in its place.
  if (found.size === 0) throw new Damaged(path, 'it is empty (to begin anew, remove it)')
  refuseGarbageLog(path)
  return true
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw new Refusal(`${path} cannot be read: ${(error as Error).message}.`)
  }
}

/** 0x377f0682 or 0x377f0683; zeros where a file system has lost the first write, with which nothing was committed. */
const logBeginnings = ['377f0682', '377f0683', '00000000']

/** SQLite passes over a write-ahead log that it cannot read, and with it over the newest changes. */
function refuseGarbageLog(path: string): void {
  const log = `${path}-wal`
  if (!statOf(log)?.size) return
  const beginning = Buffer.alloc(4)
  const file = openSync(log, 'r')
  try {
    if (readSync(file, beginning) === 4 && logBeginnings.includes(beginning.toString('hex'))) return
  } finally {
    closeSync(file)
  }
  throw new Damaged(path, `${log}, which holds the newest changes, is no write-ahead log`)
}

/** A new database, under its name once it has a header, so that one of no length is never ours. */
export function createFile(path: string): void {
  const making = `${path}.making`
  rmSync(making, { force: true })
  openDatabase(making, 'write').close()
  renameSync(making, path)
}

/** Refuses a database of another program: we would add our tables to it. */
export function refuseForeignTables(connection: SqliteConnection, path: string): void {
  const { rows } = connection.query(
    `SELECT (SELECT group_concat(name, ', ') FROM (SELECT name FROM sqlite_schema WHERE type = 'table' LIMIT 5)) AS tables,
      (SELECT count(*) FROM pragma_table_info('migration') WHERE name IN ('number', 'checksum')) AS ours`,
    [],
  )
  const [found] = rows as { tables: string | null; ours: number }[]
  if (!found?.tables || found.ours === 2) return
  throw new Refusal(
    `${path} is a database of another program: it holds ${found.tables}. Choose another directory with --data-dir.`,
  )
}
