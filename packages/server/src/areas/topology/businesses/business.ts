import { businesses, problem } from '@mainline/contract'
import { type Expression, type SqlBool, sql } from 'kysely'
import { first, present } from '../../../common/present.ts'
import {
  attributesIn,
  expectRevision,
  nextVersion,
  refuse,
  type Snapshot,
  type Tx,
  unshownValues,
} from '../../../storage/index.ts'
import {
  type Attributes,
  checkedName,
  checkNew,
  checkSent,
  defaultsOf,
  differs,
  inEnglish,
  type Model,
  modelIn,
  type ObjectModel,
  objectOf,
  type Showing,
} from '../../model/index.ts'
import { builtIn, builtInName, nameKey } from '../nodes/built-in.ts'
import {
  insertNodes,
  type NewNode,
  type Node,
  nameAfter,
  type ParentIds,
  selectBusinesses,
  storedAttributes,
  updateNode,
} from '../nodes/nodes.ts'
import { asSchema, showNode } from '../nodes/record.ts'
import { holdBusiness } from './hold.ts'

/** Values of a new business that the request does not set, beside the defaults of the model. */
const defaults = (caller: string) => ({ bk_biz_maintainer: caller, time_zone: 'Asia/Shanghai' })

export async function createBusiness(tx: Tx, sent: Attributes, showing: Showing): Promise<businesses.BusinessRecord> {
  const model = await modelIn(tx)
  const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null && value !== ''))
  const attributes = checkNew(objectOf(model, 'biz'), { ...defaults(tx.actor.user), ...given }, showing.zone)
  const name = checkedName(objectOf(model, 'biz'), attributes)
  const created = await insertBusiness(tx, model, name, 0, storedAttributes(objectOf(model, 'biz'), attributes))

  const record = (node: Node, how: Showing) => showNode(objectOf(model, node.object_id), node, how)
  tx.record({
    operation: 'add',
    object: 'biz',
    instance: created.business.inst_id,
    business: created.business.inst_id,
    description: 'create business',
    revision: created.business.revision,
    before: null,
    after: record(created.business, inEnglish(showing)),
    events: [
      { name: 'bizcreate' },
      ...created.internal.map((node) => ({
        name: `${node.object_id}create`,
        before: null,
        after: record(node, inEnglish(showing)),
        revision: node.revision,
      })),
    ],
  })
  return asSchema(businesses.BusinessRecord, record(created.business, showing))
}

/** The account's resource pool: a business for the hosts that belong to no other business. */
export async function createPool(tx: Tx, model: Model): Promise<void> {
  const biz = objectOf(model, 'biz')
  const name = builtInName('biz', builtIn.pool)
  const attributes = { ...defaultsOf(biz), ...defaults(tx.actor.user), bk_biz_name: name }
  await insertBusiness(tx, model, name, builtIn.pool, storedAttributes(biz, attributes))
}

/** The cloud area of hosts that are created without one. */
export async function createDefaultArea(tx: Tx, model: Model): Promise<void> {
  const name = builtInName('plat', builtIn.defaultArea)
  await insertNodes(tx, objectOf(model, 'plat'), [{ id: 0, name, builtIn: builtIn.defaultArea, attributes: '{}' }])
}

/** Inserts the business's node, its lock row, its idle pool and the two built-in modules. */
async function insertBusiness(tx: Tx, model: Model, name: string, kind: number, attributes: string) {
  const id = first(await tx.drawIds('biz', 1))
  const setId = first(await tx.drawIds('set', 1))
  const moduleIds = await tx.drawIds('module', 2)
  const biz = objectOf(model, 'biz')
  const business = first(await insertNodes(tx, biz, [{ id, name, builtIn: kind, attributes }]))
  const livingName = nameKey('biz', name)
  await refuse(
    tx
      .insertInto('business')
      .values({
        node: business.id,
        account: tx.actor.account,
        biz_id: id,
        status: 'enable',
        living_name: livingName,
        version: tx.stamp,
        tree_version: tx.stamp,
      })
      .execute(),
    { business_living_name: () => problem('duplicate', { what: 'bk_biz_name' }) },
  )
  const place = { business: business.id, bizId: id }
  const set = first(
    await insertNodes(tx, objectOf(model, 'set'), [
      builtInNode(objectOf(model, 'set'), setId, builtIn.idlePool, { ...place, parent: business.id, parentId: id }),
    ]),
  )
  const modules = await insertNodes(
    tx,
    objectOf(model, 'module'),
    [builtIn.idle, builtIn.fault].map((which, index) =>
      builtInNode(objectOf(model, 'module'), present(moduleIds[index]), which, {
        ...place,
        parent: set.id,
        parentId: setId,
      }),
    ),
  )
  return { business, internal: [set, ...modules] }
}

function builtInNode(object: ObjectModel, id: number, kind: number, under: ParentIds): NewNode {
  const name = builtInName(object.id, kind)
  const attributes = storedAttributes(object, defaultsOf(object))
  return { id, name, builtIn: kind, attributes, under }
}

export async function businessNode(tx: Tx, bizId: number): Promise<Node> {
  const found = await selectBusinesses(tx)
    .where('node.account', '=', tx.actor.account)
    .where('node.inst_id', '=', bizId)
    .executeTakeFirst()
  if (!found) throw problem('notFound')
  return found
}

