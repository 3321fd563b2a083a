import { sql } from 'kysely'

/** A page of 200 texts of this size takes about 20 ms to parse and to serialise. */
const maxSmallBytes = 8_192
/** Bytes of texts that are read and serialised before other requests get a turn. */
const maxSliceBytes = 262_144

export interface Sized {
  readonly bytes: number
}

/** The text of a column, or null where it is large. Neither engine reads a large text for this. */
export const smallText = (column: string) =>
  sql<string | null>`CASE WHEN ${textBytes(column)} <= ${sql.lit(maxSmallBytes)} THEN ${sql.ref(column)} END`

export const textBytes = (column: string) => sql<number>`octet_length(${sql.ref(column)})`

/** Rows that are read together: a few large ones, or very many small ones. */
export function* slicesBySize<Row extends Sized>(rows: Iterable<Row>, maxRows = Infinity): Generator<Row[]> {
  let slice: Row[] = []
  let bytes = 0
  for (const row of rows) {
    if (slice.length > 0 && (bytes + row.bytes > maxSliceBytes || slice.length >= maxRows)) {
      yield slice
      slice = []
      bytes = 0
    }
    slice.push(row)
    bytes += row.bytes
  }
  if (slice.length > 0) yield slice
}
