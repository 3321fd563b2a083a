import { type BodyOf, type model, problem, rule } from '@mainline/contract'
import type { Spelling } from '../../../http/dialect.ts'
import type { Tx } from '../../../storage/index.ts'
import { nameText } from '../check.ts'
import { defaultIcon, instanceName, presetGroups } from '../presets.ts'
import { type ObjectRow, type Showing, showAttribute, showGroup, showObject, wordsFor } from '../records.ts'
import { findObject, selectAttributes, selectClassifications, selectGroups, selectObjects } from '../rows.ts'
import { dropKeys } from '../searchable/searchable.ts'
import { deleteUniquesOf } from '../unique/definitions.ts'
import { altered, differs, inEnglish } from './alter.ts'
import {
  labelText,
  newIdentifier,
  refuseOther,
  refuseTakenId,
  refuseTakenName,
  refuseTooMany,
  renamed,
} from './identifiers.ts'

const maxObjects = 500

type NewObject = BodyOf<typeof model.createObject>
type ObjectChanges = BodyOf<typeof model.updateObject>

export async function createObject(tx: Tx, sent: NewObject, showing: Showing, identifiers: Spelling) {
  await refuseUnknownClassification(tx, sent.bk_classification_id)
  const row = await addObject(tx, { ...sent, above: null }, showing, identifiers)
  return showObject(row, showing)
}

/** A place on the main line: between the object above and the one below. */
interface Place {
  readonly above: string | null
  readonly below?: string
}

