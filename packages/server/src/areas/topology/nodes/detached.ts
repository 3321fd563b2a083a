// Instances of objects off the main line: they have no business and no parent, and names unique in the account.

import { instances, problem } from '@mainline/contract'
import { type Expression, type SqlBool, sql } from 'kysely'
import { first } from '../../../common/present.ts'
import {
  type Actor,
  attributesIn,
  expectRevision,
  nextVersion,
  type Reader,
  type Tx,
  unshownValues,
} from '../../../storage/index.ts'
import { dependentsOf, endAssociations } from '../../associations/index.ts'
import {
  type Attributes,
  checkedName,
  checkNew,
  checkSent,
  differs,
  inEnglish,
  modelIn,
  nameField,
  type ObjectModel,
  objectOf,
  type Showing,
} from '../../model/index.ts'
import type { MissingDeleteGrant } from '../../privileges/index.ts'
import { recordDelete } from './instances.ts'
import {
  deleteNodes,
  insertNodes,
  type Node,
  selectAnyNodes,
  selectNodes,
  storedAttributes,
  updateNode,
} from './nodes.ts'
import { asSchema, showNode } from './record.ts'

/** The scope of their search. */
export const detachedIn = (account: string): Expression<SqlBool> =>
  sql<SqlBool>`node.account = ${account} AND node.business IS NULL`

export async function createDetached(
  tx: Tx,
  object: ObjectModel,
  sent: Attributes,
  showing: Showing,
): Promise<instances.InstanceRecord> {
  const attributes = checkNew(object, sent, showing.zone)
  const id = first(await tx.drawIds('inst', 1))
  const name = checkedName(object, attributes)
  const node = first(
    await insertNodes(tx, object, [{ id, name, builtIn: 0, attributes: storedAttributes(object, attributes) }]),
  )
  tx.record({
    operation: 'add',
    object: object.id,
    instance: id,
    business: 0,
    description: 'create instance',
    revision: node.revision,
    before: null,
    after: showNode(object, node, inEnglish(showing)),
  })
  return asSchema(instances.InstanceRecord, showNode(object, node, showing))
}

export async function updateDetached(
  tx: Tx,
  object: ObjectModel,
  id: number,
  sent: Attributes,
  showing: Showing,
): Promise<void> {
  const node = first(await holdDetached(tx, object.id, [id]))
  expectRevision(tx, [node], (each) => showNode(object, each, showing))
  const given = checkSent(object, sent, showing.zone)
  const name = (given[nameField(object.id)] as string | undefined) ?? node.name
  const attributes = storedAttributes(object, { ...attributesIn(node), ...given })
  const before = showNode(object, node, inEnglish(showing))
  const changed = { ...node, name, attributes, ...nextVersion(tx, node) }
  const after = showNode(object, changed, inEnglish(showing))
  if (!differs(before, after)) return

  await updateNode(tx, object, node, changed)
  tx.record({
    operation: 'update',
    object: object.id,
    instance: id,
    business: 0,
    description: 'update instance',
    revision: changed.revision,
    before,
    after,
    unshown: unshownValues([node, before], [changed, after]),
  })
}

export async function deleteDetached(
  tx: Tx,
  object: ObjectModel,
  ids: readonly number[],
  showing: Showing,
  lacks: MissingDeleteGrant,
): Promise<void> {
  const nodes = await holdDetached(tx, object.id, ids)
  expectRevision(tx, nodes, (node) => showNode(object, node, showing))
  const { associations, dependents } = await dependentsIn(tx, tx.actor, nodes, lacks)
  const model = await modelIn(tx)
  const doomed = Map.groupBy([...nodes, ...dependents], (node) => node.object_id)
  for (const id of doomed.keys()) if (objectOf(model, id).paused) throw problem('modelPaused')
  await endAssociations(tx, associations)
  for (const [id, own] of doomed) await deleteOfObject(tx, objectOf(model, id), own, showing)
}

async function deleteOfObject(tx: Tx, object: ObjectModel, nodes: readonly Node[], showing: Showing): Promise<void> {
  for (const node of nodes) recordDelete(tx, node, showNode(object, node, inEnglish(showing)))
  await deleteNodes(tx, object, nodes)
}

/** The associations that end when the instances are deleted, and the instances that are deleted with them: the caller may delete these, too. */
export async function dependentsIn(reader: Reader, actor: Actor, nodes: readonly Node[], lacks: MissingDeleteGrant) {
  const { associations, nodes: ids } = await dependentsOf(
    reader,
    actor.account,
    nodes.map((node) => node.id),
  )
  const dependents =
    ids.length === 0
      ? []
      : await selectAnyNodes(reader)
          .where((eb) => reader.dialect.among(eb.ref('node.id'), ids, 'integer'))
          .orderBy('node.object_id')
          .orderBy('node.inst_id')
          .execute()
  const why = await lacks(
    reader,
    actor,
    dependents.map((node) => node.object_id),
  )
  if (why) throw problem('denied', { why })
  return { associations, dependents }
}

/** All of them, ordered by id, or "no relevant data". */
export async function findDetached(
  reader: Reader,
  account: string,
  object: string,
  ids: readonly number[],
): Promise<Node[]> {
  return complete(ids, await theseDetached(reader, account, object, ids).execute())
}

/** The same, locked row by row: they have no business that could be locked. */
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