export async function updateBusiness(tx: Tx, bizId: number, sent: Attributes, showing: Showing): Promise<void> {
  const business = await holdBusiness(tx, bizId, { tree: false })
  const biz = objectOf(await modelIn(tx), 'biz')
  const node = await businessNode(tx, bizId)
  expectRevision(tx, [node], (each) => showNode(biz, each, showing))
  const given = checkSent(biz, sent, showing.zone)
  const name = nameAfter(node, given.bk_biz_name, () => problem('businessProtected'))
  const attributes = storedAttributes(biz, { ...attributesIn(node), ...given })
  const changed: Node = { ...node, name, attributes, ...nextVersion(tx, node) }
  const before = showNode(biz, node, inEnglish(showing))
  const after = showNode(biz, changed, inEnglish(showing))
  if (!differs(before, after)) return
  // Waits until changes that were authorised by the previous roles are committed.
  if (isAnotherRole(biz, before, after)) tx.demandExclusive()

  await updateNode(tx, biz, node, changed)
  if (name !== node.name) await nameLiving(tx, business, name)
  tx.record({
    operation: 'update',
    object: 'biz',
    instance: bizId,
    business: bizId,
    description: 'update business',
    revision: changed.revision,
    before,
    after,
    unshown: unshownValues([node, before], [changed, after]),
  })
}

/** Roles are the attributes that hold user names. */
const isAnotherRole = (biz: ObjectModel, before: Snapshot, after: Snapshot): boolean =>
  biz.attributes.some(({ id, type }) => type === 'objuser' && before[id] !== after[id])

async function nameLiving(tx: Tx, business: number, name: string): Promise<void> {
  await refuse(
    tx
      .updateTable('business')
      .set({ living_name: nameKey('biz', name), status: 'enable', tree_version: tx.stamp })
      .where('node', '=', business)
      .execute(),
    { business_living_name: () => problem('duplicate', { what: 'bk_biz_name' }) },
  )
}

export async function archiveBusiness(tx: Tx, bizId: number, showing: Showing): Promise<void> {
  const business = await holdBusiness(tx, bizId, { tree: false })
  const biz = objectOf(await modelIn(tx), 'biz')
  const node = await businessNode(tx, bizId)
  if (node.built_in === builtIn.pool) throw problem('businessProtected')
  expectRevision(tx, [node], (each) => showNode(biz, each, showing))
  await refuseHosts(tx, business)
  await tx.updateTable('business').set({ living_name: null, status: 'disabled' }).where('node', '=', business).execute()
  const changed = { ...node, status: 'disabled', ...nextVersion(tx, node) }
  await updateNode(tx, biz, node, changed)
  recordStatus(tx, biz, node, changed, 'archive business', showing)
}

export async function recoverBusiness(tx: Tx, bizId: number, showing: Showing): Promise<void> {
  const business = await holdBusiness(tx, bizId, { tree: false, archived: true })
  const biz = objectOf(await modelIn(tx), 'biz')
  const node = await businessNode(tx, bizId)
  expectRevision(tx, [node], (each) => showNode(biz, each, showing))
  if (node.status === 'enable') return
  const name = await freeName(tx, node.name)
  await nameLiving(tx, business, name)
  const changed = { ...node, name, status: 'enable', ...nextVersion(tx, node) }
  await updateNode(tx, biz, node, changed)
  recordStatus(tx, biz, node, changed, 'recover business', showing)
}

/** The name of the business, with "(recover)" appended until it is free. */
async function freeName(tx: Tx, name: string): Promise<string> {
  for (let candidate = name; ; candidate += '(recover)') {
    const taken = await tx
      .selectFrom('business')
      .select('node')
      .where('account', '=', tx.actor.account)
      .where('living_name', '=', nameKey('biz', candidate))
      .executeTakeFirst()
    if (!taken) return candidate
  }
}

function recordStatus(
  tx: Tx,
  biz: ObjectModel,
  before: Node,
  after: Node,
  description: string,
  showing: Showing,
): void {
  const [was, is] = [showNode(biz, before, inEnglish(showing)), showNode(biz, after, inEnglish(showing))]
  tx.record({
    operation: 'update',
    object: 'biz',
    instance: before.inst_id,
    business: before.inst_id,
    description,
    revision: after.revision,
    before: was,
    after: is,
    unshown: unshownValues([before, was], [after, is]),
  })
}

export async function refuseHosts(tx: Tx, business: number): Promise<void> {
  const host = await tx.selectFrom('host').select('id').where('business', '=', business).limit(1).executeTakeFirst()
  if (host) throw problem('hostsUnder')
}

/** The scope of a search of businesses: the pool has a search of its own; archived ones are found only by status. */
export function businessesOf(account: string, which: 'pool' | 'living' | 'any'): Expression<SqlBool> {
  const kind = which === 'pool' ? builtIn.pool : 0
  const own = sql<SqlBool>`node.account = ${account} AND node.built_in = ${sql.lit(kind)}`
  return which === 'any' ? own : sql<SqlBool>`${own} AND business.living_name IS NOT NULL`
}
