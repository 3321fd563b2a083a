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
  inEnglish,
  insertNodes,
  nameAfter,
  recordDelete,
  type Showing,
  selectNodes,
  show,
  storedAttributes,
  updateNode,
} from '../topology/index.ts'

const builtInSet = () => problem('setProtected', { why: rule('internalSet') })

export async function createSet(
  tx: Tx,
  bizId: number,
  parentId: number,
  sent: Attributes,
  showing: Showing,
): Promise<Snapshot> {
  const [created] = await createSets(tx, bizId, parentId, [sent], showing)
  return created as Snapshot
}

/** Several sets under one parent, in as many statements as one takes. */
export async function createSets(
  tx: Tx,
  bizId: number,
  parentId: number,
  sent: readonly Attributes[],
  showing: Showing,
): Promise<Snapshot[]> {
  const business = await holdBusiness(tx, bizId, { tree: true })
  for (const each of sent) refuseOtherBusiness(bizId, each)
  const model = await modelIn(tx)
  const set = objectOf(model, 'set')
  const checked = sent.map((each) => checkNew(set, each))
  const parent = await findParent(tx, model, business, bizId, parentId)
  const ids = await tx.drawIds('set', checked.length)
  const nodes = await insertNodes(
    tx,
    checked.map((attributes, index) => ({
      object: 'set',
      id: ids[index] as number,
      name: attributes.bk_set_name as string,
      builtIn: 0,
      attributes: storedAttributes(set, attributes),
      under: { business, bizId, parent, parentId },
    })),
  )
  for (const node of nodes) {
    tx.record({
      operation: 'add',
      object: 'set',
      instance: node.inst_id,
      business: bizId,
      description: 'create set',
      before: null,
      after: show(set, node, inEnglish(showing)),
    })
  }
  return nodes.map((node) => show(set, node, showing))
}

/** A body may repeat the business of the path, but not name another. */
function refuseOtherBusiness(bizId: number, { bk_biz_id: sent }: Attributes): void {
  if (sent !== undefined && Number(sent) !== bizId) {
    throw problem('invalid', { field: 'bk_biz_id', rule: rule('sameAsPath', { value: 'bk_biz_id' }) })
  }
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
  refuseOtherBusiness(bizId, sent)
  const given = checkSent(set, sent)
  const name = nameAfter(node, given.bk_set_name, builtInSet)
  const attributes = storedAttributes(set, { ...JSON.parse(node.attributes), ...given })
  const before = show(set, node, inEnglish(showing))
  const after = show(set, { ...node, name, attributes, last_time: tx.now }, inEnglish(showing))
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

/** Deletes sets with their modules: all of them, or none when one is unknown, built in, or holds a host. */
export async function deleteSets(tx: Tx, bizId: number, ids: readonly number[], showing: Showing): Promise<void> {
  const wanted = [...new Set(ids)]
  const business = await holdBusiness(tx, bizId, { tree: true })
  const model = await modelIn(tx)
  const nodes = await findNodes(tx, 'set', business, wanted)
  if (nodes.length < wanted.length) throw problem('notFound')
  if (nodes.some((node) => node.built_in !== 0)) {
    throw builtInSet()
  }

  const internal = nodes.map((node) => node.id)
  const modules = await selectNodes(tx, 'module')
    .where((eb) => tx.dialect.among(eb.ref('node.parent'), internal, 'integer'))
    .orderBy('node.inst_id')
    .execute()
  for (const node of [...modules, ...nodes]) {
    recordDelete(tx, node.object_id, node, show(objectOf(model, node.object_id), node, inEnglish(showing)))
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
