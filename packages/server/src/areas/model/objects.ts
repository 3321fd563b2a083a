import { type BodyOf, type model, problem } from '@mainline/contract'
import type { Spelling } from '../../platform/http/compat.ts'
import type { Tx } from '../../platform/storage/index.ts'
import { altered, differs, inEnglish } from './alter.ts'
import { nameText } from './check.ts'
import { labelText, newIdentifier, refuseOther, refuseTakenId, refuseTakenName, renamed } from './identifiers.ts'
import { defaultIcon, instanceName, presetGroups } from './presets.ts'
import { type ObjectRow, type Showing, showAttribute, showGroup, showObject, wordsFor } from './records.ts'
import { findObject, selectAttributes, selectClassifications, selectGroups, selectObjects } from './rows.ts'
import { dropKeys } from './searchable.ts'

type New = BodyOf<typeof model.createObject>
type Changes = BodyOf<typeof model.updateObject>

export async function createObject(tx: Tx, sent: New, showing: Showing, identifiers: Spelling) {
  await refuseUnknownClassification(tx, sent.bk_classification_id)
  const row = await addObject(tx, { ...sent, above: null }, showing, identifiers)
  return showObject(row, showing)
}

/** A new object with the group and the name that every one has; `above` puts it on the main line. */
export async function addObject(
  tx: Tx,
  sent: New & { above: string | null },
  showing: Showing,
  identifiers: Spelling,
): Promise<ObjectRow> {
  const { account } = tx.actor
  const id = newIdentifier('bk_obj_id', sent.bk_obj_id, identifiers)
  const name = nameText('bk_obj_name', sent.bk_obj_name)
  const icon = labelText('bk_obj_icon', sent.bk_obj_icon || defaultIcon)
  const others = await selectObjects(tx, account).execute()
  refuseTakenId(
    'bk_obj_id',
    id,
    others.map((row) => row.object_id),
  )
  refuseTaken({ name, words: undefined }, others)
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
  await insertInstanceName(tx, id)
  await altered(tx, { part: 'object', after: showObject(row, inEnglish(showing)) })
  return row
}

const stamps = (tx: Tx) => ({ creator: tx.actor.user, create_time: tx.now, last_time: tx.now })

async function refuseUnknownClassification(tx: Tx, id: string): Promise<void> {
  const found = await selectClassifications(tx, tx.actor.account).where('classification_id', '=', id).executeTakeFirst()
  if (!found) throw problem('unknown', { field: 'bk_classification_id' })
}

const refuseTaken = (named: Parameters<typeof refuseTakenName>[1], others: readonly ObjectRow[]) =>
  refuseTakenName(
    'bk_obj_name',
    named,
    others.map((row) => ({ name: row.name, words: wordsFor.object(row) })),
  )

/** What every object has from the start, and as long as it is there: a group, and in it what its instances are called. */
async function insertInstanceName(tx: Tx, object: string): Promise<void> {
  const of = { account: tx.actor.account, object_id: object, group_id: 'default', position: 0, preset: 1 }
  await tx
    .insertInto('attribute_group')
    .values({ ...of, name: presetGroups.default.en })
    .execute()
  await tx
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
    .execute()
}

export async function updateObject(tx: Tx, id: number, sent: Changes, showing: Showing): Promise<void> {
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
  refuseTaken({ name: changes.name, words }, others)
  await tx.updateTable('object').set(changes).where('id', '=', id).execute()
  await altered(tx, { part: 'object', before, after })
}

/** What is built in, and what stands on the main line: levels have operations of their own. */
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

/** The object with its attributes and groups. Its own group and name came with it and go without a word. */
export async function dropObject(tx: Tx, row: ObjectRow, showing: Showing): Promise<void> {
  const { account } = tx.actor
  const object = row.object_id
  const english = inEnglish(showing)
  const attributes = await selectAttributes(tx, account).where('attribute.object_id', '=', object).execute()
  const groups = await selectGroups(tx, account).where('object_id', '=', object).execute()
  await tx.deleteFrom('attribute').where('account', '=', account).where('object_id', '=', object).execute()
  await tx.deleteFrom('attribute_group').where('account', '=', account).where('object_id', '=', object).execute()
  await tx.deleteFrom('object').where('id', '=', row.id).execute()
  await dropKeys(
    tx,
    attributes.map((each) => each.searchable),
  )
  const ofUsers = ({ preset }: { preset: number }) => preset === 0
  await altered(
    tx,
    ...attributes.filter(ofUsers).map((each) => ({ part: 'attribute' as const, before: showAttribute(each, english) })),
    ...groups.filter(ofUsers).map((each) => ({ part: 'attribute group' as const, before: showGroup(each, english) })),
    { part: 'object', before: showObject(row, english) },
  )
}
