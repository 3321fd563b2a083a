import type { Kysely } from 'kysely'
import { type Cache, cacheOf } from './cache.ts'
import { type Connection, kyselyOver } from './connection.ts'
import type { Dialect } from './dialect.ts'
import type { Tables } from './tables.ts'

/** Read-only handle. Inside a transaction it also sees that transaction's uncommitted writes. */
export interface Reader extends Pick<Kysely<Tables>, 'selectFrom' | 'selectNoFrom'> {
  readonly dialect: Dialect
}

/** A reader outside of transactions: it sees committed rows only, so results may be cached for other requests. */
export interface CommittedReader extends Reader {
  readonly [cacheOf]: Cache
  generation(): number | undefined
}

/** False inside a transaction. */
export const isCommitted = (reader: Reader): reader is CommittedReader => cacheOf in reader

/** A handle inside a transaction that writes without a log record, for the storage's own bookkeeping. */
export interface Writer extends Reader, Pick<Kysely<Tables>, 'insertInto' | 'updateTable' | 'deleteFrom'> {}

/** The handle's connection, under a key that only this file has. */
const reaches: unique symbol = Symbol('connection')

export function connectionOf(handle: Reader): Connection {
  return (handle as Reader & { [reaches]: Connection })[reaches]
}

/** The parts of an engine that handles need. */
export interface EngineParts {
  readonly dialect: Dialect
  readonly cache: Cache
  generation(): number | undefined
}

/** Handles are created once per connection. */
const readers = new WeakMap<Connection, CommittedReader>()
const writers = new WeakMap<Connection, Writer>()

export function readerOver(connection: Connection, { dialect, cache, generation }: EngineParts): CommittedReader {
  const known = readers.get(connection)
  if (known) return known
  const kysely = kyselyOver(connection, dialect)
  const reader = {
    [reaches]: connection,
    [cacheOf]: cache,
    dialect,
    generation,
    selectFrom: kysely.selectFrom.bind(kysely),
    selectNoFrom: kysely.selectNoFrom.bind(kysely),
  }
  readers.set(connection, reader)
  return reader
}

/** For a connection with an open transaction. It has no cache. */
export function writerOver(connection: Connection, { dialect }: Pick<EngineParts, 'dialect'>): Writer {
  const known = writers.get(connection)
  if (known) return known
  const kysely = kyselyOver(connection, dialect)
  const writer = {
    [reaches]: connection,
    dialect,
    selectFrom: kysely.selectFrom.bind(kysely),
    selectNoFrom: kysely.selectNoFrom.bind(kysely),
    insertInto: kysely.insertInto.bind(kysely),
    updateTable: kysely.updateTable.bind(kysely),
    deleteFrom: kysely.deleteFrom.bind(kysely),
  }
  writers.set(connection, writer)
  return writer
}
