import { rule } from '@mainline/contract'
import type { Tx } from '../../../../storage/index.ts'
import { selectAnyNodes } from '../../../topology/index.ts'
import { nodeKey } from '../../recorded/index.ts'
import { reparented } from '../levels.ts'
import { deleted, type NetChanges, updated } from '../net.ts'
import { type Fault, fault, keyOf, nodesAt } from './existence.ts'

/** What would be left below instances that are deleted. */
export async function faultsOfRemains(tx: Tx, net: NetChanges): Promise<Fault[]> {
  const gone = deleted(net.nodes)
  if (gone.length === 0) return []
  const stored = await nodesAt(
    tx,
    gone.map((node) => ({ object: node.object_id, id: node.inst_id })),
  )
  const byId = new Map([...stored.values()].map((node) => [node.id, node]))
  const ids = [...byId.keys()]
  const goes = new Set(gone.map(keyOf))
  const moves = new Set(reparented(net).map(({ key }) => key))
  const leaving = new Set(
    net.places.filter(({ now, target }) => now && !sameBusiness(now, target)).map(({ key }) => key),
  )
  const moving = new Set(net.places.map(({ key }) => key))
  const among = (column: Parameters<typeof tx.dialect.among>[0]) => tx.dialect.among(column, ids, 'integer')
  const children = await selectAnyNodes(tx)
    .select('node.parent')
    .where((eb) => among(eb.ref('node.parent')))
    .execute()
  const placed = await tx
    .selectFrom('placement')
    .innerJoin('host', 'host.id', 'placement.host')
    .select(['placement.module', 'placement.business', 'host.host_id'])
    .where((eb) => eb.or([among(eb.ref('placement.module')), among(eb.ref('placement.business'))]))
    .execute()
  const hosts = placed.filter((row) => {
    const key = String(row.host_id)
    return byId.has(row.business) ? !leaving.has(key) : !moving.has(key)
  })
  const elsewhere = net.hosts.flatMap(({ now, target }) =>
    now && now.cloud_id !== target?.cloud_id ? [now.host_id] : [],
  )
  const areas = await tx
    .selectFrom('host')
    .select(['cloud', 'host_id'])
    .where((eb) => among(eb.ref('cloud')))
    .where((eb) => eb.not(tx.dialect.among(eb.ref('host_id'), elsewhere, 'integer')))
    .limit(1)
    .execute()
  const queries = await tx
    .selectFrom('custom_query')
    .select(['id', 'business'])
    .where((eb) => among(eb.ref('business')))
    .execute()
  const goneQueries = new Set(deleted(net.queries).map(({ id }) => id))
  const inside = (owner: number | null, what: string): Fault[] => {
    const node = owner === null ? undefined : byId.get(owner)
    return node ? [fault('node', keyOf(node), rule('stillInside', { what }))] : []
  }
  return [
    ...children
      .filter((row) => !goes.has(keyOf(row)) && !moves.has(keyOf(row)))
      .flatMap((row) => inside(row.parent, keyOf(row))),
    ...hosts.flatMap((row) => inside(byId.has(row.module) ? row.module : row.business, `host ${row.host_id}`)),
    ...areas.flatMap((row) => inside(row.cloud, `host ${row.host_id}`)),
    ...queries.filter((row) => !goneQueries.has(row.id)).flatMap((row) => inside(row.business, `userapi ${row.id}`)),
    ...(await faultsOfEnds(tx, 'node', ids, net, (id) => inside(id, 'association'))),
  ]
}

/** Hosts in businesses that would be archived again: only one without hosts can be. */
export async function faultsOfArchived(tx: Tx, { nodes, places }: NetChanges): Promise<Fault[]> {
  const archived = updated(nodes).flatMap(({ now, target }) =>
    target.status === 'disabled' && now.status !== 'disabled' ? [target.inst_id] : [],
  )
  if (archived.length === 0) return []
  const leaving = new Set(places.filter(({ now, target }) => now && !sameBusiness(now, target)).map(({ key }) => key))
  const hosts = await tx
    .selectFrom('host')
    .innerJoin('business', 'business.node', 'host.business')
    .select(['host.host_id', 'business.biz_id'])
    .where('host.account', '=', tx.actor.account)
    .where((eb) => tx.dialect.among(eb.ref('business.biz_id'), archived, 'integer'))
    .execute()
  const staying = new Map(
    hosts.filter(({ host_id }) => !leaving.has(String(host_id))).map(({ host_id, biz_id }) => [biz_id, host_id]),
  )
  return [...staying].map(([business, host]) =>
    fault('node', nodeKey('biz', business), rule('stillInside', { what: `host ${host}` })),
  )
}

const sameBusiness = (one: { readonly bizId: number }, other: { readonly bizId: number } | undefined) =>
  one.bizId === other?.bizId

/** Associations that would lose an end. */
export async function faultsOfEnds(
  tx: Tx,
  end: 'node' | 'host',
  ids: readonly number[],
  net: NetChanges,
  faultOf: (id: number | null) => Fault[],
): Promise<Fault[]> {
  const ended = new Set(deleted(net.associations).map(({ id }) => id))
  const rows = await tx
    .selectFrom('instance_association')
    .select(['id', `source_${end} as source`, `target_${end} as target`])
    .where((eb) =>
      eb.or([
        tx.dialect.among(eb.ref(`source_${end}`), ids, 'integer'),
        tx.dialect.among(eb.ref(`target_${end}`), ids, 'integer'),
      ]),
    )
    .execute()
  return rows.filter(({ id }) => !ended.has(id)).flatMap((row) => [...faultOf(row.source), ...faultOf(row.target)])
}
