import { type BodyOf, type model, problem, rule } from '@mainline/contract'
import { readOwnJson } from '../../../common/own-json.ts'
import { attributesIn, countOwn, type Tx } from '../../../storage/index.ts'
import { nameText, plainText } from '../check.ts'
import type { Choice } from '../model.ts'
import { storedName, wordsOf } from '../names.ts'
import { type AttributeType, attributeTypes, storedType } from '../presets.ts'
import { type AttributeRow, type Showing, showAttribute, wordsFor } from '../records.ts'
import { findAttribute, groupNamedIn, objectCalled, selectAttributes } from '../rows.ts'
import { dropKeys, isRole, switched } from '../searchable/searchable.ts'
import { refuseInUnique } from '../unique/definitions.ts'
import { altered, differs, inEnglish } from './alter.ts'
import {
  labelText,
  newAttributeId,
  refuseOther,
  refuseTakenId,
  refuseTakenName,
  refuseTooMany,
  renamed,
} from './identifiers.ts'
import { readOption } from './option.ts'

type NewAttribute = BodyOf<typeof model.createAttribute>
type AttributeChanges = BodyOf<typeof model.updateAttribute>

const longestHint = 2_000
/** As many as a spreadsheet may have columns. */
const maxAttributesOfObject = 500
const maxAttributes = 10_000

