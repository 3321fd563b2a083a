import type { Snapshot, Unshown } from './change/change-record.ts'

/** The attributes of an instance or of a host, by their ids. */
type Attributes = Record<string, unknown>

interface StoredRow {
  readonly attributes: string
}

const parsedRows = new WeakMap<StoredRow, Attributes>()

/** The attributes of a row: parsed only here, on first use, and once per row. Read-only. */
export function attributesIn(row: StoredRow): Readonly<Attributes> {
  const known = parsedRows.get(row)
  if (known) return known
  const parsed: Attributes = JSON.parse(row.attributes)
  parsedRows.set(row, parsed)
  return parsed
}

/** The value of a column that is known only when the program runs. */
export const inColumn = (row: object, column: string): unknown => Reflect.get(row, column)

/** A stored row and the snapshot that a record has of it. */
type Recorded = readonly [row: StoredRow, shown: Snapshot]

/**
 * Attribute values that the model does not show: left from a deleted attribute, or of another type than one that has its name now. A later
 * attribute may show them again.
 */
export function unshownValues(before: Recorded | null, after: Recorded | null): Unshown {
  const [was, is] = [before && hiddenIn(...before), after && hiddenIn(...after)]
  return { ...(was && { before: was }), ...(is && { after: is }) }
}

function hiddenIn(row: StoredRow, shown: Snapshot): Snapshot | undefined {
  const hidden = Object.entries(attributesIn(row)).filter(([id, value]) => shown[id] !== value)
  return hidden.length === 0 ? undefined : Object.fromEntries(hidden)
}
