// Instances whose parent or name is not there for them.
import { rule } from '@mainline/contract'
import type { Tx } from '../../../../storage/index.ts'
import type { Model } from '../../../model/index.ts'
import { aboveOf, nameKey, type StoredNode, selectAnyNodes } from '../../../topology/index.ts'
import { nodeKey } from '../../recorded/index.ts'
import { created, type NetChanges } from '../net.ts'
import { collisionsOf } from './claims.ts'
import { existence, type Fault, fault, keyOf, nodesAt } from './existence.ts'

export async function faultsOfParents(tx: Tx, model: Model, net: NetChanges): Promise<Fault[]> {
  const made = created(net.nodes)
  // Objects as they will be, with what is above them.
  const objects = new Map(
    net.definitions.flatMap(({ kind, key, target }) =>
      kind === 'object' && target ? [[key, String(target.above ?? '')] as const] : [],
    ),
  )
  const isKnown = ({ object_id }: StoredNode) => model.objects.has(object_id) || objects.has(object_id)
  const isIdlePool = ({ object_id, built_in }: StoredNode) => object_id === 'set' && built_in !== 0
  const above = (node: StoredNode) =>
    (isIdlePool(node) ? undefined : objects.get(node.object_id)) ?? aboveOf(model, node)
  const unknown = made.filter((node) => !isKnown(node))
  const known = made.filter(isKnown)
  const parents = known.flatMap((node) => {
    const object = above(node)
    return object === '' ? [] : [{ node, object, id: node.parent_id }]
  })
  const businesses = known.filter((node) => node.biz_id !== 0).map((node) => ({ object: 'biz', id: node.biz_id }))
  const exists = await existence(tx, net, [...parents, ...businesses])
  const isYounger = await youngerParents(tx, parents)
  return [
    ...unknown.map((node) => fault('node', keyOf(node), rule('objectGone', { object: node.object_id }))),
    // What was off the main line and is on it now, or the reverse, has no place to return to.
    ...known
      .filter((node) => node.object_id !== 'biz' && (above(node) === '') !== (node.parent_id === 0))
      .map((node) => fault('node', keyOf(node), rule('objectGone', { object: node.object_id }))),
    ...parents.flatMap(({ node, object, id }) =>
      exists(object, id, node.biz_id) && exists('biz', node.biz_id) && !isYounger(node)
        ? []
        : [fault('node', keyOf(node), rule('parentGone', { parent: `${object} ${id}` }))],
    ),
  ]
}

/**
 * Records have the id of the parent, and not its object, which is another one if a level was inserted or removed since. Ids of businesses and of
 * instances of levels are drawn apart, so the business that was the parent may have the id of an instance of a level that was inserted since.
 */
async function youngerParents(
  tx: Tx,
  parents: readonly { readonly node: StoredNode; readonly object: string; readonly id: number }[],
): Promise<(node: StoredNode) => boolean> {
  const unclear = parents.filter(({ node, object, id }) => object !== 'biz' && id === node.biz_id)
  const stored = await nodesAt(tx, unclear)
  const younger = new Set(
    unclear.flatMap(({ node, object, id }) =>
      (stored.get(nodeKey(object, id))?.create_time ?? 0) > node.last_time ? [node] : [],
    ),
  )
  return (node) => younger.has(node)
}

/** Names that others have now, among siblings and among businesses. */
export async function faultsOfNames(tx: Tx, model: Model, net: NetChanges): Promise<Fault[]> {
  const claim = ({ object_id: object, parent_id, biz_id, name, status, built_in }: NamedNode) => {
    if (object === 'biz') return status === 'disabled' ? '' : `biz ${nameKey(object, name)}`
    const above = model.objects.has(object) ? aboveOf(model, { object_id: object, built_in }) : ''
    return `${object} ${above} ${parent_id} ${biz_id} ${nameKey(object, name)}`
  }
  const claimants = net.nodes.flatMap(({ key, now, target }) => {
    const [had, wanted] = [now ? claim(now) : '', target ? claim(target) : '']
    return target && wanted !== '' && wanted !== had ? [{ key, claims: [wanted], target }] : []
  })
  const stored = (await namesakes(tx, claimants)).map((row) => ({ key: keyOf(row), claim: claim(row) }))
  const targets = new Map(net.nodes.map(({ key, target }) => [key, target && claim(target)]))
  const collisions = collisionsOf(
    claimants,
    stored,
    ({ key, claim: held }) => !targets.has(key) || targets.get(key) === held,
  )
  return claimants.flatMap(({ key, target: { name } }) => {
    const found = collisions.get(key)
    return found ? [fault('node', key, rule('nameTaken', { name, holder: found.holder }), 'name', name)] : []
  })
}

type NamedNode = Pick<StoredNode, 'object_id' | 'parent_id' | 'biz_id' | 'name' | 'status' | 'built_in'>

/** Instances of the same objects with the same names, wherever they are. */
async function namesakes(tx: Tx, claimants: readonly { readonly target: StoredNode }[]) {
  const found: (NamedNode & Pick<StoredNode, 'inst_id'>)[] = []
  const wanted = claimants.map(({ target }) => target)
  for (const [object, own] of Map.groupBy(wanted, (node) => node.object_id)) {
    const names = [...new Set(own.map((node) => nameKey(object, node.name)))]
    const rows = await selectAnyNodes(tx)
      .leftJoin('business', 'business.node', 'node.id')
      .select('business.status')
      .where('node.account', '=', tx.actor.account)
      .where('node.object_id', '=', object)
      .where((eb) => tx.dialect.among(eb.ref('node.name_key'), names, 'text'))
      .execute()
    found.push(...rows.map(({ status, ...row }) => ({ ...row, ...(status !== null && { status }) })))
  }
  return found
}
