import type pg from 'pg'
import { queryConfig } from './connection.ts'

/** Session settings of our statements, by PostgreSQL's names; times in milliseconds. */
export interface SessionSettings {
  readonly lock_timeout: number
  readonly idle_in_transaction_session_timeout: number
  readonly statement_timeout: number
  readonly max_parallel_workers_per_gather?: number
}

/** Properties of a new connection. */
export interface Session {
  /**
   * A pooler such as PgBouncer is between this process and the server. In transaction mode each transaction may use another server
   * connection, so session state cannot be used: no SET, no named prepared statements.
   */
  readonly isPooled: boolean
  readonly isReadOnly: boolean
  /** When the server was started: another server, or the same after a restart, has another one. */
  readonly serverStart: string
}

/**
 * PostgreSQL sends its process id at connection start, for cancellation. A pooler has to invent one, because its clients have no server
 * process of their own; so an id that differs from pg_backend_pid() reveals a pooler.
 */
export async function inspectSession(client: pg.ClientBase): Promise<Session> {
  const { rows } = await client.query<{ pid: number; read_only: string; server_start: string }>(
    queryConfig(
      `SELECT pg_backend_pid() AS pid, current_setting('transaction_read_only') AS read_only, pg_postmaster_start_time()::text AS server_start`,
    ),
  )
  const [found] = rows
  const announced = 'processID' in client ? client.processID : undefined
  return {
    isPooled: found?.pid !== announced,
    isReadOnly: found?.read_only === 'on',
    serverStart: found?.server_start ?? '',
  }
}

const assignments = (scope: 'SET' | 'SET LOCAL', settings: Partial<SessionSettings>): string[] =>
  Object.entries(settings).map(([name, value]) => `${scope} ${name} = ${value}`)

/** For direct connections. */
export const setForSession = (settings: SessionSettings): string => assignments('SET', settings).join('; ')

/** For pooled connections: valid for one transaction, sent together with its BEGIN. */
export const setForTransaction = (settings: Partial<SessionSettings>): string[] => assignments('SET LOCAL', settings)
