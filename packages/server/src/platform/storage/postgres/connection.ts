import { problem, rule } from '@mainline/contract'
import pg from 'pg'
import type { Connection } from '../connection.ts'
import { LockTimeout } from '../lock-timeout.ts'
import { type OutageReason, StorageOutage } from '../outage.ts'
import { Violation } from '../violation.ts'

/** Statements prepared once on each connection; further shapes are sent whole. */
const keptStatements = 500
const names = new Map<string, string>()

function nameOf(sql: string): string | undefined {
  const known = names.get(sql)
  if (known !== undefined || names.size >= keptStatements) return known
  const name = `m${names.size}`
  names.set(sql, name)
  return name
}

/** Integers are numbers and JSON is text, as on SQLite. */
const oids = { int8: 20, json: 114, jsonb: 3802 }
export const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === oids.int8) return Number
    if (oid === oids.json || oid === oids.jsonb) return (text: string) => text
    return pg.types.getTypeParser(oid, format as 'text')
  },
}

/**
 * How long an answer may take, in milliseconds: longer than any lock is waited for. A database that is gone without a word,
 * as after a fail-over, would otherwise be waited for until the system gives the connection up, a quarter of an hour later.
 */
const answerTime = 15_000

export const asking = (text: string, values: unknown[] = [], query_timeout = answerTime) => ({
  text,
  values,
  query_timeout,
})

/** A pool or one of its connections. */
export interface Queryable {
  query(config: pg.QueryConfig): Promise<pg.QueryResult>
}

export interface QueryOptions {
  readonly timeoutMs?: number
  /** Whether statements may be prepared by name: not where a pooler gives each transaction another server connection. */
  readonly mayPrepare: () => boolean
}

export function over(queryable: Queryable, { timeoutMs = answerTime, mayPrepare }: QueryOptions): Connection {
  return {
    async query(sql, parameters) {
      const name = mayPrepare() ? nameOf(sql) : undefined
      try {
        const done = await queryable.query({ ...asking(sql, [...parameters], timeoutMs), ...(name && { name }) })
        return { rows: done.rows, affected: done.rowCount ?? 0 }
      } catch (error) {
        throw translated(error)
      }
    },
    script: async (sql) => void (await queryable.query({ text: sql })),
  }
}

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

function translated(error: unknown): unknown {
  const constraint = (error as { constraint?: string }).constraint
  if (codeOf(error) === '23505') return new Violation('unique', constraint, error)
  if (codeOf(error) === '23503') return new Violation('foreign', constraint, error)
  if (codeOf(error) === '55P03') return new LockTimeout(error)
  return error
}

/** The server is away or going away, as opposed to refusing this statement. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error)
  // 25P03: it was cut off for keeping a transaction open too long.
  if (/^(08|57P0|25P03)/.test(code)) return true
  if (/^E[A-Z]+$/.test(code)) return true
  return error instanceof Error && lostInWords.test(error.message)
}

const lostInWords =
  /^Connection terminated|^Query read timeout$|is not queryable$|^timeout exceeded when trying to connect$/

/** It answers and cannot take changes now: a standby, one with too many callers, or one where others hold the locks or win every conflict. */
const notNow = /^(25006|40001$|40P01$|53|55P03$|57014$)/
/** A lock, a statement or the retries of a transaction took longer than they may. */
const tooLong = /^(40001|40P01|55P03|57014)$/

/** Why it cannot be done now, for the caller to come again; anything else is as it was. */
export function unavailable(error: unknown): unknown {
  const code = codeOf(error)
  if (!isConnectionLost(error) && !notNow.test(code)) return error
  if (tooLong.test(code)) return Object.assign(problem('notReady', { rule: rule('waitedTooLong') }), { cause: error })
  return new StorageOutage(outageReasons[code] ?? 'unreachable', error)
}

const outageReasons: Record<string, OutageReason> = { '53100': 'diskFull', '25006': 'readOnly' }

/** Whether the connection is of no more use: broken, or to a database that will not take changes. */
export const isSpent = (error: unknown): boolean => isConnectionLost(error) || codeOf(error) === '25006'
