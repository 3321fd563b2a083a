import type { Reader, Snapshot } from '../../platform/storage/index.ts'
import { spotsOf } from './placement.ts'
import { findHost } from './rows.ts'

/** Who a host is right now: its addresses, its cloud area and everything it stands in, by name. Null once it is gone. */
export async function hostIdentity(reader: Reader, account: string, hostId: number): Promise<Snapshot | null> {
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
  return {
    bk_host_id: host.host_id,
    bk_supplier_account: account,
    bk_host_innerip: host.inner_ip,
    bk_cloud_id: host.cloud_id,
    bk_cloud_name: area.name,
    associations: Object.fromEntries(associations),
  }
}
