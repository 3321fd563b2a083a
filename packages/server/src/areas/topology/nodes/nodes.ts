import { type Problem, problem } from '@mainline/contract'
import type { Insertable } from 'kysely'
import { present } from '../../../common/present.ts'
import {
  attributesIn,
  insertMany,
  prepared,
  preparedChange,
  type Reader,
  refuse,
  type Tables,
  type Tx,
} from '../../../storage/index.ts'
import { associatedMeanwhile } from '../../associations/index.ts'
import {
  type Attributes,
  dropValues,
  keepValues,
  nameField,
  type ObjectModel,
  refuseTaken,
  replaceValues,
} from '../../model/index.ts'
import { nameKey } from './built-in.ts'

/** A stored instance with the public ids of its ancestors. */
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
  revision: number
  parent_id: number
  biz_id: number
  /** Of a business only: enabled, or disabled when archived. */
  status?: string
}

/** The base query for instances of one object. */
export const selectNodes = (reader: Reader, object: string) =>
  selectAnyNodes(reader).where('node.object_id', '=', object)

/** The base query for instances of any object. */
export const selectAnyNodes = (reader: Reader) =>
  reader
    .selectFrom('node')
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
      'node.revision',
      'node.biz_id',
      'node.parent_id',
    ])

/** Businesses with their status, which is stored in the lock row. */
export const selectBusinesses = (reader: Reader) =>
  selectNodes(reader, 'biz').innerJoin('business', 'business.node', 'node.id').select('business.status')

export const findNodes = (reader: Reader, object: string, business: number, ids: readonly number[]): Promise<Node[]> =>
  selectNodes(reader, object)
    .where('node.business', '=', business)
    .where((eb) => reader.dialect.among(eb.ref('node.inst_id'), ids, 'integer'))
    .orderBy('node.inst_id')
    .execute()

const findOne = prepared((reader, { object, business, id }: { object: string; business: number; id: number }) =>
  selectNodes(reader, object).where('node.business', '=', business).where('node.inst_id', '=', id),
)

export async function findNode(reader: Reader, object: string, business: number, id: number): Promise<Node> {
  const [found] = await findOne(reader, { object, business, id })
  if (!found) throw problem('notFound')
  return found
}

/** Checked attributes in stored form: without the name, which has its own column, and without unset attributes. */
export function storedAttributes(object: ObjectModel, attributes: Attributes): string {
  const entries = Object.entries(attributes).filter(
    ([id, value]) => id !== nameField(object.id) && value !== null && value !== '',
  )
  return JSON.stringify(Object.fromEntries(entries))
}

/** The parent of a new instance: internal ids for foreign keys, public ones for its record. */
export interface ParentIds {
  readonly business: number
  readonly bizId: number
  readonly parent: number
  readonly parentId: number
}

export interface NewNode {
  readonly id: number
  readonly name: string
  readonly builtIn: number
  readonly attributes: string
  /** Undefined for a business, and for instances outside of businesses. */
  readonly under?: ParentIds
  /** Of an instance that was deleted and returns; a new one begins now. */
  readonly restored?: Pick<Node, 'creator' | 'create_time' | 'last_time' | 'revision'>
}

/** Names are unique among siblings, or in the account if there is no parent. */
const nameTaken = (object: string) => {
  const taken = () => problem('duplicate', { what: nameField(object) })
  return { node_sibling_name: taken, node_account_name: taken }
}

type NodeRow = Insertable<Tables['node']>

const insertOne = preparedChange((writer, row: NodeRow) =>
  writer
    .insertInto('node')
    .values({
      account: row.account,
      object_id: row.object_id,
      inst_id: row.inst_id,
      name: row.name,
      name_key: row.name_key,
      built_in: row.built_in,
      attributes: row.attributes,
      creator: row.creator,
      create_time: row.create_time,
      last_time: row.last_time,
      revision: row.revision,
      business: row.business,
      biz_id: row.biz_id,
      parent: row.parent,
      parent_id: row.parent_id,
    })
    .returning(['id', 'inst_id']),
)

/** Inserts instances that the change needs no internal ids of. A single one is usually not waited for: see `Tx.later`. */
export async function addNodes(tx: Tx, object: ObjectModel, created: readonly NewNode[]): Promise<Omit<Node, 'id'>[]> {
  const [row, another] = rowsOf(tx, object, created)
  if (!row || another || object.searchable.length + object.uniques.length > 0) return insertNodes(tx, object, created)
  tx.later(refuse(insertOne(tx, row), nameTaken(object.id)))
  return [{ ...row, status: 'enable' }]
}

