// Creates, changes and deletes nodes: sets, modules and instances of levels are stored alike.

import { type Problem, problem, rule } from '@mainline/contract'
import { present } from '../../../common/present.ts'
import {
  attributesIn,
  expectRevision,
  type IdKind,
  nextVersion,
  type Reader,
  type Snapshot,
  type Tx,
  unshownValues,
} from '../../../storage/index.ts'
import { refuseAssociated } from '../../associations/index.ts'
import {
  type Attributes,
  checkedName,
  checkNew,
  checkSent,
  differs,
  inEnglish,
  type Model,
  modelIn,
  nameField,
  objectOf,
  type Showing,
} from '../../model/index.ts'
import { bumpTree, holdBusiness } from '../businesses/hold.ts'
import { objectsBelow } from '../levels/chain.ts'
import {
  addNodes,
  deleteNodes,
  findNode,
  findNodes,
  type Node,
  nameAfter,
  selectNodes,
  storedAttributes,
  updateNode,
} from './nodes.ts'
import { showNode } from './record.ts'

/** An object of the main line, and the errors that its operations answer with. */
export interface NodeRules {
  readonly object: string
  /** A built-in instance cannot be renamed or deleted. */
  readonly builtIn: () => Problem
  /** The given parent does not exist. */
  readonly noParent: (above: string, bizId: number) => Problem
}

/** The instances that a request selects; if it also names a parent, they must be its children. */
export interface NodeSelection {
  readonly ids: readonly number[]
  readonly parentId?: number
}

const idKinds: Record<string, IdKind> = { set: 'set', module: 'module' }
/** The object's name in record kinds of the log. */
export const recordKindOf = (object: string) => (object === 'set' || object === 'module' ? object : 'instance')

/** Creates several instances under one parent, with as many statements as for one. */
export async function createInstances(
  tx: Tx,
  kind: NodeRules,
  { bizId, parentId }: { bizId: number; parentId: number },
  sent: readonly Attributes[],
  showing: Showing,
): Promise<Snapshot[]> {
  const business = await holdBusiness(tx, bizId, { tree: true })
  for (const each of sent) refuseOtherBusiness(bizId, each)
  const model = await modelIn(tx)
  const object = objectOf(model, kind.object)
  const parent = await findParent(tx, kind, object.above ?? '', business, bizId, parentId)
  const checked = sent.map((each) => checkNew(object, each, showing.zone))
  const ids = await tx.drawIds(idKinds[object.id] ?? 'inst', checked.length)
  const nodes = await addNodes(
    tx,
    object,
    checked.map((attributes, index) => ({
      id: present(ids[index]),
      name: checkedName(object, attributes),
      builtIn: 0,
      attributes: storedAttributes(object, attributes),
      under: { business, bizId, parent, parentId },
    })),
  )
  for (const node of nodes) {
    tx.record({
      operation: 'add',
      object: object.id,
      instance: node.inst_id,
      business: bizId,
      description: `create ${recordKindOf(object.id)}`,
      revision: node.revision,
      before: null,
      after: showNode(object, node, inEnglish(showing)),
    })
  }
  return nodes.map((node) => showNode(object, node, showing))
}

/** A body may repeat the business of the path, but not name another one. */
function refuseOtherBusiness(bizId: number, { bk_biz_id: sent }: Attributes): void {
  if (sent !== undefined && Number(sent) !== bizId) {
    throw problem('invalid', { field: 'bk_biz_id', rule: rule('sameAsPath', { value: 'bk_biz_id' }) })
  }
}

/** The parent must be an instance of the object directly above, in this business. */
async function findParent(
  tx: Tx,
  kind: NodeRules,
  above: string,
  business: number,
  bizId: number,
  parentId: number,
): Promise<number> {
  if (above === 'biz' && parentId === bizId) return business
  const [parent] = above === 'biz' ? [] : await findNodes(tx, above, business, [parentId])
  if (!parent) throw kind.noParent(above, bizId)
  return parent.id
}

