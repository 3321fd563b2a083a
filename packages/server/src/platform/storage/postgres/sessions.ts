import type pg from 'pg'
import { asking } from './connection.ts'

/** What a statement of ours runs under, by the names that PostgreSQL has for it; times in milliseconds. */
export interface SessionSettings {
  readonly lock_timeout: number
  readonly idle_in_transaction_session_timeout: number
  readonly statement_timeout: number
  readonly max_parallel_workers_per_gather?: number
}

/** What is learned from a new connection. */
export interface Session {
  /**
   * A pooler such as PgBouncer is between us and the server. In transaction mode it gives every transaction whichever server
   * connection is free, so nothing that belongs to a session can be used: no SET, no named prepared statement.
   */
  readonly isPooled: boolean
  readonly isReadOnly: boolean
}

/**
 * PostgreSQL names its process when a connection begins, for cancelling. A pooler has to make up a number of its own there,
 * because its clients have no process to themselves.
 */
export async function inspectSession(client: pg.ClientBase): Promise<Session> {
  const { rows } = await client.query<{ pid: number; read_only: string }>(
    asking(`SELECT pg_backend_pid() AS pid, current_setting('transaction_read_only') AS read_only`),
  )
  const [found] = rows
  const announced = 'processID' in client ? client.processID : undefined
  return { isPooled: found?.pid !== announced, isReadOnly: found?.read_only === 'on' }
}

const assignments = (scope: 'SET' | 'SET LOCAL', settings: Partial<SessionSettings>): string[] =>
  Object.entries(settings).map(([name, value]) => `${scope} ${name} = ${value}`)

/** For the lifetime of a connection that is ours alone. */
export const setForSession = (settings: SessionSettings): string => assignments('SET', settings).join('; ')

/** For a transaction on a server connection that others use after it; sent together with its BEGIN. */
export const setForTransaction = (settings: Partial<SessionSettings>): string[] => assignments('SET LOCAL', settings)