const rowsOf = (tx: Tx, object: ObjectModel, created: readonly NewNode[]) =>
  created.map(({ id, name, builtIn, attributes, under, restored }) => ({
    account: tx.actor.account,
    object_id: object.id,
    inst_id: id,
    name,
    built_in: builtIn,
    attributes,
    creator: restored?.creator ?? tx.actor.user,
    create_time: restored?.create_time ?? tx.now,
    last_time: restored?.last_time ?? tx.now,
    revision: restored?.revision ?? 1,
    name_key: nameKey(object.id, name),
    business: under?.business ?? null,
    biz_id: under?.bizId ?? (object.id === 'biz' ? id : 0),
    parent: under?.parent ?? null,
    parent_id: under?.parentId ?? 0,
  }))

/** Inserts instances of one object and returns them in the same order. */
export async function insertNodes(tx: Tx, object: ObjectModel, created: readonly NewNode[]): Promise<Node[]> {
  const rows = rowsOf(tx, object, created)
  await refuseTaken(
    tx,
    object,
    rows.filter((row) => row.built_in === 0).map((row) => ({ attributes: valuesOf(object, row) })),
  )
  const [only] = rows
  const inserting =
    rows.length === 1 && only ? insertOne(tx, only) : insertMany(tx, 'node', rows, { returning: ['id', 'inst_id'] })
  const inserted = await refuse(inserting, nameTaken(object.id))
  const ids = new Map(inserted.map((row) => [row.inst_id, row.id]))
  const nodes = rows.map((row) => ({ ...row, id: present(ids.get(row.inst_id)), status: 'enable' }))
  await keepValues(
    tx,
    object,
    nodes.map((node) => ({ instance: node.id, attributes: valuesOf(object, node), isBuiltIn: node.built_in !== 0 })),
  )
  return nodes
}

/** All values by which an instance can be found; the name is one of its attributes. */
const valuesOf = (object: ObjectModel, node: Pick<Node, 'name' | 'attributes'>): Attributes => ({
  ...attributesIn(node),
  [nameField(object.id)]: node.name,
})

const rewrite = preparedChange((writer, row: Node & { name_key: string }) =>
  writer
    .updateTable('node')
    .set({
      name: row.name,
      name_key: row.name_key,
      attributes: row.attributes,
      last_time: row.last_time,
      revision: row.revision,
    })
    .where('id', '=', row.id),
)

/** Rewrites an instance that was read while its business, or its own row, was locked; `changed` is its new content. */
export async function updateNode(tx: Tx, object: ObjectModel, node: Node, changed: Node): Promise<void> {
  const named = { ...changed, name_key: nameKey(object.id, changed.name) }
  const [before, after] = [valuesOf(object, node), valuesOf(object, changed)]
  const isBuiltIn = node.built_in !== 0
  if (!isBuiltIn) await refuseTaken(tx, object, [{ instance: node.id, attributes: after }])
  tx.later(refuse(rewrite(tx, named), nameTaken(object.id)))
  await replaceValues(tx, object, [{ instance: node.id, before, attributes: after, isBuiltIn }])
}

/** Foreign keys refuse to delete a module or cloud area with hosts, including hosts that are being added concurrently. */
export async function deleteNodes(tx: Tx, object: ObjectModel, nodes: readonly Node[]): Promise<void> {
  const ids = nodes.map((node) => node.id)
  await refuse(
    tx
      .deleteFrom('node')
      .where((eb) => tx.dialect.among(eb.ref('id'), ids, 'integer'))
      .execute(),
    {
      ...(object.id === 'plat'
        ? { host_cloud: () => problem('instanceAssociated', { what: 'host' }) }
        : { placement_module: () => problem('hostsUnder') }),
      ...associatedMeanwhile('node'),
    },
  )
  await dropValues(tx, object, ids)
}

/**
 * The name after an update. A built-in instance cannot be renamed; sending its displayed name in any language is no
 * change.
 */
export function nameAfter(node: Node, sent: unknown, refusal: () => Problem): string {
  if (typeof sent !== 'string') return node.name
  if (node.built_in === 0) return sent
  if (nameKey(node.object_id, sent) !== node.name) throw refusal()
  return node.name
}
