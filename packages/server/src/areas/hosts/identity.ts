import type { Reader } from '../../storage/index.ts'
import { spotsOf } from './placement/placement.ts'
import { findHost } from './rows.ts'

/** The current identity of a host and its revision: its addresses, its cloud area, and the names of its modules. Null if it was deleted. */
export async function hostIdentity(reader: Reader, account: string, hostId: number) {
  const [host] = await findHost(reader, { account, hostId })
  if (!host) return null
  const [spots, area] = await Promise.all([
    spotsOf(reader, [host.id]),
    reader.selectFrom('node').select('name').where('id', '=', host.cloud).executeTakeFirstOrThrow(),
  ])
  const associations = (spots.get(host.id) ?? []).map((spot) => [
    spot.module_id,
    {
      bk_biz_id: spot.biz_id,
      bk_biz_name: spot.biz_name,
      bk_set_id: spot.set_id,
      bk_set_name: spot.set_name,
      bk_module_id: spot.module_id,
      bk_module_name: spot.module_name,
    },
  ])
  const identity = {
    bk_host_id: host.host_id,
    bk_supplier_account: account,
    bk_host_innerip: host.inner_ip,
    bk_cloud_id: host.cloud_id,
    bk_cloud_name: area.name,
    associations: Object.fromEntries(associations),
  }
  return { identity, revision: host.revision }
}

/** An instance whose name is part of the identity of hosts; only hosts after `afterHost` are read. */
interface NameOfHosts {
  readonly object: string
  readonly instance: number
  readonly afterHost: number
}

/** The hosts whose identity contains the name of an instance, ordered by id; of one business, or of all. May scan. */
export async function hostsNamedBy(
  heavy: Reader,
  account: string,
  { object, instance, afterHost }: NameOfHosts,
  business: number | undefined,
  limit: number,
): Promise<{ host: number; businessId: number }[]> {
  const node = await heavy
    .selectFrom('node')
    .select('id')
    .where('account', '=', account)
    .where('object_id', '=', object)
    .where('inst_id', '=', instance)
    .executeTakeFirst()
  if (!node) return []
  const rows = await heavy
    .selectFrom('host')
    .innerJoin('node as biz', 'biz.id', 'host.business')
    .select(['host.host_id', 'biz.inst_id'])
    .where('host.host_id', '>', afterHost)
    .where((eb) => {
      if (object === 'biz') return eb('host.business', '=', node.id)
      if (object === 'plat') return eb('host.cloud', '=', node.id)
      const within = object === 'set' ? 'placement.set_node' : 'placement.module'
      return eb('host.id', 'in', eb.selectFrom('placement').select('placement.host').where(within, '=', node.id))
    })
    .$if(business !== undefined, (some) => some.where('biz.inst_id', '=', business ?? 0))
    .orderBy('host.host_id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ host: row.host_id, businessId: row.inst_id }))
}
