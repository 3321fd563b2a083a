// Saved queries.
import { rule } from '@mainline/contract'
import type { Tx } from '../../../../storage/index.ts'
import { created, type NetChanges, type StoredQuery, updated } from '../net.ts'
import { collisionsOf } from './claims.ts'
import { existence, type Fault, fault } from './existence.ts'

export async function faultsOfQueries(tx: Tx, net: NetChanges): Promise<Fault[]> {
  const queries = [...created(net.queries), ...updated(net.queries).map(({ target }) => target)]
  const exists = await existence(
    tx,
    net,
    queries.map((query) => ({ object: 'biz', id: query.biz_id })),
  )
  const claimOf = ({ biz_id, name }: Pick<StoredQuery, 'biz_id' | 'name'>) => `${biz_id} ${name}`
  const claimants = net.queries.flatMap(({ key, now, target }) =>
    target && now?.name !== target.name ? [{ key, claims: [claimOf(target)], target }] : [],
  )
  const names = claimants.map(({ target }) => target.name)
  const holders = await tx
    .selectFrom('custom_query')
    .select(['id', 'biz_id', 'name'])
    .where('account', '=', tx.actor.account)
    .where((eb) => tx.dialect.among(eb.ref('name'), names, 'text'))
    .execute()
  const stored = holders.map((row) => ({ key: row.id, claim: claimOf(row) }))
  const targets = new Map(net.queries.map(({ key, target }) => [key, target && claimOf(target)]))
  const collisions = collisionsOf(
    claimants,
    stored,
    ({ key, claim }) => !targets.has(key) || targets.get(key) === claim,
  )
  return queries.flatMap((query) => {
    if (!exists('biz', query.biz_id)) {
      return [fault('custom_query', query.id, rule('parentGone', { parent: `biz ${query.biz_id}` }))]
    }
    const found = collisions.get(query.id)
    if (!found) return []
    const why = rule('nameTaken', { name: query.name, holder: `userapi ${found.holder}` })
    return [fault('custom_query', query.id, why, 'name', query.name)]
  })
}
