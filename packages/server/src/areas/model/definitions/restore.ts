// Definitions that return under their old ids, get former values back, or go as if they had never been made.
import { problem } from '@mainline/contract'
import { first } from '../../../common/present.ts'
import { insertMany, refuse, type Tx } from '../../../storage/index.ts'
import { storedType } from '../presets.ts'
import {
  type AttributeRow,
  type ClassificationRow,
  type GroupRow,
  type ObjectRow,
  type Showing,
  showAttribute,
  showClassification,
  showGroup,
  showObject,
} from '../records.ts'
import { findObject, selectAttributes, selectGroups } from '../rows.ts'
import { dropKeys, switched } from '../searchable/searchable.ts'
import { altered, inEnglish } from './alter.ts'
import { deleteAttribute } from './attributes.ts'
import { deleteClassification } from './classifications.ts'
import { deleteGroup } from './groups.ts'
import { dropObject } from './objects.ts'

type Stored<Row> = Omit<Row, 'account'>
export type StoredClassification = Stored<ClassificationRow>
export type StoredObject = Stored<ObjectRow>
export type StoredAttributeGroup = Stored<GroupRow>
/** Whether it is searchable is stored as 0 or 1: its index is built anew. */
export type StoredAttribute = Omit<AttributeRow, 'account' | 'filled' | 'filled_to' | 'group_name' | 'group_preset'>

/** A definition as it is and as it is to be. */
export interface Rewriting<Row> {
  readonly now: Row | undefined
  readonly target: Row | undefined
}

export interface Definitions {
  readonly classifications: readonly Rewriting<StoredClassification>[]
  readonly objects: readonly Rewriting<StoredObject>[]
  readonly groups: readonly Rewriting<StoredAttributeGroup>[]
  readonly attributes: readonly Rewriting<StoredAttribute>[]
  /** The object below a level that returns, which is below it already. */
  readonly below?: string | undefined
}

/** An object's default group and the name attribute in it are created, deleted and recorded with it. */
const isOwn = ({ preset }: { readonly preset: number }) => preset === 1

/** Under the exclusive chain. What others need goes last: the classification of an object, the group of an attribute. */
export async function rewriteDefinitions(tx: Tx, definitions: Definitions, showing: Showing): Promise<void> {
  const { classifications, objects, groups, attributes } = definitions
  const goingObjects = deletedIn(objects)
  const withObject = new Set(goingObjects.map(({ object_id }) => object_id))
  for (const { id, object_id } of deletedIn(attributes))
    if (!withObject.has(object_id)) await deleteAttribute(tx, id, showing)
  for (const { now, target } of classifications) if (target) await putClassification(tx, now, target, showing)
  for (const { now, target } of objects) if (target) await putObject(tx, now, target, definitions, showing)
  for (const { now, target } of groups) if (target && (now || !isOwn(target))) await putGroup(tx, now, target, showing)
  for (const { now, target } of attributes)
    if (target && (now || !isOwn(target))) await putAttribute(tx, now, target, showing)
  for (const { id, object_id } of deletedIn(groups)) if (!withObject.has(object_id)) await deleteGroup(tx, id, showing)
  for (const { id } of goingObjects) await dropObject(tx, await findObject(tx, tx.actor.account, id), showing)
  for (const { id } of deletedIn(classifications)) await deleteClassification(tx, id, showing)
}

const deletedIn = <Row>(all: readonly Rewriting<Row>[]): Row[] =>
  all.flatMap(({ now, target }) => (now && !target ? [now] : []))

const duplicateOf = (what: string) => () => problem('duplicate', { what })
const takenNames = {
  classification_key: duplicateOf('bk_classification_id'),
  classification_name: duplicateOf('bk_classification_name'),
  object_key: duplicateOf('bk_obj_id'),
  object_name: duplicateOf('bk_obj_name'),
  attribute_group_key: duplicateOf('bk_group_id'),
  attribute_key: duplicateOf('bk_property_id'),
}

type WithId = 'classification' | 'object' | 'attribute_group' | 'attribute'

async function insertOne<Table extends WithId>(
  tx: Tx,
  table: Table,
  row: Parameters<typeof insertMany<Table>>[2][number],
) {
  await refuse(insertMany(tx, table, [row], { givenIds: true }), takenNames)
}

async function putClassification(
  tx: Tx,
  now: StoredClassification | undefined,
  target: StoredClassification,
  showing: Showing,
): Promise<void> {
  const shown = (row: StoredClassification) =>
    showClassification({ ...row, account: tx.actor.account }, inEnglish(showing))
  const { id, name, icon } = target
  if (now) {
    await refuse(tx.updateTable('classification').set({ name, icon }).where('id', '=', id).execute(), takenNames)
    await altered(tx, { part: 'classification', before: shown(now), after: shown(target) })
  } else {
    await insertOne(tx, 'classification', { ...target, account: tx.actor.account })
    await altered(tx, { part: 'classification', after: shown(target) })
  }
}

