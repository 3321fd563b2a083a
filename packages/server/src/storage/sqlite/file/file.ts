import { accessSync, closeSync, constants, openSync, readSync, renameSync, rmSync, type Stats, statSync } from 'node:fs'
import { messageOf } from '../../../common/error-code.ts'
import { Refusal } from '../../../common/refusal.ts'
import { rowsOf } from '../../connection.ts'
import { openDatabase, type SqliteConnection } from '../database.ts'
import { Damaged } from './damage.ts'
import { keepPrivate } from './private-file.ts'

/** Refuses a file that is not a database made by Mainline, before SQLite opens it. Returns false if there is no file. */
export function checkFile(path: string, mode: 'read' | 'write'): boolean {
  const found = statOf(path)
  if (!found) return false
  if (!found.isFile()) throw new Refusal(`${path} is not a regular file, but the database must be one. Move it away.`)
  try {
    accessSync(path, mode === 'read' ? constants.R_OK : constants.R_OK | constants.W_OK)
  } catch {
    const may = mode === 'read' ? 'read' : 'read and write'
    throw new Refusal(`This user may not ${may} ${path}. Run as the user who owns it, or change its owner with chown.`)
  }
  // Mainline never leaves an empty file: a new database is renamed once it has a header. SQLite would create a new database in it.
  if (found.size === 0) throw new Damaged(path, 'it is empty (to begin anew, remove it)')
  refuseGarbageLog(path)
  return true
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw new Refusal(`${path} cannot be read: ${messageOf(error)}.`)
  }
}

/** 0x377f0682 or 0x377f0683; zeros if the file system lost the first write, before anything was committed. */
const logBeginnings = ['377f0682', '377f0683', '00000000']

/** SQLite silently ignores a write-ahead log that it cannot read, and with it the newest commits. */
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

/** Creates a database under a temporary name and renames it once it has a header, so that an empty file is never ours. */
export function createFile(path: string): void {
  const making = `${path}.making`
  rmSync(making, { force: true })
  keepPrivate(making)
  openDatabase(making, 'write').close()
  renameSync(making, path)
}

/** Refuses a database of another program, to which our tables would be added. */
export function refuseForeignTables(connection: SqliteConnection, path: string): void {
  const { rows } = connection.query(
    `SELECT (SELECT group_concat(name, ', ') FROM (SELECT name FROM sqlite_schema WHERE type = 'table' LIMIT 5)) AS tables,
      (SELECT count(*) FROM pragma_table_info('migration') WHERE name IN ('number', 'checksum')) AS ours`,
    [],
  )
  const [found] = rowsOf<{ tables: string | null; ours: number }>(rows)
  if (!found?.tables || found.ours === 2) return
  throw new Refusal(
    `${path} is a database of another program: it contains ${found.tables}. Choose another directory with --data-dir.`,
  )
}
