import pg from 'pg'
import type { Connection } from '../connection.ts'
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

export function over(queryable: pg.Pool | pg.PoolClient): Connection {
  return {
    async query(sql, parameters) {
      const name = nameOf(sql)
      try {
        const done = await queryable.query({ text: sql, values: parameters as unknown[], ...(name && { name }) })
        return { rows: done.rows, affected: done.rowCount ?? 0 }
      } catch (error) {
        throw translated(error)
      }
    },
    script: async (sql) => void (await queryable.query(sql)),
  }
}

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

function translated(error: unknown): unknown {
  const constraint = (error as { constraint?: string }).constraint
  if (codeOf(error) === '23505') return new Violation('unique', constraint, error)
  if (codeOf(error) === '23503') return new Violation('foreign', constraint, error)
  return error
}

/** The server is away or going away, as opposed to refusing this statement. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error)
  // 25P03: it was cut off for keeping a transaction open too long.
  if (/^(08|57P0|25P03)/.test(code)) return true
  if (/^E[A-Z]+$/.test(code)) return true
  return error instanceof Error && /^Connection terminated|timeout exceeded when trying to connect/.test(error.message)
}

/** A lock, a statement or a connection took longer than it may, or the server has no room for more. */
export const isBusy = (error: unknown): boolean => /^(55P03|57014|53...)$/.test(codeOf(error))