async function putObject(
  tx: Tx,
  now: StoredObject | undefined,
  target: StoredObject,
  { groups, attributes, below }: Definitions,
  showing: Showing,
): Promise<void> {
  const { account } = tx.actor
  const shown = (row: StoredObject) => showObject({ ...row, account }, inEnglish(showing))
  const { id, name, icon, classification_id, paused } = target
  if (now) {
    const changed = { name, icon, classification_id, paused, last_time: tx.now }
    await refuse(tx.updateTable('object').set(changed).where('id', '=', id).execute(), takenNames)
    await altered(tx, { part: 'object', before: shown(now), after: shown({ ...now, ...changed }) })
    return
  }
  await insertOne(tx, 'object', { ...target, account })
  const isOfObject = (row: StoredAttributeGroup | StoredAttribute | undefined) =>
    row !== undefined && isOwn(row) && row.object_id === target.object_id
  const ownGroups = groups.flatMap(({ target: row }) => (row && isOfObject(row) ? [{ ...row, account }] : []))
  for (const row of ownGroups) await insertOne(tx, 'attribute_group', row)
  const ownAttributes: AttributeValues[] = []
  for (const { target: row } of attributes) {
    if (row && isOfObject(row)) ownAttributes.push(await insertAttribute(tx, row))
  }
  const after = {
    above: target.above,
    ...(target.above !== null && { below }),
    groups: ownGroups,
    attributes: ownAttributes,
  }
  await altered(tx, { part: 'object', after: shown(target), unshown: { after } })
}

async function putGroup(
  tx: Tx,
  now: StoredAttributeGroup | undefined,
  target: StoredAttributeGroup,
  showing: Showing,
): Promise<void> {
  const { account } = tx.actor
  const shown = (row: StoredAttributeGroup) => showGroup({ ...row, account }, inEnglish(showing))
  const { id, name, position } = target
  if (now) {
    await refuse(tx.updateTable('attribute_group').set({ name, position }).where('id', '=', id).execute(), takenNames)
    await altered(tx, { part: 'attribute group', before: shown(now), after: shown(target) })
  } else {
    await insertOne(tx, 'attribute_group', { ...target, account })
    await altered(tx, { part: 'attribute group', after: shown(target) })
  }
}

type AttributeValues = Omit<AttributeRow, 'group_name' | 'group_preset'>

async function insertAttribute(tx: Tx, target: StoredAttribute): Promise<AttributeValues> {
  const of = { object: target.object_id, id: target.attribute_id, type: storedType(target.type) }
  const row = { ...target, account: tx.actor.account, ...(await switched(tx, of, target.searchable !== 0)) }
  await insertOne(tx, 'attribute', row)
  return row
}

async function putAttribute(
  tx: Tx,
  now: StoredAttribute | undefined,
  target: StoredAttribute,
  showing: Showing,
): Promise<void> {
  const { account } = tx.actor
  const read = async () => first(await selectAttributes(tx, account).where('attribute.id', '=', target.id).execute())
  if (!now) {
    await refuseMissingGroup(tx, target)
    await insertAttribute(tx, target)
    await altered(tx, { part: 'attribute', after: showAttribute(await read(), inEnglish(showing)) })
    return
  }
  const before = await read()
  const { name, group_id, position, options, unit, placeholder, required, editable } = target
  const of = { object: target.object_id, id: target.attribute_id, type: storedType(target.type) }
  const isSearchable = before.searchable !== 0
  const wanted = target.searchable !== 0
  const changed = {
    ...{ name, group_id, position, options, unit, placeholder, required, editable },
    last_time: tx.now,
    ...(wanted !== isSearchable && (await switched(tx, of, wanted))),
  }
  await tx.updateTable('attribute').set(changed).where('id', '=', target.id).execute()
  if (isSearchable && !wanted) await dropKeys(tx, [before.searchable])
  const [was, is] = [showAttribute(before, inEnglish(showing)), showAttribute(await read(), inEnglish(showing))]
  await altered(tx, { part: 'attribute', before: was, after: is })
}

async function refuseMissingGroup(tx: Tx, { object_id, group_id }: StoredAttribute): Promise<void> {
  const groups = await selectGroups(tx, tx.actor.account).where('object_id', '=', object_id).execute()
  if (!groups.some((group) => group.group_id === group_id)) {
    throw problem('unknown', { field: 'bk_property_group' })
  }
}
