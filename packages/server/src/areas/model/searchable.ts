// The values of searchable attributes, kept beside the instances: written by the change that writes the instance.
import { problem, type Rule, rule } from '@mainline/contract'
import type { Insertable } from 'kysely'
import type { Field } from '../../platform/condition/condition.ts'
import { insertMany, type Tables, type Tx } from '../../platform/storage/index.ts'
import type { Attributes } from './check.ts'
import type { Attribute, ObjectModel } from './model.ts'
import type { AttributeType } from './presets.ts'

type Kept = Insertable<Tables['attribute_value']>

/** An instance by the internal id of its row, with all its attributes. */
export interface Valued {
  readonly instance: number
  readonly attributes: Attributes
}

/** The column that values of a type are kept in. Remarks are too long to be found by their value. */
const columns: Record<AttributeType, 'text' | 'number' | undefined> = {
  singlechar: 'text',
  longchar: undefined,
  enum: 'text',
  date: 'text',
  time: 'text',
  objuser: 'text',
  timezone: 'text',
  int: 'number',
  float: 'number',
  bool: 'number',
}

type Named = Pick<Attribute, 'object' | 'id' | 'type'>
export type Searchable = Named & Pick<Attribute, 'searchable'>

/** Inner addresses are unique, and have a table of their own that finds them. */
const isFoundAnyway = ({ object, id }: Named) => object === 'host' && id === 'bk_host_innerip'

/** The default cloud area has the id 0. */
const beforeAll = -1

/** What an attribute's row says once it is switched on or off. Older instances are gone through later, in the background. */
export async function switched(tx: Tx, attribute: Named, on: boolean) {
  if (!on) return { searchable: 0, filled: 0, filled_to: beforeAll }
  const refused = (why: Rule) => problem('invalid', { field: 'searchable', rule: why })
  if (columns[attribute.type] === undefined) throw refused(rule('tooLongToSearch', { type: attribute.type }))
  if (isFoundAnyway(attribute)) throw refused(rule('foundAnyway'))
  const [key] = (await tx.drawIds('value', 1)) as [number]
  return { searchable: key, filled: 0, filled_to: beforeAll }
}

/** What is kept under these keys is of no more use; it is removed later, in the background. */
export async function dropKeys(tx: Tx, keys: readonly number[]): Promise<void> {
  const dropped = keys.filter((key) => key !== 0).map((key) => ({ key, dropped_at: tx.now }))
  if (dropped.length > 0) await tx.insertInto('dropped_key').values(dropped).execute()
}

/** Whether it holds a comma list: of users, or of addresses. */
export const isList = ({ object, id, type }: Named) =>
  type === 'objuser' || (object === 'host' && (id === 'bk_host_innerip' || id === 'bk_host_outerip'))

/** Roles of businesses are searchable unless told otherwise: the guard asks where somebody is named. */
export const isRole = (object: string, type: AttributeType): boolean => object === 'biz' && type === 'objuser'

/** How a condition finds instances by the attribute; nothing while values may be missing. To be spread into its field. */
export function indexOf({ searchable, filled, type }: Attribute): Pick<Field, 'index'> {
  const column = columns[type]
  return searchable !== 0 && filled && column ? { index: { key: searchable, column } } : {}
}

/** Keeps the values of new instances. */
export const keepValues = (tx: Tx, object: ObjectModel, instances: readonly Valued[]): Promise<void> =>
  insertValues(
    tx,
    instances.flatMap((each) => object.searchable.flatMap((attribute) => valuesOf(attribute, each))),
  )

/**
 * Keeps the values of changed instances in place of the old ones; with `before`, those of attributes that have changed.
 * After the instances themselves are written, so that whoever fills in older values has come before or will see the new ones.
 */
export async function replaceValues(
  tx: Tx,
  object: ObjectModel,
  instances: readonly (Valued & { readonly before?: Attributes })[],
): Promise<void> {
  const changed = object.searchable.filter(({ id }) =>
    instances.some(({ before, attributes }) => !before || before[id] !== attributes[id]),
  )
  if (changed.length === 0) return
  const ids = instances.map(({ instance }) => instance)
  await deleteValues(tx, changed, ids)
  await insertValues(
    tx,
    instances.flatMap((each) => changed.flatMap((attribute) => valuesOf(attribute, each))),
  )
}

/** Forgets the values of instances that have been deleted. */
export const dropValues = (tx: Tx, object: ObjectModel, instances: readonly number[]): Promise<void> =>
  deleteValues(tx, object.searchable, instances)

/** By key, too: an instance of another object may have the same number. */
async function deleteValues(tx: Tx, attributes: readonly Attribute[], instances: readonly number[]): Promise<void> {
  if (attributes.length === 0 || instances.length === 0) return
  const keys = attributes.map((attribute) => attribute.searchable)
  await tx
    .deleteFrom('attribute_value')
    .where((eb) => tx.dialect.among(eb.ref('instance'), instances, 'integer'))
    .where((eb) => tx.dialect.among(eb.ref('key'), keys, 'integer'))
    .execute()
}

/** What is there already stays: a change that came between has kept it. */
export async function insertValues(tx: Tx, rows: readonly Kept[]): Promise<void> {
  await insertMany(tx, 'attribute_value', rows, { unlessThere: true })
}

/** Nothing of what is unset, or was left behind by an attribute of another type. Of a list each member and the whole. */
export function valuesOf(attribute: Searchable, { instance, attributes }: Valued): Kept[] {
  const value = attributes[attribute.id]
  const common = { key: attribute.searchable, instance }
  if (columns[attribute.type] === 'number') {
    const fits = attribute.type === 'bool' ? typeof value === 'boolean' : typeof value === 'number'
    return fits ? [{ ...common, text: '', number: Number(value) }] : []
  }
  if (typeof value !== 'string' || value === '') return []
  const texts = new Set(isList(attribute) ? [value, ...value.split(',')] : [value])
  return [...texts].map((text) => ({ ...common, text, number: 0 }))
}
