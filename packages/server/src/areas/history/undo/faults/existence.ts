import type { Rule } from '@mainline/contract'
import type { Tx } from '../../../../storage/index.ts'
import { type Node, selectAnyNodes } from '../../../topology/index.ts'
import { nodeKey, type RowKind } from '../../recorded/index.ts'
import { created, deleted, type NetChanges, updated } from '../net.ts'
import type { Conflict } from '../plan.ts'

export type Fault = Conflict

export const fault = (kind: RowKind, key: string, why: Rule, field = '', now: unknown = null): Fault => ({
  field,
  now,
  setTo: null,
  before: null,
  why,
  forcible: false,
  row: { kind, key },
})

export const keyOf = ({ object_id, inst_id }: Pick<Node, 'object_id' | 'inst_id'>) => nodeKey(object_id, inst_id)

export async function nodesAt(tx: Tx, wanted: readonly { readonly object: string; readonly id: number }[]) {
  const found = new Map<string, Omit<Node, 'status'> & { readonly status: string | null }>()
  for (const [object, own] of Map.groupBy(wanted, (each) => each.object)) {
    const ids = [...new Set(own.map(({ id }) => id))]
    const rows = await selectAnyNodes(tx)
      .leftJoin('business', 'business.node', 'node.id')
      .select('business.status')
      .where('node.account', '=', tx.actor.account)
      .where('node.object_id', '=', object)
      .where((eb) => tx.dialect.among(eb.ref('node.inst_id'), ids, 'integer'))
      .execute()
    for (const row of rows) found.set(keyOf(row), row)
  }
  return found
}

/** Whether an instance will exist, in that business if it is named. An archived business takes nothing. */
export async function existence(
  tx: Tx,
  net: NetChanges,
  wanted: readonly { readonly object: string; readonly id: number }[],
) {
  const stored = await nodesAt(tx, wanted)
  const made = new Map(created(net.nodes).map((node) => [keyOf(node), node]))
  const gone = new Set(deleted(net.nodes).map(keyOf))
  const statuses = new Map(updated(net.nodes).map(({ target }) => [keyOf(target), target.status]))
  return (object: string, id: number, business?: number) => {
    const key = nodeKey(object, id)
    const node = made.get(key) ?? stored.get(key)
    if (!node || gone.has(key) || (business !== undefined && node.biz_id !== business)) return false
    return made.has(key) || (statuses.get(key) ?? node.status) !== 'disabled'
  }
}
