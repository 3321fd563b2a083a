// Versions of stored rows: what they are, and which of them are read.
import { type Expression, type SqlBool, sql } from 'kysely'
import type { Reader, Writer } from '../../../storage/index.ts'
import type { Columns } from '../recorded/index.ts'

/** The end of a version that has not ended. */
export const forever = Number.MAX_SAFE_INTEGER
/** The beginning of a version that began before the records that have been read. */
export const unknownStart = 0

/**
 * The row from after the record at `from` up to that at `to`. Beside what records tell, a node has the id of its `parent` and a host the
 * `biz_id` of its placement.
 */
export interface Version {
  readonly key: string
  readonly from: number
  readonly to: number
  readonly row: Columns
}

/** The newest versions, which have not ended, or the oldest ones, of which it is not known when they began. */
export type Edge = 'newest' | 'oldest'

export const edges = {
  newest: { column: 'to_position', value: forever },
  oldest: { column: 'from_position', value: unknownStart },
} as const

/** Which versions are read: those at an edge, those at a position, those that begin or end in a range or last through it, or all. */
export type Which = Edge | 'any' | { readonly at: number } | { readonly touching: readonly [from: number, to: number] }

/** As SQL. */
export function isAmong(which: Which): Expression<SqlBool> {
  if (which === 'any') return sql<SqlBool>`1 = 1`
  if (typeof which === 'object' && 'touching' in which) {
    const [from, to] = which.touching
    return sql<SqlBool>`to_position >= ${from} AND from_position <= ${to}`
  }
  if (typeof which === 'object') return sql<SqlBool>`to_position > ${which.at} AND from_position <= ${which.at}`
  return which === 'newest' ? sql<SqlBool>`to_position = ${forever}` : sql<SqlBool>`from_position = ${unknownStart}`
}

/** How the versions of a kind of rows are kept. */
export interface VersionTable {
  /** The versions of the rows with these keys, or of all rows. */
  read(reader: Reader, account: string, keys: readonly string[] | undefined, which: Which): Promise<Version[]>
  /** The number of rows at a position. */
  count(reader: Reader, account: string, at: number): Promise<number>
  remove(writer: Writer, account: string, keys: readonly string[], edge: Edge): Promise<unknown>
  insert(writer: Writer, account: string, versions: readonly Version[]): Promise<unknown>
}

export const span = ({ from, to }: Version) => ({ from_position: from, to_position: to })
