import { problem, rule } from '@mainline/contract'
import type { Snapshot, Tx } from '../../platform/storage/index.ts'
import { refuse } from '../../platform/storage/index.ts'
import { type Attributes, checkNew, checkSent, type Model, modelIn, objectOf } from '../model/index.ts'
import {
  bumpTree,
  differs,
  findNode,
  findNodes,
  holdBusiness,
  insertNodes,
  type Node,
  nameKey,
  recordDelete,
  type Showing,
  selectNodes,
  show,
  storedAttributes,
  updateNode,
} from '../topology/index.ts'

export const mostDeleted = 200

/** Audit and events carry English, whoever asks. */
const recorded = (showing: Showing): Showing => ({ ...showing, language: 'en' })

export async function createSet(
  tx: Tx,
  bizId: number,
  parentId: number,
  sent: Attributes,
  showing: Showing,
): Promise<Snapshot> {
  const business = await holdBusiness(tx, bizId, { tree: true })
  const model = await modelIn(tx)
  const set = objectOf(model, 'set')
  const attributes = checkNew(set, sent)
  const parent = await findParent(tx, model, business, bizId, parentId)
  const [id] = (await tx.drawIds('set', 1)) as [number]
  const [node] = (await insertNodes(tx, [
    {
      object: 'set',
      id,
      name: attributes.bk_set_name as string,
      builtIn: 0,
      attributes: storedAttributes(set, attributes),
      under: { business, bizId, parent, parentId },
    },
  ])) as [Node]
  tx.record({
    operation: 'add',
    object: 'set',
    instance: id,
    business: bizId,
    description: 'create set',
    before: null,
    after: show(set, node, recorded(showing)),
  })
  return show(set, node, showing)
}

/** The parent must be an instance of the object directly above sets, in this business. */
async function findParent(tx: Tx, model: Model, business: number, bizId: number, parentId: number): Promise<number> {
  const above = objectOf(model, 'set').above ?? ''
  if (above === 'biz' && parentId === bizId) return business
  const found = await tx
    .selectFrom('node')
    .select('id')
    .where('object_id', '=', above)
    .where('inst_id', '=', parentId)
    .where('business', '=', business)
    .executeTakeFirst()
  if (!found) {
    const right = rule('parent', { object: above, business: bizId })
    throw problem('unknown', { field: 'bk_parent_id', rule: right })
  }
  return found.id
}

export async function updateSet(tx: Tx, bizId: number, id: number, sent: Attributes, showing: Showing): Promise<void> {
  const business = await holdBusiness(tx, bizId, { tree: false })
  const set = objectOf(await modelIn(tx), 'set')
  const node = await findNode(tx, 'set', business, id)
  const given = checkSent(set, sent)
  const name = newName(node, given)
  const attributes = storedAttributes(set, { ...JSON.parse(node.attributes), ...given })
  const before = show(set, node, recorded(showing))
  const after = show(set, { ...node, name, attributes, last_time: tx.now }, recorded(showing))
  if (!differs(before, after)) return

  await updateNode(tx, node, name, attributes)
  if (name !== node.name) await bumpTree(tx, business)
  tx.record({
    operation: 'update',
    object: 'set',
    instance: id,
    business: bizId,
    description: 'update set',
    before,
    after,
  })
}

/** A built-in set keeps its name; sending back the one it is shown under, in any language, is no change. */
function newName(node: Node, given: Attributes): string {
  const sent = given.bk_set_name as string | undefined
  if (sent === undefined) return node.name
  if (node.built_in === 0) return sent
  if (nameKey('set', sent) === node.name) return node.name
  throw problem('setProtected', { why: rule('internalSet') })
}

/** Deletes sets with their modules: all of them, or none when one is unknown, built in, or holds a host. */
export async function deleteSets(tx: Tx, bizId: number, ids: readonly number[], showing: Showing): Promise<void> {
  const wanted = [...new Set(ids)]
  if (wanted.length > mostDeleted) throw problem('tooMany', { what: 'inst_ids', limit: mostDeleted })
  const business = await holdBusiness(tx, bizId, { tree: true })
  const model = await modelIn(tx)
  const nodes = await findNodes(tx, 'set', business, wanted)
  if (nodes.length < wanted.length) throw problem('notFound')
  if (nodes.some((node) => node.built_in !== 0)) {
    throw problem('setProtected', { why: rule('internalSet') })
  }

  const internal = nodes.map((node) => node.id)
  const modules = await selectNodes(tx, 'module')
    .where((eb) => tx.dialect.among(eb.ref('node.parent'), internal, 'integer'))
    .orderBy('node.inst_id')
    .execute()
  for (const node of [...modules, ...nodes]) {
    recordDelete(tx, node.object_id, node, show(objectOf(model, node.object_id), node, recorded(showing)))
  }
  // A host in a module is a foreign key on it: the constraint decides, also against one that arrives at this moment.
  await refuse(
    tx
      .deleteFrom('node')
      .where((eb) => tx.dialect.among(eb.ref('parent'), internal, 'integer'))
      .execute(),
    { placement_module: () => problem('hostsUnder') },
  )
  await tx
    .deleteFrom('node')
    .where((eb) => tx.dialect.among(eb.ref('id'), internal, 'integer'))
    .execute()
}
