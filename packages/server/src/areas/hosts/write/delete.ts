import { problem, rule } from '@mainline/contract'
import { expectRevision, refuse, type Tx, unshownValues } from '../../../storage/index.ts'
import { associatedMeanwhile, refuseAssociated } from '../../associations/index.ts'
import { dropValues, inEnglish, modelIn, type ObjectModel, objectOf, type Showing } from '../../model/index.ts'
import { findPool } from '../../topology/index.ts'
import { holdAll } from '../placement/moves.ts'
import { spotsOf, transfer } from '../placement/placement.ts'
import { showHost } from '../record.ts'
import type { Host } from '../rows.ts'

/** Only hosts in the resource pool can be deleted: a host of a business must be returned first. */
export async function deleteHosts(tx: Tx, hostIds: readonly number[], showing: Showing): Promise<void> {
  const object = objectOf(await modelIn(tx), 'host')
  const hosts = await holdAll(tx, hostIds)
  expectRevision(tx, hosts, (host) => showHost(object, host, showing))
  const pool = await findPool(tx, tx.actor.account)
  const used = hosts.find((host) => host.business !== pool.node)
  if (used) throw problem('hostNotDeleted', { why: rule('notInPool', { host: used.host_id }) })

  await removeHosts(tx, object, hosts, pool.bizId, showing)
}

/** Deletes hosts that this change holds, all of them in one business. */
export async function removeHosts(
  tx: Tx,
  object: ObjectModel,
  hosts: readonly Host[],
  bizId: number,
  showing: Showing,
): Promise<void> {
  const ids = hosts.map((host) => host.id)
  await refuseAssociated(tx, 'host', ids)
  const spots = await spotsOf(tx, ids)
  for (const host of hosts) {
    const before = showHost(object, host, inEnglish(showing))
    tx.record({
      operation: 'delete',
      object: 'host',
      instance: host.host_id,
      business: bizId,
      description: 'delete host',
      revision: host.revision + 1,
      key: host.inner_ip,
      before,
      after: null,
      unshown: unshownValues([host, before], null),
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
  await refuse(
    tx
      .deleteFrom('host')
      .where((eb) => tx.dialect.among(eb.ref('id'), ids, 'integer'))
      .execute(),
    associatedMeanwhile('host'),
  )
}
