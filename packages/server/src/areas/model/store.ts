import { problem } from '@mainline/contract'
import { type CommittedReader, preparedShared, type Reader, type Tx } from '../../storage/index.ts'
import { type Attribute, type Model, type ObjectModel, readOptions } from './model.ts'
import type { PresetAttribute } from './presets.ts'
import { presetClassifications, presetGroups, presetObjects, storedType } from './presets.ts'
import { keptUniques } from './unique/rows.ts'

const versions = preparedShared((reader, { account }: { account: string }) =>
  reader.selectFrom('account').select('model_version').where('name', '=', account),
)

export async function readVersion(reader: Reader, account: string): Promise<number> {
  const [found] = await versions(reader, { account })
  if (!found) throw problem('notFound')
  return found.model_version
}

export async function readModel(reader: Reader, account: string, version: number): Promise<Model> {
  const [objects, attributes, uniques] = await Promise.all([
    reader.selectFrom('object').selectAll().where('account', '=', account).execute(),
    reader
      .selectFrom('attribute')
      .selectAll()
      .where('account', '=', account)
      .orderBy('position')
      .orderBy('id')
      .execute(),
    keptUniques(reader, account),
  ])
  const attributesOf = Map.groupBy(attributes, (row) => row.object_id)
  const models = objects.map((row): ObjectModel => {
    const own = (attributesOf.get(row.object_id) ?? []).map((each): Attribute => {
      const type = storedType(each.type)
      return {
        id: each.attribute_id,
        object: each.object_id,
        name: each.name,
        group: each.group_id,
        type,
        required: each.required === 1,
        preset: each.preset === 1,
        ...readOptions(type, each.options),
        searchable: each.searchable,
        filled: each.filled === 1,
      }
    })
    return {
      id: row.object_id,
      name: row.name,
      preset: row.preset === 1,
      paused: row.paused === 1,
      above: row.above,
      attributes: own,
      attribute: new Map(own.map((attribute) => [attribute.id, attribute])),
      searchable: own.filter((attribute) => attribute.searchable !== 0),
      uniques: uniques.get(row.object_id) ?? [],
      derived: new Map(),
    }
  })
  return { account, version, objects: new Map(models.map((object) => [object.id, object])) }
}

/** All parts of one version, though it takes several statements: read again when a change came in between. */
export async function readCommittedModel(reader: CommittedReader, account: string, version: number): Promise<Model> {
  for (let before = version; ; ) {
    const model = await readModel(reader, account, before)
    const after = await readVersion(reader, account)
    if (after === before) return model
    before = after
  }
}

/** Creates the account with the built-in model. False when it exists already, or another process created it first. */
export async function insertAccount(tx: Tx, account: string): Promise<boolean> {
  const created = await tx
    .insertInto('account')
    .values({ name: account, chain_version: tx.stamp, model_version: tx.stamp })
    .onConflict((conflict) => conflict.doNothing())
    .returning('name')
    .executeTakeFirst()
  if (!created) return false

  await insertPresetObjects(tx, account)
  await insertPresetAttributes(tx, account)
  return true
}

const preset = 1

/** The built-in classifications, objects and attribute groups. */
async function insertPresetObjects(tx: Tx, account: string): Promise<void> {
  await tx
    .insertInto('classification')
    .values(
      presetClassifications.map(({ id, name, icon }) => ({
        account,
        classification_id: id,
        name: name.en,
        icon,
        preset,
      })),
    )
    .execute()
  await tx
    .insertInto('object')
    .values(
      presetObjects.map(({ id, name, classification, icon, above }) => ({
        account,
        object_id: id,
        classification_id: classification,
        name: name.en,
        icon,
        preset,
        paused: 0,
        creator: tx.actor.user,
        create_time: tx.now,
        last_time: tx.now,
        above: above ?? null,
      })),
    )
    .execute()
  await tx
    .insertInto('attribute_group')
    .values(
      presetObjects.flatMap((object) =>
        presetGroupsOf(object.attributes).map((group, position) => ({
          account,
          object_id: object.id,
          group_id: group,
          name: presetGroups[group].en,
          position,
          preset,
        })),
      ),
    )
    .execute()
}

async function insertPresetAttributes(tx: Tx, account: string): Promise<void> {
  const keys = await tx.drawIds('value', searchablePresets)
  await tx
    .insertInto('attribute')
    .values(
      presetObjects.flatMap((object) =>
        object.attributes.map((attribute, position) => ({
          account,
          object_id: object.id,
          attribute_id: attribute.id,
          name: attribute.name.en,
          group_id: attribute.group,
          position,
          type: attribute.type,
          options: optionsOf(attribute),
          unit: attribute.unit ?? '',
          placeholder: '',
          required: attribute.required ? 1 : 0,
          editable: 1,
          preset,
          creator: tx.actor.user,
          create_time: tx.now,
          last_time: tx.now,
          // A new account has no instances to index.
          searchable: (attribute.searchable && keys.pop()) || 0,
          filled: attribute.searchable ? 1 : 0,
        })),
      ),
    )
    .execute()
}

const searchablePresets = presetObjects.flatMap((object) => object.attributes).filter((each) => each.searchable).length

const presetGroupsOf = (attributes: readonly PresetAttribute[]) => [
  ...new Set(['default' as const, ...attributes.map((attribute) => attribute.group)]),
]

function optionsOf({ choices, range }: PresetAttribute): string {
  if (choices) {
    return JSON.stringify(
      choices.map(({ id, name, isDefault }) => ({ id, name: name.en, type: 'text', is_default: isDefault ?? false })),
    )
  }
  return range ? JSON.stringify(range) : ''
}
