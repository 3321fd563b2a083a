// Values of a record as its schema has them; a record that lacks one was not written by this program.
import type { Snapshot } from '../../../storage/index.ts'

const odd = (record: Snapshot, field: string) => new Error(`a record has no usable ${field}: ${JSON.stringify(record)}`)

export function integer(record: Snapshot, field: string): number {
  const value = record[field]
  if (typeof value === 'number') return value
  throw odd(record, field)
}

export function text(record: Snapshot, field: string): string {
  const value = record[field]
  if (typeof value === 'string') return value
  throw odd(record, field)
}

export const flag = (record: Snapshot, field: string): number => (record[field] === true ? 1 : 0)

/** Times are written to the millisecond and with their offset, so that the zone in force then does not matter. */
export function instant(record: Snapshot, field: string): number {
  const time = Date.parse(text(record, field))
  if (Number.isNaN(time)) throw odd(record, field)
  return time
}

/** A record inside of a record. */
export const isRecord = (value: unknown): value is Snapshot =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const records = (record: Snapshot, field: string): Snapshot[] => {
  const value = record[field]
  return Array.isArray(value) ? value.filter(isRecord) : []
}
