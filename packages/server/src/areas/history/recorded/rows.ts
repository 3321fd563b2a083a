// Stored rows by the ids that outlive them: public ids, without internal ones, lock stamps and the state of indexes.

/** Tables whose rows the log gives back exactly. A placement is all modules of a host, a role_binding that is absent an empty one. */
export const rowKinds = [
  'node',
  'host',
  'placement',
  'custom_query',
  'user_group',
  'role_binding',
  'classification',
  'object',
  'attribute_group',
  'attribute',
  'association_kind',
  'object_association',
  'instance_association',
] as const
export type RowKind = (typeof rowKinds)[number]

/** Columns of a row. Attributes and lists of privileges are parsed; flags are 0 or 1 and times milliseconds, as they are stored. */
export type Columns = Readonly<Record<string, unknown>>

/** What a record did to a row. Both sides have the same columns: all of them where the other side is null, as the row began or ended there. */
export interface RowChange {
  readonly kind: RowKind
  /** Of the row among those of its kind, within its account: `set 7`, `12`. Identifiers are used for objects and roles, else ids. */
  readonly key: string
  /** The columns are entries of this one. An entry that is undefined is absent. */
  readonly within?: 'attributes'
  readonly before: Columns | null
  readonly after: Columns | null
}

export const nodeKey = (object: string, id: number) => `${object} ${id}`

export function nodeOfKey(key: string): { readonly object: string; readonly id: number } {
  const [object = '', id] = key.split(' ')
  return { object, id: Number(id) }
}

/** The row on one side of a change, from what it is on the other. */
export function rowOn(side: 'before' | 'after', change: RowChange, row: Columns | undefined): Columns | undefined {
  const columns = change[side]
  if (!columns) return undefined
  if (!change.within) return { ...row, ...columns }
  const entries = Object.entries({ ...Object(row?.[change.within]), ...columns })
  return { ...row, [change.within]: Object.fromEntries(entries.filter(([, value]) => value !== undefined)) }
}
