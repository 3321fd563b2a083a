import { closeSync, mkdirSync, openSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

const pageSize = 4096

function overwrite(path: string, at: number, bytes: Buffer): void {
  const file = openSync(path, 'r+')
  writeSync(file, bytes, 0, bytes.length, at)
  closeSync(file)
}

const garbage = (length: number) => Buffer.alloc(length, 0xa5)

function overwriteRoot(path: string, name: string, page: Buffer): void {
  const database = new DatabaseSync(path, { readOnly: true })
  const found = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(name)
  database.close()
  if (!found) throw new Error(`there is no ${name} in ${path}`)
  overwrite(path, (Number(found.rootpage) - 1) * pageSize, page)
}

/** Overwrites the first page of a table or index with meaningless bytes. */
export const damagePageOf = (path: string, name: string) => overwriteRoot(path, name, garbage(pageSize))

/** An index without entries: each page is valid, and a search by it finds nothing. Only `verify` detects that. */
export function emptyIndex(path: string, name: string): void {
  const page = Buffer.alloc(pageSize)
  page.writeUInt8(0x0a)
  page.writeUInt16BE(pageSize, 5)
  overwriteRoot(path, name, page)
}

/** Damages of the database file of a stopped server, and the resulting messages. */
export const damages: Record<string, { make(path: string): void; said: RegExp }> = {
  'a header of garbage': {
    make: (path) => overwrite(path, 0, garbage(100)),
    said: /is damaged: file is not a database/,
  },
  'another kind of file': { make: (path) => writeFileSync(path, 'text '.repeat(1000)), said: /not a database/ },
  'half of the file': {
    make: (path) => truncateSync(path, Math.floor(statSync(path).size / 2 / pageSize) * pageSize),
    said: /is damaged: /,
  },
  'a page of a table and of an index': {
    make(path) {
      damagePageOf(path, 'business')
      damagePageOf(path, 'business_living_name')
    },
    said: /is damaged: /,
  },
  'an empty file': { make: (path) => truncateSync(path, 0), said: /is damaged: it is empty/ },
  'a directory': {
    make(path) {
      rmSync(path)
      mkdirSync(path)
    },
    said: /is not a regular file/,
  },
  'a write-ahead log of garbage': {
    make: (path) => writeFileSync(`${path}-wal`, Buffer.alloc(100_000, 7)),
    said: /is damaged: .*mainline\.db-wal, which holds the newest changes/,
  },
  'a database of another program': {
    make(path) {
      rmSync(path)
      const database = new DatabaseSync(path)
      database.exec('CREATE TABLE notes (text)')
      database.close()
    },
    said: /is a database of another program: it contains notes/,
  },
  'a database of another program with migrations': {
    make(path) {
      rmSync(path)
      const database = new DatabaseSync(path)
      database.exec('CREATE TABLE migration (version)')
      database.close()
    },
    said: /is a database of another program/,
  },
}