export async function createAttribute(tx: Tx, sent: NewAttribute, showing: Showing) {
  const { account } = tx.actor
  const object = await objectCalled(tx, account, sent.bk_obj_id)
  if (!object) throw problem('unknown', { field: 'bk_obj_id' })
  const id = newAttributeId(sent.bk_property_id)
  const name = nameText('bk_property_name', sent.bk_property_name)
  const type = readType(sent.bk_property_type)
  const options = readOption(type, sent.option)
  const unit = labelText('unit', sent.unit ?? '')
  const placeholder = plainText('placeholder', sent.placeholder ?? '', longestHint)
  const group = await groupNamedIn(tx, 'bk_property_group', object.object_id, sent.bk_property_group ?? 'default')
  const others = await attributesOf(tx, object.object_id)
  refuseTooMany(rule('attributes'), others.length, maxAttributesOfObject)
  refuseTooMany(rule('attributes'), await countOwn(tx, 'attribute'), maxAttributes)
  refuseTakenId(
    'bk_property_id',
    id,
    others.map((row) => row.attribute_id),
  )
  refuseTakenAttribute({ name, words: undefined }, others)
  const role = isRole(object.object_id, type)
  const cleared = role ? await clearHolders(tx, id) : []
  const search = await switched(tx, { object: object.object_id, id, type }, sent.searchable ?? role)

  const stored = await tx
    .insertInto('attribute')
    .values({
      account,
      object_id: object.object_id,
      attribute_id: id,
      name,
      group_id: group.group_id,
      position: Math.max(-1, ...others.map((row) => row.position)) + 1,
      type,
      options,
      unit,
      placeholder,
      required: Number(sent.isrequired ?? false),
      editable: Number(sent.editable ?? true),
      preset: 0,
      creator: tx.actor.user,
      create_time: tx.now,
      last_time: tx.now,
      ...search,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const row = { ...stored, group_name: group.name, group_preset: group.preset }
  const unshown = cleared.length > 0 ? { unshown: { before: { cleared } } } : {}
  await altered(tx, { part: 'attribute', after: showAttribute(row, inEnglish(showing)), ...unshown })
  return showAttribute(row, showing)
}

/** A new role starts without members: values left under the name of a deleted attribute may come from callers who may not assign roles. */
async function clearHolders(tx: Tx, role: string): Promise<{ bk_biz_id: number; value: unknown }[]> {
  const left = await tx
    .selectFrom('node')
    .select(['id', 'inst_id', 'attributes'])
    .where('account', '=', tx.actor.account)
    .where('object_id', '=', 'biz')
    .where((eb) => eb(tx.dialect.jsonText(eb.ref('attributes'), role), '<>', ''))
    .execute()
  const cleared: { bk_biz_id: number; value: unknown }[] = []
  for (const row of left) {
    const { [role]: value, ...kept } = attributesIn(row)
    cleared.push({ bk_biz_id: row.inst_id, value })
    await tx
      .updateTable('node')
      .set({ attributes: JSON.stringify(kept) })
      .where('id', '=', row.id)
      .execute()
  }
  return cleared
}

function readType(sent: string): AttributeType {
  const type = attributeTypes.find((each) => each === sent)
  if (type) return type
  throw problem('invalid', { field: 'bk_property_type', rule: rule('oneOf', { values: attributeTypes.join(', ') }) })
}

const attributesOf = (tx: Tx, object: string): Promise<AttributeRow[]> =>
  selectAttributes(tx, tx.actor.account).where('attribute.object_id', '=', object).execute()

const refuseTakenAttribute = (named: Parameters<typeof refuseTakenName>[1], others: readonly AttributeRow[]) =>
  refuseTakenName(
    'bk_property_name',
    named,
    others.map((row) => ({ name: row.name, words: wordsFor.attribute(row) })),
  )

export async function updateAttribute(tx: Tx, id: number, sent: AttributeChanges, showing: Showing): Promise<void> {
  const row = await findAttribute(tx, tx.actor.account, id)
  refuseOther('bk_obj_id', sent.bk_obj_id, row.object_id)
  refuseOther('bk_property_id', sent.bk_property_id, row.attribute_id)
  refuseOther('bk_property_type', sent.bk_property_type, row.type)
  const words = wordsFor.attribute(row)
  const group = await groupNamedIn(tx, 'bk_property_group', row.object_id, sent.bk_property_group ?? row.group_id)
  const type = storedType(row.type)
  const isSearchable = row.searchable !== 0
  const wanted = sent.searchable ?? isSearchable
  const changes = {
    name: renamed('bk_property_name', sent.bk_property_name, row.name, words),
    options: sent.option === undefined || sent.option === null ? row.options : changedOption(row, sent.option),
    unit: labelText('unit', sent.unit ?? row.unit),
    placeholder: plainText('placeholder', sent.placeholder ?? row.placeholder, longestHint),
    required: Number(sent.isrequired ?? row.required === 1),
    editable: Number(sent.editable ?? row.editable === 1),
    group_id: group.group_id,
    last_time: tx.now,
    ...(wanted !== isSearchable && (await switched(tx, { object: row.object_id, id: row.attribute_id, type }, wanted))),
  }
  const before = showAttribute(row, inEnglish(showing))
  const after = showAttribute(
    { ...row, ...changes, group_name: group.name, group_preset: group.preset },
    inEnglish(showing),
  )
  if (!differs(before, after)) return

  // The service relies on these, above all on the names of instances.
  if (row.preset && changes.required !== row.required) {
    throw problem('invalid', { field: 'isrequired', rule: rule('unchangeable') })
  }
  const others = await attributesOf(tx, row.object_id)
  refuseTakenAttribute(
    { name: changes.name, words },
    others.filter((other) => other.id !== id),
  )
  await tx.updateTable('attribute').set(changes).where('id', '=', id).execute()
  if (isSearchable && !wanted) await dropKeys(tx, [row.searchable])
  await altered(tx, { part: 'attribute', before, after })
}

/** Built-in choices may be renamed but not removed, and choices may be added. The same option in another language is no change. */
function changedOption(row: AttributeRow, sent: unknown): string {
  const option = readOption(storedType(row.type), sent)
  if (row.type !== 'enum' || !row.preset) return option
  const wordsOfChoice = (id: string) => wordsOf.choice(row.object_id, row.attribute_id, id)
  const choices = readOwnJson<Choice[]>(option).map((choice) => ({
    ...choice,
    name: storedName(wordsOfChoice(choice.id), choice.name),
  }))
  const kept = new Set(choices.map((choice) => choice.id))
  const gone = readOwnJson<Choice[]>(row.options).find(({ id }) => wordsOfChoice(id) && !kept.has(id))
  if (gone) throw problem('invalid', { field: 'option', rule: rule('presetChoice', { value: gone.id }) })
  return JSON.stringify(choices)
}

/** Deletes the definition only. Stored values are no longer shown, and read as unset if an attribute of another type takes the name. */
export async function deleteAttribute(tx: Tx, id: number, showing: Showing): Promise<void> {
  const row = await findAttribute(tx, tx.actor.account, id)
  if (row.preset) throw problem('attributeNotDeleted', { why: rule('preset') })
  await refuseInUnique(tx, row.object_id, row.attribute_id)
  await tx.deleteFrom('attribute').where('id', '=', id).execute()
  await dropKeys(tx, [row.searchable])
  await altered(tx, { part: 'attribute', before: showAttribute(row, inEnglish(showing)) })
}
