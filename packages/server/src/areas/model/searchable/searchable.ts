// Indexed values of searchable attributes, written by the change that writes the instance.

import { problem, type Rule, rule } from '@mainline/contract'
import type { Insertable } from 'kysely'
import { first } from '../../../common/present.ts'
import type { Field } from '../../../condition/condition.ts'
import { insertMany, type Tables, type Tx } from '../../../storage/index.ts'
import type { Attributes } from '../check.ts'
import type { Attribute, ObjectModel } from '../model.ts'
import type { AttributeType } from '../presets.ts'

type Kept = Insertable<Tables['attribute_value']>

/** An instance by the internal id of its row, with all its attributes. */
export interface Valued {
  readonly instance: number
  readonly attributes: Attributes
  /** Built-in instances are exempt from unique rules: every business has the same. */
  readonly isBuiltIn?: boolean
}

/** The column for values of each type. Remarks (longchar) are too long to be indexed. */
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

type AttributeRef = Pick<Attribute, 'object' | 'id' | 'type'>
type Searchable = AttributeRef & Pick<Attribute, 'searchable'>

/** Inner addresses are unique and have an index table of their own. */
const isFoundAnyway = ({ object, id }: AttributeRef) => object === 'host' && id === 'bk_host_innerip'

/** Lower than any instance id: the default cloud area has the id 0. */
export const beforeFirstId = -1

/** The columns of an attribute that is made searchable or not. Existing instances are indexed in the background. */
export async function switched(tx: Tx, attribute: AttributeRef, on: boolean) {
  if (!on) return { searchable: 0, filled: 0, filled_to: beforeFirstId }
  const refused = (why: Rule) => problem('invalid', { field: 'searchable', rule: why })
  if (columns[attribute.type] === undefined) throw refused(rule('tooLongToSearch', { type: attribute.type }))
  if (isFoundAnyway(attribute)) throw refused(rule('foundAnyway'))
  const key = first(await tx.drawIds('value', 1))
  return { searchable: key, filled: 0, filled_to: beforeFirstId }
}

/** Marks the values under these keys as obsolete; the background job removes them. */
export async function dropKeys(tx: Tx, keys: readonly number[]): Promise<void> {
  const dropped = keys.filter((key) => key !== 0).map((key) => ({ key, dropped_at: tx.now }))
  if (dropped.length > 0) await tx.insertInto('dropped_key').values(dropped).execute()
}

/** Whether the attribute holds a comma-separated list of users or addresses. */
export const isList = ({ object, id, type }: AttributeRef) =>
  type === 'objuser' || (object === 'host' && (id === 'bk_host_innerip' || id === 'bk_host_outerip'))

/** Roles of businesses are searchable by default: the guard searches them for the caller's name. */
export const isRole = (object: string, type: AttributeType): boolean => object === 'biz' && type === 'objuser'

/** The index a condition may use; empty while values are missing. Spread into the attribute's field. */
export function indexOf({ searchable, filled, type }: Attribute): Pick<Field, 'index'> {
  const column = columns[type]
  return searchable !== 0 && filled && column ? { index: { key: searchable, column } } : {}
}

/** Indexes the values of new instances. */
export const indexValues = (tx: Tx, object: ObjectModel, instances: readonly Valued[]): Promise<void> =>
  insertValues(
    tx,
    instances.flatMap((each) => object.searchable.flatMap((attribute) => valuesOf(attribute, each))),
  )

/**
 * Replaces the indexed values of changed instances; with `before`, only those of attributes that have changed.
 * Runs after the instances are written, so a background fill either came before or reads the new values.
 */
export async function reindexValues(
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

/** Removes the indexed values of deleted instances. */
export const unindexValues = (tx: Tx, object: ObjectModel, instances: readonly number[]): Promise<void> =>
  deleteValues(tx, object.searchable, instances)

/** Selected by key as well: instances of different objects may share a number. */
async function deleteValues(tx: Tx, attributes: readonly Attribute[], instances: readonly number[]): Promise<void> {
  if (attributes.length === 0 || instances.length === 0) return
  const keys = attributes.map((attribute) => attribute.searchable)
  await tx
    .deleteFrom('attribute_value')
    .where((eb) => tx.dialect.among(eb.ref('instance'), instances, 'integer'))
    .where((eb) => tx.dialect.among(eb.ref('key'), keys, 'integer'))
    .execute()
}

/** Existing values are kept: a change that ran in between has written newer ones. */
export async function insertValues(tx: Tx, rows: readonly Kept[]): Promise<void> {
  await insertMany(tx, 'attribute_value', rows, { unlessThere: true })
}

/** Skips unset values and those of another type. A list is indexed by each member and as a whole. */
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