/** Returns whether anything was changed. */
export async function updateInstance(
  tx: Tx,
  kind: NodeRules,
  { bizId, id, parentId }: { bizId: number; id: number; parentId?: number },
  sent: Attributes,
  showing: Showing,
): Promise<boolean> {
  const business = await holdBusiness(tx, bizId, { tree: false })
  const object = objectOf(await modelIn(tx), kind.object)
  const node = await findNode(tx, object.id, business, id)
  refuseOtherParent(node, parentId)
  refuseOtherBusiness(bizId, sent)
  expectRevision(tx, [node], (each) => showNode(object, each, showing))
  const given = checkSent(object, sent, showing.zone)
  const name = nameAfter(node, given[nameField(object.id)], kind.builtIn)
  const attributes = storedAttributes(object, { ...attributesIn(node), ...given })
  const before = showNode(object, node, inEnglish(showing))
  const changed = { ...node, name, attributes, ...nextVersion(tx, node) }
  const after = showNode(object, changed, inEnglish(showing))
  if (!differs(before, after)) return false

  await updateNode(tx, object, node, changed)
  if (name !== node.name) await bumpTree(tx, business)
  tx.record({
    operation: 'update',
    object: object.id,
    instance: id,
    business: bizId,
    description: `update ${recordKindOf(object.id)}`,
    revision: changed.revision,
    before,
    after,
    unshown: unshownValues([node, before], [changed, after]),
  })
  return true
}

/** Deletes instances with everything below them; deletes nothing if one is unknown, built in, or contains a host. */
export async function deleteInstances(
  tx: Tx,
  kind: NodeRules,
  { bizId, ...which }: NodeSelection & { bizId: number },
  showing: Showing,
): Promise<void> {
  const business = await holdBusiness(tx, bizId, { tree: true })
  const model = await modelIn(tx)
  const nodes = await findDeletable(tx, kind, business, which)
  expectRevision(tx, nodes, (node) => showNode(objectOf(model, kind.object), node, showing))

  const levels = [kind.object, ...objectsBelow(model, kind.object)].map((id) => objectOf(model, id))
  const nodesByLevel = await withAllBelow(tx, model, kind.object, nodes)
  for (const [depth, object] of [...levels.entries()].toReversed()) {
    const nodesOfLevel = nodesByLevel[depth] ?? []
    await refuseAssociated(
      tx,
      'node',
      nodesOfLevel.map((node) => node.id),
    )
    for (const node of nodesOfLevel) recordDelete(tx, node, showNode(object, node, inEnglish(showing)))
    await deleteNodes(tx, object, nodesOfLevel)
  }
}

/** The instances of a deletion: all must exist, and none may be built in. */
export async function findDeletable(
  reader: Reader,
  kind: NodeRules,
  business: number,
  { ids, parentId }: NodeSelection,
): Promise<Node[]> {
  const wanted = [...new Set(ids)]
  const nodes = await findNodes(reader, kind.object, business, wanted)
  if (nodes.length < wanted.length) throw problem('notFound')
  for (const node of nodes) refuseOtherParent(node, parentId)
  if (nodes.some((node) => node.built_in !== 0)) throw kind.builtIn()
  return nodes
}

function refuseOtherParent(node: Node, parentId: number | undefined): void {
  if (parentId !== undefined && node.parent_id !== parentId) throw problem('notFound')
}

/** The instances and, level by level, everything below them. */
export async function withAllBelow(reader: Reader, model: Model, object: string, nodes: Node[]): Promise<Node[][]> {
  const levels = [nodes]
  for (const lower of objectsBelow(model, object)) {
    const parents = (levels.at(-1) ?? []).map((node) => node.id)
    levels.push(
      await selectNodes(reader, lower)
        .where((eb) => reader.dialect.among(eb.ref('node.parent'), parents, 'integer'))
        .orderBy('node.inst_id')
        .execute(),
    )
  }
  return levels
}

export function recordDelete(tx: Tx, node: Node, before: Snapshot): void {
  tx.record({
    operation: 'delete',
    object: node.object_id,
    instance: node.inst_id,
    business: node.biz_id,
    description: `delete ${recordKindOf(node.object_id)}`,
    revision: node.revision + 1,
    before,
    after: null,
    unshown: unshownValues([node, before], null),
  })
}
