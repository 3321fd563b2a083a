// Saved queries and associations.
import { rule } from '@mainline/contract'
import type { Tx } from '../../../../storage/index.ts'
import { created, deleted, type NetChanges, updated } from '../net.ts'
import { existence, type Fault, fault } from './existence.ts'

export async function faultsOfQueries(tx: Tx, net: NetChanges): Promise<Fault[]> {
  const queries = [...created(net.queries), ...updated(net.queries).map(({ target }) => target)]
  const exists = await existence(
    tx,
    net,
    queries.map((query) => ({ object: 'biz', id: query.biz_id })),
  )
  const gone = new Set(net.queries.map(({ key }) => key))
  const names = queries.map(({ name }) => name)
  const holders = await tx
    .selectFrom('custom_query')
    .select(['id', 'biz_id', 'name'])
    .where('account', '=', tx.actor.account)
    .where((eb) => tx.dialect.among(eb.ref('name'), names, 'text'))
    .execute()
  return queries.flatMap((query) => {
    if (!exists('biz', query.biz_id)) {
      return [fault('custom_query', query.id, rule('parentGone', { parent: `biz ${query.biz_id}` }))]
    }
    const holder = holders.find((row) => row.biz_id === query.biz_id && row.name === query.name && !gone.has(row.id))
    if (!holder) return []
    const why = rule('nameTaken', { name: query.name, holder: `userapi ${holder.id}` })
    return [fault('custom_query', query.id, why, 'name', holder.name)]
  })
}

/** The association of their objects, and both ends. */
export async function faultsOfAssociations(tx: Tx, net: NetChanges): Promise<Fault[]> {
  const made = created(net.associations)
  if (made.length === 0) return []
  const known = await tx
    .selectFrom('object_association')
    .select('association_id')
    .where('account', '=', tx.actor.account)
    .execute()
  const kinds = new Set(known.map((row) => row.association_id))
  const ends = made.flatMap((each) => [
    { each, object: each.source_object, id: each.source_id },
    { each, object: each.target_object, id: each.target_id },
  ])
  const exists = await existence(tx, net, ends)
  const hosts = await tx
    .selectFrom('host')
    .select('host_id')
    .where('account', '=', tx.actor.account)
    .where((eb) =>
      tx.dialect.among(
        eb.ref('host_id'),
        ends.filter(({ object }) => object === 'host').map(({ id }) => id),
        'integer',
      ),
    )
    .execute()
  const gone = new Set(deleted(net.hosts).map(({ host_id }) => host_id))
  const returning = new Set(created(net.hosts).map(({ host_id }) => host_id))
  const there = new Set(hosts.map((row) => row.host_id))
  const hostExists = (id: number) => returning.has(id) || (there.has(id) && !gone.has(id))
  return [
    ...made.flatMap((each) =>
      kinds.has(each.association_id)
        ? []
        : [fault('instance_association', String(each.id), rule('objectGone', { object: each.association_id }))],
    ),
    ...ends.flatMap(({ each, object, id }) =>
      (object === 'host' ? hostExists(id) : exists(object, id))
        ? []
        : [fault('instance_association', String(each.id), rule('parentGone', { parent: `${object} ${id}` }))],
    ),
  ]
}
