// Instances whose parent or name is not there for them.
import { rule } from '@mainline/contract'
import type { Tx } from '../../../../storage/index.ts'
import type { Model } from '../../../model/index.ts'
import { aboveOf, nameKey, type StoredNode, selectAnyNodes } from '../../../topology/index.ts'
import { created, deleted, type NetChanges, updated } from '../net.ts'
import { existence, type Fault, fault, keyOf } from './existence.ts'

export async function faultsOfParents(tx: Tx, model: Model, net: NetChanges): Promise<Fault[]> {
  const made = created(net.nodes)
  // Objects that return in the same undo, with what is above them.
  const returning = new Map(
    net.definitions.flatMap(({ kind, key, now, target }) =>
      kind === 'object' && !now && target ? [[key, String(target.above ?? '')] as const] : [],
    ),
  )
  const isKnown = ({ object_id }: StoredNode) => model.objects.has(object_id) || returning.has(object_id)
  const above = (node: StoredNode) => returning.get(node.object_id) ?? aboveOf(model, node)
  const unknown = made.filter((node) => !isKnown(node))
  const known = made.filter(isKnown)
  const parents = known.flatMap((node) => {
    const object = above(node)
    return object === '' ? [] : [{ node, object, id: node.parent_id }]
  })
  const businesses = known.filter((node) => node.biz_id !== 0).map((node) => ({ object: 'biz', id: node.biz_id }))
  const exists = await existence(tx, net, [...parents, ...businesses])
  return [
    ...unknown.map((node) => fault('node', keyOf(node), rule('objectGone', { object: node.object_id }))),
    // What was off the main line and is on it now, or the reverse, has no place to return to.
    ...known
      .filter((node) => node.object_id !== 'biz' && (above(node) === '') !== (node.parent_id === 0))
      .map((node) => fault('node', keyOf(node), rule('objectGone', { object: node.object_id }))),
    ...parents.flatMap(({ node, object, id }) =>
      exists(object, id) && exists('biz', node.biz_id)
        ? []
        : [fault('node', keyOf(node), rule('parentGone', { parent: `${object} ${id}` }))],
    ),
  ]
}

/** Names that others have now, among siblings and among businesses. */
export async function faultsOfNames(tx: Tx, model: Model, net: NetChanges): Promise<Fault[]> {
  const renamed = updated(net.nodes).filter(
    ({ now, target }) => now.name !== target.name || now.status !== target.status,
  )
  const named: StoredNode[] = [...created(net.nodes), ...renamed.map(({ target }) => target)]
  const [gone, changed] = [
    new Set(deleted(net.nodes).map(keyOf)),
    new Set(updated(net.nodes).map(({ now }) => keyOf(now))),
  ]
  const faults: Fault[] = []
  for (const [object, own] of Map.groupBy(named, (node) => node.object_id)) {
    if (!model.objects.has(object)) continue
    const names = [...new Set(own.map((node) => nameKey(object, node.name)))]
    const holders = await selectAnyNodes(tx)
      .leftJoin('business', 'business.node', 'node.id')
      .select(['node.name_key', 'business.living_name'])
      .where('node.account', '=', tx.actor.account)
      .where('node.object_id', '=', object)
      .where((eb) => tx.dialect.among(eb.ref('node.name_key'), names, 'text'))
      .execute()
    for (const node of own) {
      if (object === 'biz' && node.status !== 'enable') continue
      const holder = holders.find(
        (row) =>
          row.inst_id !== node.inst_id &&
          row.name_key === nameKey(object, node.name) &&
          (object === 'biz'
            ? row.living_name !== null
            : row.parent_id === node.parent_id && row.biz_id === node.biz_id) &&
          !gone.has(keyOf(row)) &&
          !changed.has(keyOf(row)),
      )
      if (!holder) continue
      const why = rule('nameTaken', { name: node.name, holder: keyOf(holder) })
      faults.push(fault('node', keyOf(node), why, 'name', holder.name))
    }
  }
  return faults
}
