import type { Kysely } from 'kysely'
import type { Cache } from './cache.ts'
import { type Connection, kyselyOver } from './connection.ts'
import type { Dialect } from './dialect.ts'
import type { Engine } from './engine.ts'
import type { Tables } from './tables.ts'

/** May look, may not touch. */
export interface Reader extends Pick<Kysely<Tables>, 'selectFrom' | 'selectNoFrom'> {
  readonly dialect: Dialect
  readonly cache: Cache
  readonly generation: Engine['generation']
}

/** Writes without a record of it: for the platform's own upkeep. */
export interface Writer extends Reader, Pick<Kysely<Tables>, 'insertInto' | 'updateTable' | 'deleteFrom'> {}

/** How a handle reaches the database: for the storage itself, which alone knows the key. */
const reaches: unique symbol = Symbol('connection')

export function connectionOf(handle: Reader): Connection {
  return (handle as Reader & { [reaches]: Connection })[reaches]
}

/** What handles are made of. */
export type EngineParts = Pick<Engine, 'dialect' | 'cache' | 'generation'>

interface Handles {
  readonly kysely: Kysely<Tables>
  readonly reader: Reader
  readonly writer: Writer
}

/** Made once for each connection and engine. */
const made = new WeakMap<Connection, Handles>()

export function handlesOver(connection: Connection, { dialect, cache, generation }: EngineParts): Handles {
  const known = made.get(connection)
  if (known) return known
  const kysely = kyselyOver(connection, dialect)
  const reader = {
    [reaches]: connection,
    dialect,
    cache,
    generation,
    selectFrom: kysely.selectFrom.bind(kysely),
    selectNoFrom: kysely.selectNoFrom.bind(kysely),
  }
  const writer = {
    ...reader,
    insertInto: kysely.insertInto.bind(kysely),
    updateTable: kysely.updateTable.bind(kysely),
    deleteFrom: kysely.deleteFrom.bind(kysely),
  }
  const handles = { kysely, reader, writer }
  made.set(connection, handles)
  return handles
}

export const readerOver = (connection: Connection, engine: EngineParts): Reader =>
  handlesOver(connection, engine).reader

export const writerOver = (connection: Connection, engine: EngineParts): Writer =>
  handlesOver(connection, engine).writer
