import { type BodyOf, type model, problem, rule } from '@mainline/contract'
import type { Tx } from '../../platform/storage/index.ts'
import { altered, differs, inEnglish } from './alter.ts'
import { nameText, plainText } from './check.ts'
import { labelText, newAttributeId, refuseOther, refuseTakenId, refuseTakenName, renamed } from './identifiers.ts'
import type { Choice } from './model.ts'
import { storedName, wordsOf } from './names.ts'
import { readOption } from './option.ts'
import { type AttributeType, attributeTypes } from './presets.ts'
import { type AttributeRow, type GroupRow, type Showing, showAttribute, wordsFor } from './records.ts'
import { findAttribute, objectCalled, selectAttributes, selectGroups } from './rows.ts'
import { dropKeys, isRole, switched } from './searchable.ts'

type New = BodyOf<typeof model.createAttribute>
type Changes = BodyOf<typeof model.updateAttribute>

const longestHint = 2_000

export async function createAttribute(tx: Tx, sent: New, showing: Showing) {
  const { account } = tx.actor
  const object = await objectCalled(tx, account, sent.bk_obj_id)
  if (!object) throw problem('unknown', { field: 'bk_obj_id' })
  const id = newAttributeId(sent.bk_property_id)
  const name = nameText('bk_property_name', sent.bk_property_name)
  const type = readType(sent.bk_property_type)
  const options = readOption(type, sent.option)
  const unit = labelText('unit', sent.unit ?? '')
  const placeholder = plainText('placeholder', sent.placeholder ?? '', longestHint)
  const group = await findOwnGroup(tx, object.object_id, sent.bk_property_group ?? 'default')
  const others = await attributesOf(tx, object.object_id)
  refuseTakenId(
    'bk_property_id',
    id,
    others.map((row) => row.attribute_id),
  )
  refuseTaken({ name, words: undefined }, others)
  const role = isRole(object.object_id, type)
  if (role) await clearHolders(tx, id)
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
  await altered(tx, { part: 'attribute', after: showAttribute(row, inEnglish(showing)) })
  return showAttribute(row, showing)
}

/** A role begins without holders: what an attribute left behind under its name may have been written by who may not give roles. */
async function clearHolders(tx: Tx, role: string): Promise<void> {
  const left = await tx
    .selectFrom('node')
    .select(['id', 'attributes'])
    .where('account', '=', tx.actor.account)
    .where('object_id', '=', 'biz')
    .where((eb) => eb(tx.dialect.jsonText(eb.ref('attributes'), role), '<>', ''))
    .execute()
  for (const { id, attributes } of left) {
    const { [role]: _, ...kept } = JSON.parse(attributes)
    await tx
      .updateTable('node')
      .set({ attributes: JSON.stringify(kept) })
      .where('id', '=', id)
      .execute()
  }
}

function readType(sent: string): AttributeType {
  const type = attributeTypes.find((each) => each === sent)
  if (type) return type
  throw problem('invalid', { field: 'bk_property_type', rule: rule('oneOf', { values: attributeTypes.join(', ') }) })
}

const attributesOf = (tx: Tx, object: string): Promise<AttributeRow[]> =>
  selectAttributes(tx, tx.actor.account).where('attribute.object_id', '=', object).execute()

async function findOwnGroup(tx: Tx, object: string, id: string): Promise<GroupRow> {
  const found = await selectGroups(tx, tx.actor.account)
    .where('object_id', '=', object)
    .where('group_id', '=', id)
    .executeTakeFirst()
  if (!found) throw problem('unknown', { field: 'bk_property_group' })
  return found
}

const refuseTaken = (named: Parameters<typeof refuseTakenName>[1], others: readonly AttributeRow[]) =>
  refuseTakenName(
    'bk_property_name',
    named,
    others.map((row) => ({ name: row.name, words: wordsFor.attribute(row) })),
  )

export async function updateAttribute(tx: Tx, id: number, sent: Changes, showing: Showing): Promise<void> {
  const row = await findAttribute(tx, tx.actor.account, id)
  refuseOther('bk_obj_id', sent.bk_obj_id, row.object_id)
  refuseOther('bk_property_id', sent.bk_property_id, row.attribute_id)
  refuseOther('bk_property_type', sent.bk_property_type, row.type)
  const words = wordsFor.attribute(row)
  const group = await findOwnGroup(tx, row.object_id, sent.bk_property_group ?? row.group_id)
  const type = row.type as AttributeType
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

  // The service itself relies on these, names of instances above all.
  if (row.preset && changes.required !== row.required) {
    throw problem('invalid', { field: 'isrequired', rule: rule('unchangeable') })
  }
  const others = await attributesOf(tx, row.object_id)
  refuseTaken(
    { name: changes.name, words },
    others.filter((other) => other.id !== id),
  )
  await tx.updateTable('attribute').set(changes).where('id', '=', id).execute()
  if (isSearchable && !wanted) await dropKeys(tx, [row.searchable])
  await altered(tx, { part: 'attribute', before, after })
}

/** Built-in choices may be renamed and joined by others, but stay; sent back in any language, they are no change. */
function changedOption(row: AttributeRow, sent: unknown): string {
  const option = readOption(row.type as AttributeType, sent)
  if (row.type !== 'enum' || !row.preset) return option
  const wordsOfChoice = (id: string) => wordsOf.choice(row.object_id, row.attribute_id, id)
  const choices = (JSON.parse(option) as Choice[]).map((choice) => ({
    ...choice,
    name: storedName(wordsOfChoice(choice.id), choice.name),
  }))
  const kept = new Set(choices.map((choice) => choice.id))
  const gone = (JSON.parse(row.options) as Choice[]).find(({ id }) => wordsOfChoice(id) && !kept.has(id))
  if (gone) throw problem('invalid', { field: 'option', rule: rule('presetChoice', { value: gone.id }) })
  return JSON.stringify(choices)
}

/** Only the definition goes. What instances hold under its name is no longer shown, and counts as unset for another type. */
export async function deleteAttribute(tx: Tx, id: number, showing: Showing): Promise<void> {
  const row = await findAttribute(tx, tx.actor.account, id)
  if (row.preset) throw problem('attributeNotDeleted', { why: rule('preset') })
  await tx.deleteFrom('attribute').where('id', '=', id).execute()
  await dropKeys(tx, [row.searchable])
  await altered(tx, { part: 'attribute', before: showAttribute(row, inEnglish(showing)) })
}
