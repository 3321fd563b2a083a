/** Rows in one statement: neither engine takes any number of bound values. */
const rowsAtOnce = 1_000

/** A long list in parts that fit into a statement. */
export function* inParts<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let first = 0; first < rows.length; first += rowsAtOnce) yield rows.slice(first, first + rowsAtOnce)
}
