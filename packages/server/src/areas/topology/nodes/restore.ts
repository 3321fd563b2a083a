// Instances that return under their old ids, and instances that go as if they had never been made.

import { problem } from '@mainline/contract'
import { sql } from 'kysely'
import { present } from '../../../common/present.ts'
import { type Emitted, nextVersion, refuse, type Tx, unshownValues } from '../../../storage/index.ts'
import { type Attributes, inEnglish, type Model, nameField, objectOf, type Showing } from '../../model/index.ts'
import { objectsBelow } from '../levels/chain.ts'
import { nameKey } from './built-in.ts'
import { recordDelete, recordKindOf } from './instances.ts'
import { deleteNodes, insertNodes, type Node, type ParentIds, selectAnyNodes, updateNode } from './nodes.ts'
import { showNode } from './record.ts'

/** A stored instance by public ids. */
export interface StoredNode
  extends Pick<
    Node,
    | 'object_id'
    | 'inst_id'
    | 'biz_id'
    | 'parent_id'
    | 'name'
    | 'built_in'
    | 'creator'
    | 'create_time'
    | 'last_time'
    | 'revision'
    | 'status'
  > {
  readonly attributes: Attributes
}

/** Businesses, then what is below them from the top down, then instances off the main line. */
export function byDepth<Item extends { readonly object_id: string }>(model: Model, nodes: readonly Item[]): Item[][] {
  const onMainLine = ['biz', ...objectsBelow(model, 'biz')]
  const groups = Map.groupBy(nodes, (node) => node.object_id)
  const others = [...groups.keys()].filter((object) => !onMainLine.includes(object))
  return [...onMainLine, ...others].flatMap((object) => {
    const own = groups.get(object)
    return own ? [own] : []
  })
}

/** The object above an instance: the idle pool stays directly below its business. */
export const aboveOf = (model: Model, { object_id, built_in }: Pick<Node, 'object_id' | 'built_in'>): string =>
  object_id === 'set' && built_in !== 0 ? 'biz' : (objectOf(model, object_id).above ?? '')

export const findAnyNodes = (tx: Tx, object: string, ids: readonly number[]) =>
  selectAnyNodes(tx)
    .select('node.business')
    .where('node.account', '=', tx.actor.account)
    .where('node.object_id', '=', object)
    .where((eb) => tx.dialect.among(eb.ref('node.inst_id'), ids, 'integer'))
    .orderBy('node.inst_id')
    .execute()

/** Inserts and records instances whose parents exist or are among them. */
export async function restoreNodes(
  tx: Tx,
  model: Model,
  stored: readonly StoredNode[],
  showing: Showing,
): Promise<void> {
  const inside = new Map<number, Emitted[]>()
  const businesses: Node[] = []
  for (const nodes of byDepth(model, stored)) {
    const object = objectOf(model, nodes[0]?.object_id ?? '')
    const parents = await parentsOf(tx, model, nodes)
    const inserted = await insertNodes(
      tx,
      object,
      nodes.map((node) => ({
        id: node.inst_id,
        name: node.name,
        builtIn: node.built_in,
        attributes: JSON.stringify(node.attributes),
        restored: node,
        ...parents.get(node),
      })),
    )
    for (const [index, row] of inserted.entries()) {
      const status = nodes[index]?.status
      const node = status === undefined ? row : { ...row, status }
      if (object.id === 'biz') {
        await insertBusinessRow(tx, node)
        businesses.push(node)
      } else if (node.built_in === 0) recordCreation(tx, node, model, showing)
      else {
        const after = showNode(object, node, inEnglish(showing))
        const unshown = unshownValues(null, [node, after])
        const created = { name: `${object.id}create`, before: null, after, revision: node.revision, unshown }
        inside.set(node.biz_id, [...(inside.get(node.biz_id) ?? []), created])
      }
    }
  }
  for (const node of businesses) recordCreation(tx, node, model, showing, inside.get(node.inst_id) ?? [])
}

async function parentsOf(
  tx: Tx,
  model: Model,
  nodes: readonly StoredNode[],
): Promise<Map<StoredNode, { under: ParentIds }>> {
  const found = new Map<StoredNode, { under: ParentIds }>()
  for (const [above, own] of Map.groupBy(nodes, (node) => aboveOf(model, node))) {
    if (above === '') continue
    const rows = await findAnyNodes(
      tx,
      above,
      own.map((node) => node.parent_id),
    )
    const parents = new Map(rows.map((row) => [row.inst_id, row]))
    for (const node of own) {
      const parent = parents.get(node.parent_id)
      if (!parent) throw problem('notFound')
      const { biz_id: bizId, parent_id: parentId } = node
      found.set(node, { under: { business: parent.business ?? parent.id, bizId, parent: parent.id, parentId } })
    }
  }
  return found
}

async function insertBusinessRow(tx: Tx, { id, inst_id, name, status = 'enable' }: Node): Promise<void> {
  const row = {
    node: id,
    account: tx.actor.account,
    biz_id: inst_id,
    status,
    living_name: status === 'enable' ? nameKey('biz', name) : null,
    version: tx.stamp,
    tree_version: tx.stamp,
  }
  await refuse(tx.insertInto('business').values(row).execute(), {
    business_living_name: () => problem('duplicate', { what: 'bk_biz_name' }),
  })
}

