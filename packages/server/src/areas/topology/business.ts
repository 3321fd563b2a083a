import { problem } from '@mainline/contract'
import { type Expression, type SqlBool, sql } from 'kysely'
import { refuse, type Snapshot, type Tx } from '../../platform/storage/index.ts'
import {
  type Attributes,
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
} from '../model/index.ts'
import { builtIn, builtInName, nameKey } from './built-in.ts'
import { holdBusiness } from './hold.ts'
import {
  insertNodes,
  type NewNode,
  type Node,
  nameAfter,
  selectBusinesses,
  storedAttributes,
  type Under,
  updateNode,
} from './nodes.ts'
import { show } from './record.ts'

/** What a new business gets unless told otherwise, beside the defaults of the model. */
const defaults = (caller: string) => ({ bk_biz_maintainer: caller, time_zone: 'Asia/Shanghai' })

export async function createBusiness(tx: Tx, sent: Attributes, showing: Showing): Promise<Snapshot> {
  const model = await modelIn(tx)
  const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null && value !== ''))
  const attributes = checkNew(objectOf(model, 'biz'), { ...defaults(tx.actor.user), ...given }, showing.zone)
  const name = attributes.bk_biz_name as string
  const created = await insertBusiness(tx, model, name, 0, storedAttributes(objectOf(model, 'biz'), attributes))

  const record = (node: Node, how: Showing) => show(objectOf(model, node.object_id), node, how)
  tx.record({
    operation: 'add',
    object: 'biz',
    instance: created.business.inst_id,
    business: created.business.inst_id,
    description: 'create business',
    before: null,
    after: record(created.business, inEnglish(showing)),
    events: [
      { name: 'bizcreate' },
      ...created.internal.map((node) => ({
        name: `${node.object_id}create`,
        before: null,
        after: record(node, inEnglish(showing)),
      })),
    ],
  })
  return record(created.business, showing)
}

/** The account's own pool: a business that holds the hosts which belong to no other. */
export async function createPool(tx: Tx, model: Model): Promise<void> {
  const biz = objectOf(model, 'biz')
  const name = builtInName('biz', builtIn.pool)
  const attributes = { ...defaultsOf(biz), ...defaults(tx.actor.user), bk_biz_name: name }
  await insertBusiness(tx, model, name, builtIn.pool, storedAttributes(biz, attributes))
}

/** The cloud area of hosts that name none. */
export async function createDefaultArea(tx: Tx, model: Model): Promise<void> {
  const name = builtInName('plat', builtIn.defaultArea)
  await insertNodes(tx, objectOf(model, 'plat'), [{ id: 0, name, builtIn: builtIn.defaultArea, attributes: '{}' }])
}

/** The business's own row, its lock, its idle pool and the two modules in it. */
async function insertBusiness(tx: Tx, model: Model, name: string, kind: number, attributes: string) {
  const [id] = (await tx.drawIds('biz', 1)) as [number]
  const [setId] = (await tx.drawIds('set', 1)) as [number]
  const moduleIds = await tx.drawIds('module', 2)
  const biz = objectOf(model, 'biz')
  const [business] = (await insertNodes(tx, biz, [{ id, name, builtIn: kind, attributes }])) as [Node]
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
        version: 1,
        tree_version: 1,
      })
      .execute(),
    { business_living_name: () => problem('duplicate', { what: 'bk_biz_name' }) },
  )
  const place = { business: business.id, bizId: id }
  const [set] = (await insertNodes(tx, objectOf(model, 'set'), [
    builtInNode(objectOf(model, 'set'), setId, builtIn.idlePool, { ...place, parent: business.id, parentId: id }),
  ])) as [Node]
  const modules = await insertNodes(
    tx,
    objectOf(model, 'module'),
    [builtIn.idle, builtIn.fault].map((which, index) =>
      builtInNode(objectOf(model, 'module'), moduleIds[index] as number, which, {
        ...place,
        parent: set.id,
        parentId: setId,
      }),
    ),
  )
  return { business, internal: [set, ...modules] }
}

