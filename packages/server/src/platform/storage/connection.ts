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

/** One way to reach the database: a connection of its own, a pool, or a thread behind a channel. */
export interface Connection {
  query(sql: string, parameters: readonly unknown[]): Rows | Promise<Rows>
  /** Many ask through it, and every question goes to another process: worth a moment's wait for others with the same one. */
  readonly isFar?: boolean
  /** Several statements without parameters or results. */
  script(sql: string): void | Promise<void>
}

/** Queries over a connection. Transactions are begun and ended by the engines, never through this. */
export function kyselyOver(connection: Connection, dialect: Dialect): Kysely<Tables> {
  const single: DatabaseConnection = {
    async executeQuery<R>(compiled: CompiledQuery): Promise<QueryResult<R>> {
      const done = await connection.query(compiled.sql, compiled.parameters)
      return { rows: done.rows as R[], numAffectedRows: BigInt(done.affected) }
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