const kindOf = (object: string) => (object === 'biz' ? 'business' : recordKindOf(object))

function recordCreation(tx: Tx, node: Node, model: Model, showing: Showing, inside: readonly Emitted[] = []): void {
  const after = showNode(objectOf(model, node.object_id), node, inEnglish(showing))
  tx.record({
    operation: 'add',
    object: node.object_id,
    instance: node.inst_id,
    business: node.biz_id,
    description: `create ${kindOf(node.object_id)}`,
    revision: node.revision,
    before: null,
    after,
    unshown: unshownValues(null, [node, after]),
    ...(inside.length > 0 && { events: [{ name: `${node.object_id}create` }, ...inside] }),
  })
}

/** Deletes and records instances; nothing may be left below them. */
export async function removeNodes(tx: Tx, model: Model, nodes: readonly Node[], showing: Showing): Promise<void> {
  const inside = new Map<number, Emitted[]>()
  for (const own of byDepth(model, nodes).toReversed()) {
    const object = objectOf(model, own[0]?.object_id ?? '')
    for (const node of own) {
      const before = showNode(object, node, inEnglish(showing))
      const unshown = unshownValues([node, before], null)
      const gone = { before, after: null, revision: node.revision + 1, unshown }
      if (object.id === 'biz') recordBusinessDeletion(tx, node, { ...gone, inside: inside.get(node.inst_id) ?? [] })
      else if (node.built_in === 0) recordDelete(tx, node, before)
      else inside.set(node.biz_id, [...(inside.get(node.biz_id) ?? []), { name: `${object.id}delete`, ...gone }])
    }
    if (object.id === 'biz') {
      for (const { id } of own) await tx.deleteFrom('business').where('node', '=', id).execute()
    }
    await deleteNodes(tx, object, own)
  }
}

function recordBusinessDeletion(
  tx: Tx,
  { inst_id }: Node,
  { inside, ...gone }: Pick<Required<Emitted>, 'before' | 'after' | 'revision' | 'unshown'> & { inside: Emitted[] },
): void {
  tx.record({
    operation: 'delete',
    object: 'biz',
    instance: inst_id,
    business: inst_id,
    description: 'delete business',
    ...gone,
    events: [{ name: 'bizdelete' }, ...inside],
  })
}

/** Frees the names of instances that this change renames or deletes, so that others may have them before. */
export async function setNamesAside(tx: Tx, nodes: readonly Pick<Node, 'id'>[]): Promise<void> {
  if (nodes.length === 0) return
  const ids = nodes.map(({ id }) => id)
  await tx
    .updateTable('node')
    .set({ name_key: sql<string>`cast(${'\u0001'} as text) || id` })
    .where((eb) => tx.dialect.among(eb.ref('id'), ids, 'integer'))
    .execute()
  await tx
    .updateTable('business')
    .set({ living_name: null })
    .where((eb) => tx.dialect.among(eb.ref('node'), ids, 'integer'))
    .execute()
}

/** Gives an instance other values, under the lock of its business or its own. */
export async function rewriteNode(tx: Tx, model: Model, before: Node, after: Node, showing: Showing): Promise<void> {
  const object = objectOf(model, before.object_id)
  const [was, is] = [showNode(object, before, inEnglish(showing)), showNode(object, after, inEnglish(showing))]
  if (object.id === 'biz') await nameBusiness(tx, before, after)
  await updateNode(tx, object, before, after)
  const verb = before.status === after.status ? 'update' : after.status === 'enable' ? 'recover' : 'archive'
  tx.record({
    operation: 'update',
    object: object.id,
    instance: before.inst_id,
    business: before.biz_id,
    description: `${verb} ${kindOf(object.id)}`,
    revision: after.revision,
    before: was,
    after: is,
    unshown: unshownValues([before, was], [after, is]),
  })
}

/** Moves an instance below another one, for a level that is inserted again. */
export async function reparentNode(
  tx: Tx,
  model: Model,
  node: Node,
  { id, inst_id }: Pick<Node, 'id' | 'inst_id'>,
  showing: Showing,
): Promise<void> {
  const object = objectOf(model, node.object_id)
  const after = { ...node, ...nextVersion(tx, node), parent_id: inst_id }
  const { parent_id, revision, last_time } = after
  await tx.updateTable('node').set({ parent: id, parent_id, revision, last_time }).where('id', '=', node.id).execute()
  const [was, is] = [showNode(object, node, inEnglish(showing)), showNode(object, after, inEnglish(showing))]
  tx.record({
    operation: 'update',
    object: object.id,
    instance: node.inst_id,
    business: node.biz_id,
    description: `update ${recordKindOf(object.id)}`,
    revision,
    before: was,
    after: is,
    unshown: unshownValues([node, was], [after, is]),
  })
}

async function nameBusiness(tx: Tx, before: Node, { name, status }: Node): Promise<void> {
  if (before.name === name && before.status === status) return
  const living_name = status === 'enable' ? nameKey('biz', name) : null
  const changed = tx
    .updateTable('business')
    .set({ status: present(status), living_name, tree_version: tx.stamp })
    .where('node', '=', before.id)
    .execute()
  await refuse(changed, { business_living_name: () => problem('duplicate', { what: nameField('biz') }) })
}
