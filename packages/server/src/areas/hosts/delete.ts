import { problem, rule } from '@mainline/contract'
import type { Tx } from '../../platform/storage/index.ts'
import { dropValues, inEnglish, modelIn, objectOf, type Showing } from '../model/index.ts'
import { findPool } from '../topology/index.ts'
import { holdAll } from './moves.ts'
import { spotsOf, transfer } from './placement.ts'
import { showHost } from './record.ts'

/** Only what is in the resource pool can go: a host that a business uses is given back first. */
export async function deleteHosts(tx: Tx, hostIds: readonly number[], showing: Showing): Promise<void> {
  const object = objectOf(await modelIn(tx), 'host')
  const hosts = await holdAll(tx, hostIds)
  const pool = await findPool(tx, tx.actor.account)
  const used = hosts.find((host) => host.business !== pool.node)
  if (used) throw problem('hostNotDeleted', { why: rule('notInPool', { host: used.host_id }) })

  const ids = hosts.map((host) => host.id)
  const spots = await spotsOf(tx, ids)
  for (const host of hosts) {
    tx.record({
      operation: 'delete',
      object: 'host',
      instance: host.host_id,
      business: pool.bizId,
      description: 'delete host',
      key: host.inner_ip,
      before: showHost(object, host, inEnglish(showing)),
      after: null,
      events: [
        ...(spots.get(host.id) ?? []).map((spot) => transfer(tx.actor.account, host, spot, 'left')),
        { name: 'hostdelete' },
      ],
    })
  }
  for (const table of ['placement', 'host_ip'] as const) {
    await tx
      .deleteFrom(table)
      .where((eb) => tx.dialect.among(eb.ref('host'), ids, 'integer'))
      .execute()
  }
  await dropValues(tx, object, ids)
  await tx
    .deleteFrom('host')
    .where((eb) => tx.dialect.among(eb.ref('id'), ids, 'integer'))
    .execute()
}
