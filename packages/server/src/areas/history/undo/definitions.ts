// Writes definitions of the model, groups and roles that an undo changes.
import type { Tx } from '../../../storage/index.ts'
import {
  deleteKind,
  deleteObjectAssociation,
  type Kind,
  type ObjectAssociation,
  restoreKind,
  restoreObjectAssociation,
  updateKind,
  updateObjectAssociation,
} from '../../associations/index.ts'
import { type Rewriting, readModelNow, rewriteDefinitions, type Showing } from '../../model/index.ts'
import { bindRole, deleteGroup, restoreGroup, rewriteGroup, type StoredGroup } from '../../privileges/index.ts'
import { raiseVersions, setParentObject } from '../../topology/index.ts'
import { type Columns, integer, isRecord, text } from '../recorded/index.ts'
import type { LevelChange } from './levels.ts'
import type { DefinitionKind, NetDefinition } from './net.ts'
import { lastRevisions } from './revisions.ts'

type Shape = Readonly<Record<string, 'integer' | 'text' | 'optional'>>
type RowOfShape<S extends Shape> = {
  readonly [Field in keyof S]: S[Field] extends 'integer' ? number : S[Field] extends 'text' ? string : string | null
}

/** A row typed by its columns, which are those that the log has recorded. */
function typed<S extends Shape>(shape: S, row: Columns): RowOfShape<S> {
  const value = { integer, text, optional: (columns: Columns, field: string) => columns[field] ?? null }
  return Object.fromEntries(
    Object.entries(shape).map(([field, type]) => [field, value[type](row, field)]),
  ) as RowOfShape<S>
}

const integers = <Field extends string>(...fields: Field[]) => typedColumns(fields, 'integer' as const)
const texts = <Field extends string>(...fields: Field[]) => typedColumns(fields, 'text' as const)

function typedColumns<Field extends string, Type>(fields: readonly Field[], type: Type): Record<Field, Type> {
  return Object.fromEntries(fields.map((field) => [field, type])) as Record<Field, Type>
}

const dates = { ...texts('creator'), ...integers('create_time', 'last_time') }
const shapes = {
  classification: { ...integers('id', 'preset'), ...texts('classification_id', 'name', 'icon') },
  object: {
    ...integers('id', 'preset', 'paused'),
    ...texts('object_id', 'classification_id', 'name', 'icon'),
    ...typedColumns(['above'], 'optional' as const),
    ...dates,
  },
  attribute_group: { ...integers('id', 'position', 'preset'), ...texts('object_id', 'group_id', 'name') },
  attribute: {
    ...integers('id', 'position', 'required', 'editable', 'preset', 'searchable'),
    ...texts('object_id', 'attribute_id', 'name', 'group_id', 'type', 'options', 'unit', 'placeholder'),
    ...dates,
  },
  association_kind: { ...integers('id'), ...texts('kind', 'name', 'source_note', 'target_note', 'direction') },
  object_association: {
    ...integers('id'),
    ...texts('association_id', 'name', 'source_object', 'target_object', 'kind', 'mapping', 'on_delete'),
  },
}

/** Of one kind, as it is and as it is to be. */
function rewritings<Kind extends keyof typeof shapes>(
  net: readonly NetDefinition[],
  kind: Kind,
): Rewriting<RowOfShape<(typeof shapes)[Kind]>>[] {
  const read = (row: Columns | undefined) => row && typed(shapes[kind], row)
  return ofKind(net, kind).map(({ now, target }) => ({ now: read(now), target: read(target) }))
}

const ofKind = (net: readonly NetDefinition[], kind: DefinitionKind) => net.filter((each) => each.kind === kind)

/** What is needed by others is written before them, and deleted after them. */
export async function applyDefinitions(
  tx: Tx,
  net: readonly NetDefinition[],
  showing: Showing,
  level?: LevelChange,
): Promise<void> {
  if (net.length === 0) return
  // The child first: the index on `above` rejects two objects below the same one.
  if (level) await setParentObject(tx, level.child, level.id)
  const [kinds, associations] = [rewritings(net, 'association_kind'), rewritings(net, 'object_association')]
  for (const { now, target } of associations) if (now && !target) await deleteObjectAssociation(tx, now.id)
  await rewriteDefinitions(
    tx,
    {
      classifications: rewritings(net, 'classification'),
      objects: rewritings(net, 'object'),
      groups: rewritings(net, 'attribute_group'),
      attributes: rewritings(net, 'attribute'),
      below: level?.child,
    },
    showing,
  )
  for (const { now, target } of kinds) {
    if (!target) continue
    const { name: bk_asst_name, source_note: src_des, target_note: dest_des } = target
    const direction = target.direction as Kind['direction']
    if (now) await updateKind(tx, now.id, { bk_asst_name, src_des, dest_des, direction })
    else await restoreKind(tx, { ...target, direction })
  }
  for (const { now, target } of associations) {
    if (!target) continue
    const { name: bk_obj_asst_name, kind: bk_asst_id } = target
    const on_delete = target.on_delete as ObjectAssociation['on_delete']
    const mapping = target.mapping as ObjectAssociation['mapping']
    if (now) await updateObjectAssociation(tx, now.id, { bk_obj_asst_name, bk_asst_id, on_delete })
    else await restoreObjectAssociation(tx, { ...target, mapping, on_delete })
  }
  for (const { now, target } of kinds) if (now && !target) await deleteKind(tx, now.id)
  await applyGrants(tx, net)
  if (level) await raiseVersions(tx)
  // Instances of the same undo are written by the model that it has made.
  tx.model.known = await readModelNow(tx)
}

async function applyGrants(tx: Tx, net: readonly NetDefinition[]): Promise<void> {
  for (const { now, target } of ofKind(net, 'user_group')) {
    if (now && target) await rewriteGroup(tx, groupIn(target))
    else if (target) await restoreGroup(tx, await withNextRevision(tx, groupIn(target)))
    else if (now) await deleteGroup(tx, text(now, 'group_id'))
  }
  for (const { target } of ofKind(net, 'role_binding')) {
    const privileges = Array.isArray(target?.privileges) ? target.privileges.map(String) : []
    if (!target) continue
    const role = { bk_obj_id: text(target, 'object_id'), bk_property_id: text(target, 'attribute_id') }
    await bindRole(tx, role, privileges)
  }
}

const groupIn = (row: Columns): StoredGroup => ({
  id: integer(row, 'id'),
  group_id: text(row, 'group_id'),
  name: text(row, 'name'),
  user_list: text(row, 'user_list'),
  privileges: isRecord(row.privileges) ? row.privileges : {},
  revision: integer(row, 'revision'),
})

async function withNextRevision(tx: Tx, group: StoredGroup): Promise<StoredGroup> {
  const revisions = await lastRevisions(tx, [{ object: 'usergroup', id: group.id, revision: group.revision }])
  return { ...group, revision: 1 + (revisions.get(`usergroup ${group.id}`) ?? group.revision) }
}
