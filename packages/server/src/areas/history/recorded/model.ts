// Records of the model as stored rows. They are no instances: their record kind is `model`, and their description says which part.
import type { Snapshot } from '../../../storage/index.ts'
import type { Shown } from './instances.ts'
import { type Columns, nodeKey, type RowChange, type RowKind } from './rows.ts'
import { flag, instant, integer, records, text } from './values.ts'

type Read = (record: Snapshot) => Columns

const readClassification: Read = (record) => ({
  id: integer(record, 'id'),
  classification_id: text(record, 'bk_classification_id'),
  name: text(record, 'bk_classification_name'),
  icon: text(record, 'bk_classification_icon'),
  preset: record.bk_classification_type === 'inner' ? 1 : 0,
})

const readObject: Read = (record) => ({
  id: integer(record, 'id'),
  object_id: text(record, 'bk_obj_id'),
  classification_id: text(record, 'bk_classification_id'),
  name: text(record, 'bk_obj_name'),
  icon: text(record, 'bk_obj_icon'),
  preset: flag(record, 'ispre'),
  paused: flag(record, 'bk_ispaused'),
  creator: text(record, 'creator'),
  create_time: instant(record, 'create_time'),
  last_time: instant(record, 'last_time'),
})

const readGroup: Read = (record) => ({
  id: integer(record, 'id'),
  object_id: text(record, 'bk_obj_id'),
  group_id: text(record, 'bk_group_id'),
  name: text(record, 'bk_group_name'),
  position: integer(record, 'bk_group_index'),
  preset: flag(record, 'ispre'),
})

const readAttribute: Read = (record) => ({
  id: integer(record, 'id'),
  object_id: text(record, 'bk_obj_id'),
  attribute_id: text(record, 'bk_property_id'),
  name: text(record, 'bk_property_name'),
  group_id: text(record, 'bk_property_group'),
  position: integer(record, 'bk_property_index'),
  type: text(record, 'bk_property_type'),
  options: record.option === null || record.option === '' ? '' : JSON.stringify(record.option),
  unit: text(record, 'unit'),
  placeholder: text(record, 'placeholder'),
  required: flag(record, 'isrequired'),
  editable: flag(record, 'editable'),
  preset: flag(record, 'ispre'),
  creator: text(record, 'creator'),
  create_time: instant(record, 'create_time'),
  last_time: instant(record, 'last_time'),
  searchable: flag(record, 'searchable'),
})

const readKind: Read = (record) => ({
  id: integer(record, 'id'),
  kind: text(record, 'bk_asst_id'),
  name: text(record, 'bk_asst_name'),
  source_note: text(record, 'src_des'),
  target_note: text(record, 'dest_des'),
  direction: text(record, 'direction'),
})

const readObjectAssociation: Read = (record) => ({
  id: integer(record, 'id'),
  association_id: text(record, 'bk_obj_asst_id'),
  name: text(record, 'bk_obj_asst_name'),
  source_object: text(record, 'bk_obj_id'),
  target_object: text(record, 'bk_asst_obj_id'),
  kind: text(record, 'bk_asst_id'),
  mapping: text(record, 'mapping'),
  on_delete: text(record, 'on_delete'),
})

const parts: Readonly<Record<string, { readonly kind: RowKind; readonly read: Read }>> = {
  classification: { kind: 'classification', read: readClassification },
  object: { kind: 'object', read: readObject },
  'attribute group': { kind: 'attribute_group', read: readGroup },
  attribute: { kind: 'attribute', read: readAttribute },
  'association kind': { kind: 'association_kind', read: readKind },
  'object association': { kind: 'object_association', read: readObjectAssociation },
}

/** The description is `create`, `update` or `delete`, and the part. */
export function modelChanges(description: string, shown: Shown): RowChange[] {
  const part = description.slice(description.indexOf(' ') + 1)
  // Unique rules are derived again from the instances that exist.
  if (part === 'unique rule') return []
  const known = parts[part]
  if (!known) throw new Error(`a record of the model is about an unknown part: ${description}`)
  const { kind, read } = known
  const { before, after } = shown
  const record = after ?? before ?? {}
  const key = kind === 'object' ? text(record, 'bk_obj_id') : String(integer(record, 'id'))
  const change: RowChange = { kind, key, before: before && read(before), after: after && read(after) }
  if (kind === 'object') return objectChanges(change, shown)
  return kind === 'attribute' ? [change, ...clearedRoles(shown)] : [change]
}

/** An object is recorded once, with its place on the main line and its own group and attribute. */
function objectChanges(change: RowChange, { unshown }: Shown): RowChange[] {
  if (change.before && change.after) return [change]
  const side = change.after ? 'after' : 'before'
  const more = unshown[side] ?? {}
  const above = more.above ?? null
  const object = change[side]
  const only = (kind: RowKind, columns: Columns): RowChange => ({
    kind,
    key: String(columns.id),
    before: null,
    after: null,
    [side]: columns,
  })
  return [
    { ...change, [side]: { ...object, above } },
    ...records(more, 'groups').map(({ account: _, ...row }) => only('attribute_group', row)),
    ...records(more, 'attributes').map(({ account: _, filled: __, filled_to: ___, searchable, ...row }) =>
      only('attribute', { ...row, searchable: searchable === 0 ? 0 : 1 }),
    ),
    ...objectBelow(more, object, side),
  ]
}

/** The object below a new level is below it, and below what was above the level once that is deleted. */
function objectBelow(more: Snapshot, level: Columns | null, side: 'before' | 'after'): RowChange[] {
  if (typeof more.below !== 'string' || !level) return []
  const [under, past] = [{ above: level.object_id }, { above: more.above }]
  const [before, after] = side === 'after' ? [past, under] : [under, past]
  return [{ kind: 'object', key: more.below, before, after }]
}

/** Values that a new role attribute would have shown were removed from businesses. */
const clearedRoles = ({ after, unshown }: Shown): RowChange[] =>
  records(unshown.before ?? {}, 'cleared').map((cleared) => ({
    kind: 'node',
    key: nodeKey('biz', integer(cleared, 'bk_biz_id')),
    within: 'attributes',
    before: { [text(after ?? {}, 'bk_property_id')]: cleared.value },
    after: { [text(after ?? {}, 'bk_property_id')]: undefined },
  }))
