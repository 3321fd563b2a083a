import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type Dialect as KyselyDialect,
  type QueryResult,
} from 'kysely'
import type { Dialect } from './dialect.ts'
import type { Tables } from './tables.ts'

export interface Rows {
  rows: unknown[]
  affected: number
}

/** A connection to the database: a single one, a pool, or a thread behind a channel. */
export interface Connection {
  /** Cancelled when the signal is aborted, if the engine supports it: the result is not needed any more. */
  query(sql: string, parameters: readonly unknown[], abandoned?: AbortSignal): Rows | Promise<Rows>
  /** A query is a network round trip, so waiting for the end of the event loop's turn to merge equal queries pays off. */
  readonly isFar?: boolean
  /** Runs several statements without parameters or results. */
  script(sql: string): void | Promise<void>
}

/** The rows of a statement, typed by its author. */
export const rowsOf = <Row>(rows: readonly unknown[]) => rows as Row[]

/** A query builder over a connection. Only the engines begin and end transactions. */
export function kyselyOver(connection: Connection, dialect: Dialect): Kysely<Tables> {
  const single: DatabaseConnection = {
    async executeQuery<R>(compiled: CompiledQuery): Promise<QueryResult<R>> {
      const done = await connection.query(compiled.sql, compiled.parameters)
      return { rows: rowsOf<R>(done.rows), numAffectedRows: BigInt(done.affected) }
    },
    streamQuery() {
      throw new Error('results are not streamed here')
    },
  }
  const notHere = async () => {
    throw new Error('transactions belong to change()')
  }
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => single,
    releaseConnection: async () => {},
    beginTransaction: notHere,
    commitTransaction: notHere,
    rollbackTransaction: notHere,
    destroy: async () => {},
  }
  const kysely: KyselyDialect = {
    createDriver: () => driver,
    createAdapter: dialect.adapter,
    createQueryCompiler: dialect.compiler,
    createIntrospector: () => {
      throw new Error('the schema is known; it is not introspected')
    },
  }
  return new Kysely<Tables>({ dialect: kysely })
}
