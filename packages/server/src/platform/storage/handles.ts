import type { Kysely } from 'kysely'
import { type Cache, cacheOf } from './cache.ts'
import { type Connection, kyselyOver } from './connection.ts'
import type { Dialect } from './dialect.ts'
import type { Engine } from './engine.ts'
import type { Tables } from './tables.ts'

/** May look, may not touch. Inside a transaction it also sees what has been written there and is not committed. */
export interface Reader extends Pick<Kysely<Tables>, 'selectFrom' | 'selectNoFrom'> {
  readonly dialect: Dialect
}

/** Outside of any transaction: all that it reads is committed, and so may be cached for other requests. */
export interface CommittedReader extends Reader {
  readonly [cacheOf]: Cache
  readonly generation: Engine['generation']
}

/** Inside a transaction. Writes without a record of it: for the platform's own upkeep. */
export interface Writer extends Reader, Pick<Kysely<Tables>, 'insertInto' | 'updateTable' | 'deleteFrom'> {}

/** How a handle reaches the database: for the storage itself, which alone knows the key. */
const reaches: unique symbol = Symbol('connection')

export function connectionOf(handle: Reader): Connection {
  return (handle as Reader & { [reaches]: Connection })[reaches]
}

/** What handles are made of. */
export type EngineParts = Pick<Engine, 'dialect' | 'cache' | 'generation'>

/** Made once for each connection. */
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

/** Over a connection on which a transaction has begun. It has no cache. */
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
