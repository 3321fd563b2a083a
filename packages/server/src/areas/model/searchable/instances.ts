// Existing instances in the order of their ids, for background jobs that pass over all of them.

import { attributesIn, type Tx } from '../../../storage/index.ts'
import { nameField } from '../names.ts'
import type { Valued } from './searchable.ts'

export interface Passed extends Valued {
  readonly publicId: number
}

/** Locks the instances until this change ends, so that what is derived from their values stays current. */
export async function nextInstances(tx: Tx, object: string, after: number, limit: number): Promise<Passed[]> {
  const { account } = tx.actor
  if (object === 'host') {
    const hosts = await tx
      .selectFrom('host')
      .select(['id', 'host_id', 'inner_ip', 'cloud_id', 'attributes'])
      .where('account', '=', account)
      .where('host_id', '>', after)
      .orderBy('host_id')
      .limit(limit)
      .$if(tx.dialect.locksRows, (query) => query.forShare())
      .execute()
    return hosts.map((host) => ({
      instance: host.id,
      publicId: host.host_id,
      attributes: { ...attributesIn(host), bk_host_innerip: host.inner_ip, bk_cloud_id: host.cloud_id },
    }))
  }
  const nodes = await tx
    .selectFrom('node')
    .select(['id', 'inst_id', 'name', 'built_in', 'attributes'])
    .where('account', '=', account)
    .where('object_id', '=', object)
    .where('inst_id', '>', after)
    .orderBy('inst_id')
    .limit(limit)
    .$if(tx.dialect.locksRows, (query) => query.forShare())
    .execute()
  return nodes.map((node) => ({
    instance: node.id,
    publicId: node.inst_id,
    isBuiltIn: node.built_in !== 0,
    attributes: { ...attributesIn(node), [nameField(object)]: node.name },
  }))
}
