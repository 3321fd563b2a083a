import { problem, rule } from '@mainline/contract'
import pg from 'pg'
import { type OutageReason, StorageOutage } from '../availability/outage.ts'
import { LockTimeout } from '../change/lock-timeout.ts'
import type { Connection } from '../connection.ts'
import { Violation } from '../violation.ts'

/** Prepared statements per connection; further ones are sent unprepared. */
const maxNamedStatements = 500
const names = new Map<string, string>()
let generation = 0

export function statementName(sql: string): string | undefined {
  const known = names.get(sql)
  if (known !== undefined || names.size >= maxNamedStatements) return known
  const name = `m${generation}_${names.size}`
  names.set(sql, name)
  return name
}

/**
 * PostgreSQL refuses a prepared `SELECT *` once a migration of a newer release has added a column ("cached plan must not change result
 * type"). Prepared under another name it works.
 */
export const isOutdatedStatement = (error: unknown): boolean =>
  codeOf(error) === '0A000' && error instanceof Error && error.message.startsWith('cached plan')

/** After such a failure all statements are prepared under other names, on all connections. */
export function noteOutdated(error: unknown, sql: string, name: string | undefined): void {
  if (!isOutdatedStatement(error) || name !== statementName(sql)) return
  names.clear()
  generation++
}

/** Parsed as on SQLite: integers are numbers, JSON is text. */
const oids = { int8: 20, json: 114, jsonb: 3802 }
export const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === oids.int8) return Number
    if (oid === oids.json || oid === oids.jsonb) return (text: string) => text
    return pg.types.getTypeParser(oid, format as 'text')
  },
}

/**
 * Time limit of an answer, longer than any lock timeout. Without it, a connection whose peer vanished, as after a failover, would only
 * fail with TCP's own timeout, a quarter of an hour later.
 */
export const answerTimeoutMs = 15_000

export const queryConfig = (text: string, values: unknown[] = [], query_timeout = answerTimeoutMs) => ({
  text,
  values,
  query_timeout,
})

/** A pool, or one of its connections. */
export interface Queryable {
  query(config: pg.QueryConfig, abandoned?: AbortSignal): Promise<pg.QueryResult>
}

interface QueryOptions {
  readonly timeoutMs?: number
  /** Whether named prepared statements work; not behind a pooler in transaction mode. */
  readonly mayPrepare: () => boolean
}

export function over(queryable: Queryable, { timeoutMs = answerTimeoutMs, mayPrepare }: QueryOptions): Connection {
  return {
    async query(sql, parameters, abandoned) {
      const name = mayPrepare() ? statementName(sql) : undefined
      try {
        const config = { ...queryConfig(sql, [...parameters], timeoutMs), ...(name && { name }) }
        const done = await queryable.query(config, abandoned)
        return { rows: done.rows, affected: done.rowCount ?? 0 }
      } catch (error) {
        noteOutdated(error, sql, name)
        throw postgresError(error)
      }
    },
    script: async (sql) => void (await queryable.query({ text: sql })),
  }
}

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

export function postgresError(error: unknown): unknown {
  const violates = error instanceof pg.DatabaseError ? error.constraint : undefined
  if (codeOf(error) === '23505') return new Violation('unique', violates, error)
  if (codeOf(error) === '23503') return new Violation('foreign', violates, error)
  if (codeOf(error) === '55P03') return new LockTimeout(error)
  return error
}

/** Whether the server is unreachable or shutting down, as opposed to refusing this statement. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error)
  // 25P03: the server terminated an idle transaction.
  if (/^(08|57P0|25P03)/.test(code)) return true
  if (/^E[A-Z]+$/.test(code)) return true
  return error instanceof Error && lostInWords.test(error.message)
}

const lostInWords =
  /^Connection terminated|^Query read timeout$|is not queryable$|^timeout exceeded when trying to connect$/

/** Temporary refusals: a standby, too many connections, lock or statement timeouts, serialisation failures. */
const notNow = /^(25006|40001$|40P01$|53|55P03$|57014$)/
/** Time limits of locks, statements or transaction retries. */
const tooLong = /^(40001|40P01|55P03|57014)$/

/** Maps temporary refusals to a problem with Retry-After; returns other errors unchanged. */
export function unavailable(error: unknown): unknown {
  const code = codeOf(error)
  if (!isConnectionLost(error) && !notNow.test(code)) return error
  if (tooLong.test(code)) return Object.assign(problem('notReady', { rule: rule('waitedTooLong') }), { cause: error })
  return new StorageOutage(outageReasons[code] ?? 'unreachable', error)
}

const outageReasons: Record<string, OutageReason> = { '53100': 'diskFull', '25006': 'readOnly' }

/** Whether the connection must be discarded: broken, or to a read-only database. */
export const isSpent = (error: unknown): boolean => isConnectionLost(error) || codeOf(error) === '25006'
