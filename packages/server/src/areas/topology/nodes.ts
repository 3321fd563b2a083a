import { type Problem, problem } from '@mainline/contract'
import type { Insertable } from 'kysely'
import {
  insertMany,
  prepared,
  preparedChange,
  type Reader,
  refuse,
  type Tables,
  type Tx,
} from '../../platform/storage/index.ts'
import { type Attributes, dropValues, keepValues, nameField, type ObjectModel, replaceValues } from '../model/index.ts'
import { nameKey } from './built-in.ts'

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
  /** Of a business: enable, or disabled when archived. */
  status?: string
}

/** The part of every query that reads instances. */
export const selectNodes = (reader: Reader, object: string) =>
  selectAnyNodes(reader).where('node.object_id', '=', object)

/** The same for instances that are found in another way than by their object. */
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
      'node.biz_id',
      'node.parent_id',
    ])

/** Businesses also have a status, kept with their lock. */
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
  readonly id: number
  readonly name: string
  readonly builtIn: number
  readonly attributes: string
  /** Undefined for a business, and for what is in none. */
  readonly under?: Under
}

/** Names are unique among siblings; where there is no parent, in the account. */
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
      business: row.business,
      biz_id: row.biz_id,
      parent: row.parent,
      parent_id: row.parent_id,
    })
    .returning(['id', 'inst_id']),
)

/** Inserts instances of one object and returns them in order. */
export async function insertNodes(tx: Tx, object: ObjectModel, created: readonly NewNode[]): Promise<Node[]> {
  const rows = created.map(({ id, name, builtIn, attributes, under }) => ({
    account: tx.actor.account,
    object_id: object.id,
    inst_id: id,
    name,
    built_in: builtIn,
    attributes,
    creator: tx.actor.user,
    create_time: tx.now,
    last_time: tx.now,
    name_key: nameKey(object.id, name),
    business: under?.business ?? null,
    biz_id: under?.bizId ?? (object.id === 'biz' ? id : 0),
    parent: under?.parent ?? null,
    parent_id: under?.parentId ?? 0,
  }))
  const [only] = rows
  const inserting =
    rows.length === 1 && only ? insertOne(tx, only) : insertMany(tx, 'node', rows, { returning: ['id', 'inst_id'] })
  const inserted = await refuse(inserting, nameTaken(object.id))
  const ids = new Map(inserted.map((row) => [row.inst_id, row.id]))
  const nodes = rows.map((row) => ({ ...row, id: ids.get(row.inst_id) as number, status: 'enable' }))
  await keepValues(
    tx,
    object,
    nodes.map((node) => ({ instance: node.id, attributes: valuesOf(object, node) })),
  )
  return nodes
}

/** All that an instance can be found by: the name is one of its attributes. */
const valuesOf = (object: ObjectModel, { name, attributes }: Pick<Node, 'name' | 'attributes'>): Attributes => ({
  ...JSON.parse(attributes),
  [nameField(object.id)]: name,
})

const rewrite = preparedChange(
  (writer, row: { id: number; name: string; name_key: string; attributes: string; last_time: number }) =>
    writer
      .updateTable('node')
      .set({ name: row.name, name_key: row.name_key, attributes: row.attributes, last_time: row.last_time })
      .where('id', '=', row.id),
)

/** Rewrites an instance that was just read, and with its business, or its row, held. */
export async function updateNode(
  tx: Tx,
  object: ObjectModel,
  node: Node,
  name: string,
  attributes: string,
): Promise<void> {
  const row = { id: node.id, name, name_key: nameKey(object.id, name), attributes, last_time: tx.now }
  await refuse(rewrite(tx, row), nameTaken(object.id))
  const [before, after] = [valuesOf(object, node), valuesOf(object, row)]
  await replaceValues(tx, object, [{ instance: node.id, before, attributes: after }])
}

/** A host in a module or in a cloud area is a foreign key on it: the constraint decides, also against one that arrives now. */
export async function deleteNodes(tx: Tx, object: ObjectModel, nodes: readonly Node[]): Promise<void> {
  const ids = nodes.map((node) => node.id)
  await refuse(
    tx
      .deleteFrom('node')
      .where((eb) => tx.dialect.among(eb.ref('id'), ids, 'integer'))
      .execute(),
    object.id === 'plat'
      ? { host_cloud: () => problem('instanceAssociated', { what: 'host' }) }
      : { placement_module: () => problem('hostsUnder') },
  )
  await dropValues(tx, object, ids)
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