function builtInNode(object: ObjectModel, id: number, kind: number, under: Under): NewNode {
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
  const given = checkSent(biz, sent, showing.zone)
  const name = nameAfter(node, given.bk_biz_name, () => problem('businessProtected'))
  const attributes = storedAttributes(biz, { ...JSON.parse(node.attributes), ...given })
  const changed: Node = { ...node, name, attributes, last_time: tx.now }
  const before = show(biz, node, inEnglish(showing))
  const after = show(biz, changed, inEnglish(showing))
  if (!differs(before, after)) return
  // Changes that were judged by the roles so far are committed before.
  if (isAnotherRole(biz, before, after)) tx.demandExclusive()

  await updateNode(tx, biz, node, name, attributes)
  if (name !== node.name) await nameLiving(tx, business, name)
  tx.record({
    operation: 'update',
    object: 'biz',
    instance: bizId,
    business: bizId,
    description: 'update business',
    before,
    after,
  })
}

/** Roles are the attributes that hold user names. */
const isAnotherRole = (biz: ObjectModel, before: Snapshot, after: Snapshot): boolean =>
  biz.attributes.some(({ id, type }) => type === 'objuser' && before[id] !== after[id])

async function nameLiving(tx: Tx, business: number, name: string): Promise<void> {
  await refuse(
    tx
      .updateTable('business')
      .set((eb) => ({ living_name: nameKey('biz', name), status: 'enable', tree_version: eb('tree_version', '+', 1) }))
      .where('node', '=', business)
      .execute(),
    { business_living_name: () => problem('duplicate', { what: 'bk_biz_name' }) },
  )
}

export async function archiveBusiness(tx: Tx, bizId: number, showing: Showing): Promise<void> {
  const business = await holdBusiness(tx, bizId, { tree: false })
  const node = await businessNode(tx, bizId)
  if (node.built_in === builtIn.pool) throw problem('businessProtected')
  await refuseHosts(tx, business)
  await tx.updateTable('business').set({ living_name: null, status: 'disabled' }).where('node', '=', business).execute()
  await updateNode(tx, objectOf(await modelIn(tx), 'biz'), node, node.name, node.attributes)
  await recordStatus(tx, node, { ...node, status: 'disabled', last_time: tx.now }, 'archive business', showing)
}

export async function recoverBusiness(tx: Tx, bizId: number, showing: Showing): Promise<void> {
  const business = await holdBusiness(tx, bizId, { tree: false, archived: true })
  const node = await businessNode(tx, bizId)
  if (node.status === 'enable') return
  const name = await freeName(tx, node.name)
  await nameLiving(tx, business, name)
  const changed = { ...node, name, status: 'enable', last_time: tx.now }
  await updateNode(tx, objectOf(await modelIn(tx), 'biz'), node, name, node.attributes)
  await recordStatus(tx, node, changed, 'recover business', showing)
}

/** The business's own name, or that with "(recover)" as often as it takes. */
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

async function recordStatus(tx: Tx, before: Node, after: Node, description: string, showing: Showing): Promise<void> {
  const biz = objectOf(await modelIn(tx), 'biz')
  tx.record({
    operation: 'update',
    object: 'biz',
    instance: before.inst_id,
    business: before.inst_id,
    description,
    before: show(biz, before, inEnglish(showing)),
    after: show(biz, after, inEnglish(showing)),
  })
}

export async function refuseHosts(tx: Tx, business: number): Promise<void> {
  const host = await tx.selectFrom('host').select('id').where('business', '=', business).limit(1).executeTakeFirst()
  if (host) throw problem('hostsUnder')
}

/** What a search of businesses looks through: the pool is searched apart, and archived ones only when asked for by status. */
export function businessesOf(account: string, which: 'pool' | 'living' | 'any'): Expression<SqlBool> {
  const kind = which === 'pool' ? builtIn.pool : 0
  const own = sql<SqlBool>`node.account = ${account} AND node.built_in = ${sql.lit(kind)}`
  return which === 'any' ? own : sql<SqlBool>`${own} AND business.living_name IS NOT NULL`
}
