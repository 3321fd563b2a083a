// What undoing a list of records comes to: a simulation on the rows that are stored now. It changes nothing.
import { type Rule, rule } from '@mainline/contract'
import type { LogRecord } from '../../../storage/index.ts'
import { type Columns, isRecord, type RowChange, type RowKind } from '../recorded/index.ts'

export interface UndoableRecord {
  readonly record: LogRecord & { readonly position: number }
  readonly changes: readonly RowChange[]
}

export interface Conflict {
  /** '' for the row as a whole. */
  readonly field: string
  readonly now: unknown
  /** What the record made of it, and what it was before. */
  readonly setTo: unknown
  readonly before: unknown
  readonly why: Rule
  readonly forcible: boolean
  readonly row: Pick<RowChange, 'kind' | 'key'>
}

export interface Outcome {
  readonly record: UndoableRecord['record']
  readonly outcome: 'undone' | 'already' | 'conflict'
  readonly conflicts: readonly Conflict[]
}

export const rowId = ({ kind, key }: { readonly kind: RowKind; readonly key: string }) => `${kind} ${key}`

/** Rows as they would be. */
export class Rows {
  readonly now: ReadonlyMap<string, Columns>
  readonly #changed = new Map<string, Columns | undefined>()

  constructor(now: ReadonlyMap<string, Columns>) {
    this.now = now
  }

  get(row: Pick<RowChange, 'kind' | 'key'>): Columns | undefined {
    const id = rowId(row)
    return this.#changed.has(id) ? this.#changed.get(id) : this.now.get(id)
  }

  set(row: Pick<RowChange, 'kind' | 'key'>, columns: Columns | undefined): void {
    this.#changed.set(rowId(row), columns)
  }

  changed(): ReadonlyMap<string, Columns | undefined> {
    return this.#changed
  }
}

/** They count changes, or follow from them. */
const volatile = new Set(['revision', 'last_time', 'modifier'])

const same = (one: unknown, other: unknown) =>
  one === other || JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

/** Fields of a row, each attribute one of its own. */
function fieldsIn(columns: Columns): Map<string, unknown> {
  const { attributes, ...others } = columns
  const own = Object.entries(others).filter(([column]) => !volatile.has(column))
  const values = isRecord(attributes) ? Object.entries(attributes) : []
  return new Map([...own, ...values.map(([id, value]): [string, unknown] => [`attributes.${id}`, value])])
}

function withField(columns: Columns, field: string, value: unknown): Columns {
  if (!field.startsWith('attributes.')) return { ...columns, [field]: value }
  const id = field.slice('attributes.'.length)
  const { [id]: _, ...others } = isRecord(columns.attributes) ? columns.attributes : {}
  return { ...columns, attributes: value === undefined ? others : { ...others, [id]: value } }
}

/** Each field that differs between the two. */
export function differences(before: Columns, after: Columns): { field: string; before: unknown; after: unknown }[] {
  const [was, is] = [fieldsIn(before), fieldsIn(after)]
  const names = new Set([...was.keys(), ...is.keys()])
  return [...names]
    .map((field) => ({ field, before: was.get(field), after: is.get(field) }))
    .filter((each) => !same(each.before, each.after))
}

interface Inverse {
  readonly row: Columns | undefined
  readonly changes: boolean
  readonly conflicts: readonly Conflict[]
}

/** A conflict about a row as a whole, which force does not overcome. */
const whole = (row: Conflict['row']) => ({ field: '', now: null, setTo: null, before: null, forcible: false, row })

/** Objects are called by identifiers, which are given again: the row is that of another object if it has another id. */
const isAnotherRow = ({ before, after }: RowChange, now: Columns | undefined): boolean => {
  const id = (after ?? before)?.id
  return now?.id !== undefined && id !== undefined && now.id !== id
}

/** What a row becomes when one change of it is undone. */
function invert(change: RowChange, now: Columns | undefined, force: boolean): Inverse {
  const { before, after } = change
  const unchanged = { row: now, changes: false, conflicts: [] }
  const overtaken = (field: string, value: unknown, setTo: unknown, old: unknown): Conflict => ({
    field,
    now: value,
    setTo,
    before: old,
    why: rule('laterChange'),
    forcible: true,
    row: change,
  })
  const isAnother = isAnotherRow(change, now)
  const refused = (why: Rule): Inverse => ({ row: now, changes: false, conflicts: [{ ...whole(change), why }] })
  if (!after) {
    if (isAnother) return refused(rule('objectAgain', { object: change.key }))
    return now ? unchanged : { row: before ?? undefined, changes: true, conflicts: [] }
  }
  if (!before) {
    if (!now || isAnother) return unchanged
    const conflicts = differences(after, now).map((each) => overtaken(each.field, each.after, each.before, undefined))
    return { row: undefined, changes: true, conflicts: force ? [] : conflicts }
  }
  if (!now || isAnother) return refused(rule('goneSince'))
  const current = fieldsIn(now)
  const conflicts: Conflict[] = []
  let row: Columns = now
  let changes = false
  for (const each of differences(before, after)) {
    const value = current.get(each.field)
    if (same(value, each.before)) continue
    if (!same(value, each.after) && !force) conflicts.push(overtaken(each.field, value, each.after, each.before))
    row = withField(row, each.field, each.before)
    changes = true
  }
  // A host is in modules of one business, whichever of the two has changed.
  return { row: changes && change.kind === 'placement' ? before : row, changes, conflicts }
}

/** What undoing one record does to the rows. One that is excluded, or in conflict, leaves them as they are. */
export function planRecord(
  { record, changes }: UndoableRecord,
  rows: Rows,
  { force, excluded }: { force: boolean; excluded: ReadonlyMap<number, readonly Conflict[]> },
): Outcome {
  const known = excluded.get(record.position)
  if (known) return { record, outcome: 'conflict', conflicts: known }
  const odd = changes.find((change) => change.within)
  if (odd || changes.length === 0) {
    const row = odd ?? { kind: 'node' as const, key: '' }
    return { record, outcome: 'conflict', conflicts: [{ ...whole(row), why: rule('notUndoable') }] }
  }
  const inverted = changes.toReversed().map((change) => ({ change, inverse: invert(change, rows.get(change), force) }))
  const conflicts = inverted.flatMap(({ inverse }) => inverse.conflicts)
  if (conflicts.length > 0) return { record, outcome: 'conflict', conflicts }
  const effective = inverted.filter(({ inverse }) => inverse.changes)
  for (const { change, inverse } of effective) rows.set(change, inverse.row)
  return { record, outcome: effective.length > 0 ? 'undone' : 'already', conflicts: [] }
}