/** A new object with its default group and name attribute. */
export async function addObject(
  tx: Tx,
  sent: NewObject & Place,
  showing: Showing,
  identifiers: Spelling,
): Promise<ObjectRow> {
  const { account } = tx.actor
  const id = newIdentifier('bk_obj_id', sent.bk_obj_id, identifiers)
  const name = nameText('bk_obj_name', sent.bk_obj_name)
  const icon = labelText('bk_obj_icon', sent.bk_obj_icon || defaultIcon)
  const others = await selectObjects(tx, account).execute()
  refuseTooMany(rule('objects'), others.length, maxObjects)
  refuseTakenId(
    'bk_obj_id',
    id,
    others.map((row) => row.object_id),
  )
  refuseTakenObject({ name, words: undefined }, others)
  const row = await tx
    .insertInto('object')
    .values({
      account,
      object_id: id,
      classification_id: sent.bk_classification_id,
      name,
      icon,
      preset: 0,
      paused: 0,
      above: sent.above,
      ...stamps(tx),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const own = await insertInstanceName(tx, id)
  const after = { above: row.above, below: sent.below, ...own }
  await altered(tx, { part: 'object', after: showObject(row, inEnglish(showing)), unshown: { after } })
  return row
}

const stamps = (tx: Tx) => ({ creator: tx.actor.user, create_time: tx.now, last_time: tx.now })

async function refuseUnknownClassification(tx: Tx, id: string): Promise<void> {
  const found = await selectClassifications(tx, tx.actor.account).where('classification_id', '=', id).executeTakeFirst()
  if (!found) throw problem('unknown', { field: 'bk_classification_id' })
}

const refuseTakenObject = (named: Parameters<typeof refuseTakenName>[1], others: readonly ObjectRow[]) =>
  refuseTakenName(
    'bk_obj_name',
    named,
    others.map((row) => ({ name: row.name, words: wordsFor.object(row) })),
  )

/** Every object has a default group that contains the name attribute of its instances. */
async function insertInstanceName(tx: Tx, object: string) {
  const of = { account: tx.actor.account, object_id: object, group_id: 'default', position: 0, preset: 1 }
  const group = await tx
    .insertInto('attribute_group')
    .values({ ...of, name: presetGroups.default.en })
    .returningAll()
    .executeTakeFirstOrThrow()
  const attribute = await tx
    .insertInto('attribute')
    .values({
      ...of,
      attribute_id: instanceName.id,
      name: instanceName.name.en,
      type: instanceName.type,
      options: '',
      unit: '',
      placeholder: '',
      required: 1,
      editable: 1,
      ...stamps(tx),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return { groups: [group], attributes: [attribute] }
}

export async function updateObject(tx: Tx, id: number, sent: ObjectChanges, showing: Showing): Promise<void> {
  const row = await findObject(tx, tx.actor.account, id)
  refuseOther('bk_obj_id', sent.bk_obj_id, row.object_id)
  const words = wordsFor.object(row)
  const changes = {
    name: renamed('bk_obj_name', sent.bk_obj_name, row.name, words),
    icon: labelText('bk_obj_icon', sent.bk_obj_icon ?? row.icon),
    classification_id: sent.bk_classification_id ?? row.classification_id,
    paused: Number(sent.bk_ispaused ?? row.paused === 1),
    last_time: tx.now,
  }
  const before = showObject(row, inEnglish(showing))
  const after = showObject({ ...row, ...changes }, inEnglish(showing))
  if (!differs(before, after)) return

  if (changes.paused && isProtected(row)) throw problem('builtInModel')
  await refuseUnknownClassification(tx, changes.classification_id)
  const others = await selectObjects(tx, tx.actor.account).where('id', '<>', id).execute()
  refuseTakenObject({ name: changes.name, words }, others)
  await tx.updateTable('object').set(changes).where('id', '=', id).execute()
  await altered(tx, { part: 'object', before, after })
}

/** Built-in objects, and objects of the main line, which have operations of their own. */
const isProtected = (row: ObjectRow) => row.preset === 1 || row.above !== null

export async function deleteObject(tx: Tx, id: number, showing: Showing): Promise<void> {
  const { account } = tx.actor
  const row = await findObject(tx, account, id)
  if (isProtected(row)) throw problem('builtInModel')
  const object = row.object_id
  const instance = await tx
    .selectFrom('node')
    .select('id')
    .where('account', '=', account)
    .where('object_id', '=', object)
    .limit(1)
    .executeTakeFirst()
  if (instance) throw problem('objectHasInstances', { what: object })
  await dropObject(tx, row, showing)
}

/** Deletes the object with its attributes and groups. Its default group and name attribute are not recorded one by one. */
export async function dropObject(tx: Tx, row: ObjectRow, showing: Showing, below?: string): Promise<void> {
  const { account } = tx.actor
  const object = row.object_id
  await refuseAssociatedObject(tx, object)
  const english = inEnglish(showing)
  const attributes = await selectAttributes(tx, account).where('attribute.object_id', '=', object).execute()
  const groups = await selectGroups(tx, account).where('object_id', '=', object).execute()
  await deleteUniquesOf(tx, object, showing)
  await tx.deleteFrom('attribute').where('account', '=', account).where('object_id', '=', object).execute()
  await tx.deleteFrom('attribute_group').where('account', '=', account).where('object_id', '=', object).execute()
  await tx.deleteFrom('object').where('id', '=', row.id).execute()
  await dropKeys(
    tx,
    attributes.map((each) => each.searchable),
  )
  const ofUsers = ({ preset }: { preset: number }) => preset === 0
  const ownGroups = groups.filter((each) => !ofUsers(each))
  const ownAttributes = attributes
    .filter((each) => !ofUsers(each))
    .map(({ group_name: _, group_preset: __, ...each }) => each)
  const unshown = { before: { above: row.above, below, groups: ownGroups, attributes: ownAttributes } }
  await altered(
    tx,
    ...attributes.filter(ofUsers).map((each) => ({ part: 'attribute' as const, before: showAttribute(each, english) })),
    ...groups.filter(ofUsers).map((each) => ({ part: 'attribute group' as const, before: showGroup(each, english) })),
    { part: 'object', before: showObject(row, english), unshown },
  )
}

/** An object that others are associated with stays, and so do its instances. */
export async function refuseAssociatedObject(tx: Tx, object: string): Promise<void> {
  const association = await tx
    .selectFrom('object_association')
    .select('association_id')
    .where('account', '=', tx.actor.account)
    .where((eb) => eb.or([eb('source_object', '=', object), eb('target_object', '=', object)]))
    .limit(1)
    .executeTakeFirst()
  if (association) throw problem('objectAssociated', { what: association.association_id })
}
