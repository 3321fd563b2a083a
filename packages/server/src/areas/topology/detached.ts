// Instances of objects that are not on the main line: in no business, under nothing, named uniquely in the account.
import { problem } from '@mainline/contract'
import { type Expression, type SqlBool, sql } from 'kysely'
import type { Reader, Snapshot, Tx } from '../../platform/storage/index.ts'
import {
  type Attributes,
  checkNew,
  checkSent,
  differs,
  inEnglish,
  nameField,
  type ObjectModel,
  type Showing,
} from '../model/index.ts'
import { recordDelete } from './instances.ts'
import { deleteNodes, insertNodes, type Node, selectNodes, storedAttributes, updateNode } from './nodes.ts'
import { show } from './record.ts'

/** What a search of them looks through. */
export const detachedIn = (account: string): Expression<SqlBool> =>
  sql<SqlBool>`node.account = ${account} AND node.business IS NULL`

export async function createDetached(
  tx: Tx,
  object: ObjectModel,
  sent: Attributes,
  showing: Showing,
): Promise<Snapshot> {
  const attributes = checkNew(object, sent, showing.zone)
  const [id] = (await tx.drawIds('inst', 1)) as [number]
  const name = attributes[nameField(object.id)] as string
  const [node] = (await insertNodes(tx, object, [
    { id, name, builtIn: 0, attributes: storedAttributes(object, attributes) },
  ])) as [Node]
  tx.record({
    operation: 'add',
    object: object.id,
    instance: id,
    business: 0,
    description: 'create instance',
    before: null,
    after: show(object, node, inEnglish(showing)),
  })
  return show(object, node, showing)
}

export async function updateDetached(
  tx: Tx,
  object: ObjectModel,
  id: number,
  sent: Attributes,
  showing: Showing,
): Promise<void> {
  const [node] = (await holdDetached(tx, object.id, [id])) as [Node]
  const given = checkSent(object, sent, showing.zone)
  const name = (given[nameField(object.id)] as string | undefined) ?? node.name
  const attributes = storedAttributes(object, { ...JSON.parse(node.attributes), ...given })
  const before = show(object, node, inEnglish(showing))
  const after = show(object, { ...node, name, attributes, last_time: tx.now }, inEnglish(showing))
  if (!differs(before, after)) return

  await updateNode(tx, object, node, name, attributes)
  tx.record({
    operation: 'update',
    object: object.id,
    instance: id,
    business: 0,
    description: 'update instance',
    before,
    after,
  })
}

export async function deleteDetached(
  tx: Tx,
  object: ObjectModel,
  ids: readonly number[],
  showing: Showing,
): Promise<void> {
  const nodes = await holdDetached(tx, object.id, ids)
  for (const node of nodes) recordDelete(tx, node, show(object, node, inEnglish(showing)))
  await deleteNodes(tx, object, nodes)
}

/** All of them, in order of id, or "no relevant data". */
export async function findDetached(
  reader: Reader,
  account: string,
  object: string,
  ids: readonly number[],
): Promise<Node[]> {
  return complete(ids, await theseDetached(reader, account, object, ids).execute())
}

/** The same, and nobody else changes them meanwhile: there is no business whose lock would see to that. */
async function holdDetached(tx: Tx, object: string, ids: readonly number[]): Promise<Node[]> {
  const query = theseDetached(tx, tx.actor.account, object, ids)
  return complete(ids, await query.$if(tx.dialect.locksRows, (each) => each.forUpdate('node')).execute())
}

const theseDetached = (reader: Reader, account: string, object: string, ids: readonly number[]) =>
  selectNodes(reader, object)
    .where(detachedIn(account))
    .where((eb) => reader.dialect.among(eb.ref('node.inst_id'), ids, 'integer'))
    .orderBy('node.inst_id')

function complete(ids: readonly number[], found: Node[]): Node[] {
  if (found.length < new Set(ids).size) throw problem('notFound')
  return found
}
