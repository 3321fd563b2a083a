import { type Language, type Problem, problem } from '@mainline/contract'
import type { Field } from '../../platform/condition/condition.ts'
import type { Reader, Snapshot, Tx } from '../../platform/storage/index.ts'
import { refuse } from '../../platform/storage/index.ts'
import type { Zone } from '../../platform/time.ts'
import type { Attribute, Attributes, ObjectModel } from '../model/index.ts'
import { nameKey, shownName } from './built-in.ts'
import { fieldsOf, nameField } from './fields.ts'

/** A stored instance with the public ids around it. */
export interface Node {
  id: number
  account: string
  object_id: string
  inst_id: number
  name: string
  built_in: number
  attributes: string
  creator: string
  create_time: number
  last_time: number
  parent_id: number
  biz_id: number
  /** Of its business: enable, or disabled when archived. */
  status: string
}

/** The part of every query that reads instances: the instance, its parent and its business. */
export const selectNodes = (reader: Reader, object: string) =>
  reader
    .selectFrom('node')
    .leftJoin('node as parent', 'parent.id', 'node.parent')
    .innerJoin('business', (join) => join.on('business.node', '=', (eb) => eb.fn.coalesce('node.business', 'node.id')))
    .where('node.object_id', '=', object)
    .select([
      'node.id',
      'node.account',
      'node.object_id',
      'node.inst_id',
      'node.name',
      'node.built_in',
      'node.attributes',
      'node.creator',
      'node.create_time',
      'node.last_time',
    ])
    .select((eb) => [eb.fn.coalesce('parent.inst_id', eb.lit(0)).as('parent_id'), 'business.biz_id', 'business.status'])

export const findNodes = (reader: Reader, object: string, business: number, ids: readonly number[]): Promise<Node[]> =>
  selectNodes(reader, object)
    .where('node.business', '=', business)
    .where((eb) => reader.dialect.among(eb.ref('node.inst_id'), ids, 'integer'))
    .orderBy('node.inst_id')
    .execute()

export async function findNode(reader: Reader, object: string, business: number, id: number): Promise<Node> {
  const found = await selectNodes(reader, object)
    .where('node.business', '=', business)
    .where('node.inst_id', '=', id)
    .executeTakeFirst()
  if (!found) throw problem('notFound')
  return found
}

/** A checked attribute map as it is stored: the name has a column of its own, unset attributes are left out. */
export function storedAttributes(object: ObjectModel, attributes: Attributes): string {
  const entries = Object.entries(attributes).filter(
    ([id, value]) => id !== nameField(object.id) && value !== null && value !== '',
  )
  return JSON.stringify(Object.fromEntries(entries))
}

/** Where a new instance goes: internal ids for the keys, public ones for its record. */
export interface Under {
  readonly business: number
  readonly bizId: number
  readonly parent: number
  readonly parentId: number
}

export interface NewNode {
  readonly object: string
  readonly id: number
  readonly name: string
  readonly builtIn: number
  readonly attributes: string
  /** Undefined for a business. */
  readonly under?: Under
}

/** Inserts instances of one object and returns them in order. */
export async function insertNodes(tx: Tx, created: readonly NewNode[]): Promise<Node[]> {
  const rows = created.map(({ object, id, name, builtIn, attributes, under }) => ({
    account: tx.actor.account,
    object_id: object,
    inst_id: id,
    name,
    built_in: builtIn,
    attributes,
    creator: tx.actor.user,
    create_time: tx.now,
    last_time: tx.now,
    name_key: nameKey(object, name),
    business: under?.business ?? null,
    parent: under?.parent ?? null,
  }))
  const inserted = await refuse(tx.insertInto('node').values(rows).returning(['id', 'inst_id']).execute(), {
    node_sibling_name: () => problem('duplicate', { what: nameField(created[0]?.object ?? '') }),
  })
  const ids = new Map(inserted.map((row) => [row.inst_id, row.id]))
  return rows.map((row, index) => ({
    ...row,
    id: ids.get(row.inst_id) as number,
    parent_id: created[index]?.under?.parentId ?? 0,
    biz_id: created[index]?.under?.bizId ?? row.inst_id,
    status: 'enable',
  }))
}

export async function updateNode(tx: Tx, node: Node, name: string, attributes: string): Promise<void> {
  await refuse(
    tx
      .updateTable('node')
      .set({ name, name_key: nameKey(node.object_id, name), attributes, last_time: tx.now })
      .where('id', '=', node.id)
      .execute(),
    { node_sibling_name: () => problem('duplicate', { what: nameField(node.object_id) }) },
  )
}

/**
 * The name after an update. What is built in keeps its own: another one is refused, while the one it is shown under, in
 * whichever language, is no change.
 */
export function nameAfter(node: Node, sent: unknown, refusal: () => Problem): string {
  if (typeof sent !== 'string') return node.name
  if (node.built_in === 0) return sent
  if (nameKey(node.object_id, sent) !== node.name) throw refusal()
  return node.name
}

/** How records are shown: the language of built-in names and the zone of times. */
export interface Showing {
  readonly language: Language
  readonly zone: Zone
}

/** The record of an instance with the fields asked for, all of them when none are; names the model does not have are left out. */
export function show(object: ObjectModel, node: Node, showing: Showing, wanted?: readonly string[]): Snapshot {
  const fields = fieldsOf(object)
  const attributes = JSON.parse(node.attributes) as Record<string, unknown>
  const record: Snapshot = {}
  for (const name of wanted && wanted.length > 0 ? wanted : fields.keys()) {
    const field = fields.get(name)
    if (field) record[name] = shownValue(object, node, attributes, field, showing)
  }
  return record
}

function shownValue(
  object: ObjectModel,
  node: Node,
  attributes: Record<string, unknown>,
  field: Field,
  showing: Showing,
): unknown {
  if ('attribute' in field.at) {
    const id = field.at.attribute
    return attributeValue(attributes[id], object.attribute.get(id)?.type)
  }
  if (field.at.column === 'name') return shownName(object.id, node.built_in, node.name, showing.language)
  const value = columnValue(node, field.at)
  return field.type === 'instant' ? showing.zone.write(value as number) : value
}

/** Unset reads '' for texts and null for the rest; so does what an attribute of another type left behind. */
function attributeValue(value: unknown, type: Attribute['type'] | undefined): unknown {
  switch (type) {
    case 'int':
    case 'float':
      return typeof value === 'number' ? value : null
    case 'bool':
      return typeof value === 'boolean' ? value : null
    case 'singlechar':
    case 'longchar':
    case 'objuser':
      return typeof value === 'string' ? value : ''
    default:
      return typeof value === 'string' ? value : null
  }
}

/** A stored row as conditions see it: times as numbers, built-in names as stored. */
export function storedValue(object: ObjectModel, node: Node): (name: string) => unknown {
  const attributes = JSON.parse(node.attributes) as Record<string, unknown>
  const fields = fieldsOf(object)
  return (name) => {
    const field = fields.get(name)
    if (!field) return null
    if ('attribute' in field.at) return attributes[field.at.attribute] ?? null
    return columnValue(node, field.at)
  }
}

const columnValue = (node: Node, at: { table?: string; column: string }) =>
  at.table === 'parent' ? node.parent_id : node[at.column as keyof Node]

/** Whether two records differ in more than the time of the last change. */
export function differs(before: Snapshot, after: Snapshot): boolean {
  const { last_time: _, ...was } = before
  const { last_time: __, ...is } = after
  return JSON.stringify(was) !== JSON.stringify(is)
}
