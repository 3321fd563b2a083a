// Sets, modules and instances of levels are one thing seen from three sides: this is what can be done with it.
import { type Problem, problem, rule } from '@mainline/contract'
import type { IdKind, Reader, Snapshot, Tx } from '../../platform/storage/index.ts'
import {
  type Attributes,
  checkNew,
  checkSent,
  differs,
  inEnglish,
  type Model,
  modelIn,
  nameField,
  objectOf,
  type Showing,
} from '../model/index.ts'
import { below } from './chain.ts'
import { bumpTree, holdBusiness } from './hold.ts'
import {
  deleteNodes,
  findNode,
  findNodes,
  insertNodes,
  type Node,
  nameAfter,
  selectNodes,
  storedAttributes,
  updateNode,
} from './nodes.ts'
import { show } from './record.ts'

/** An object of the main line, and how its own operations refuse. */
export interface Kind {
  readonly object: string
  /** What the service itself has made may be neither renamed nor deleted. */
  readonly builtIn: () => Problem
  /** The parent that was named is not there. */
  readonly noParent: (above: string, bizId: number) => Problem
}

/** Instances named by a request; a parent it also names must be theirs. */
export interface Named {
  readonly ids: readonly number[]
  readonly parentId?: number
}

const idKinds: Record<string, IdKind> = { set: 'set', module: 'module' }
/** What an operation on the object is called in the log. */
export const word = (object: string) => (object === 'set' || object === 'module' ? object : 'instance')

/** Several instances under one parent, in as many statements as one takes. */
export async function createInstances(
  tx: Tx,
  kind: Kind,
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
  const nodes = await insertNodes(
    tx,
    object,
    checked.map((attributes, index) => ({
      id: ids[index] as number,
      name: attributes[nameField(object.id)] as string,
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
      description: `create ${word(object.id)}`,
      before: null,
      after: show(object, node, inEnglish(showing)),
    })
  }
  return nodes.map((node) => show(object, node, showing))
}

/** A body may repeat the business of the path, but not name another. */
function refuseOtherBusiness(bizId: number, { bk_biz_id: sent }: Attributes): void {
  if (sent !== undefined && Number(sent) !== bizId) {
    throw problem('invalid', { field: 'bk_biz_id', rule: rule('sameAsPath', { value: 'bk_biz_id' }) })
  }
}

/** The parent must be an instance of the object directly above, in this business. */
async function findParent(
  tx: Tx,
  kind: Kind,
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

/** Answers whether anything is other than it was. */
export async function updateInstance(
  tx: Tx,
  kind: Kind,
  { bizId, id, parentId }: { bizId: number; id: number; parentId?: number },
  sent: Attributes,
  showing: Showing,
): Promise<boolean> {
  const business = await holdBusiness(tx, bizId, { tree: false })
  const object = objectOf(await modelIn(tx), kind.object)
  const node = await findNode(tx, object.id, business, id)
  refuseOtherParent(node, parentId)
  refuseOtherBusiness(bizId, sent)
  const given = checkSent(object, sent, showing.zone)
  const name = nameAfter(node, given[nameField(object.id)], kind.builtIn)
  const attributes = storedAttributes(object, { ...JSON.parse(node.attributes), ...given })
  const before = show(object, node, inEnglish(showing))
  const after = show(object, { ...node, name, attributes, last_time: tx.now }, inEnglish(showing))
  if (!differs(before, after)) return false

  await updateNode(tx, object, node, name, attributes)
  if (name !== node.name) await bumpTree(tx, business)
  tx.record({
    operation: 'update',
    object: object.id,
    instance: id,
    business: bizId,
    description: `update ${word(object.id)}`,
    before,
    after,
  })
  return true
}

/** Deletes instances with everything below them: all of it, or nothing when one is unknown, built in, or holds a host. */
export async function deleteInstances(
  tx: Tx,
  kind: Kind,
  { bizId, ...which }: Named & { bizId: number },
  showing: Showing,
): Promise<void> {
  const business = await holdBusiness(tx, bizId, { tree: true })
  const model = await modelIn(tx)
  const nodes = await findDoomed(tx, kind, business, which)

  const levels = [kind.object, ...below(model, kind.object)].map((id) => objectOf(model, id))
  const doomed = await withAllBelow(tx, model, kind.object, nodes)
  for (const [depth, object] of [...levels.entries()].toReversed()) {
    const going = doomed[depth] ?? []
    for (const node of going) recordDelete(tx, node, show(object, node, inEnglish(showing)))
    await deleteNodes(tx, object, going)
  }
}

/** What a deletion names: all of it there, and none of it built in. */
export async function findDoomed(
  reader: Reader,
  kind: Kind,
  business: number,
  { ids, parentId }: Named,
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

/** The instances and, level by level, what stands below them. */
export async function withAllBelow(reader: Reader, model: Model, object: string, nodes: Node[]): Promise<Node[][]> {
  const levels = [nodes]
  for (const lower of below(model, object)) {
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
    description: `delete ${word(node.object_id)}`,
    before,
    after: null,
  })
}
