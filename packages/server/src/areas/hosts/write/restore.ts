// Hosts that return under their old ids, and hosts that go as if they had never been added.
import { problem } from '@mainline/contract'
import { present } from '../../../common/present.ts'
import { insertMany, nextVersion, refuse, type Tx, unshownValues } from '../../../storage/index.ts'
import { type Attributes, inEnglish, keepValues, type ObjectModel, type Showing } from '../../model/index.ts'
import { findBusiness } from '../../topology/index.ts'
import { insertPlacements, type Spot, spotsCalled, transfer } from '../placement/placement.ts'
import { showHost, valuesOfHost } from '../record.ts'
import type { Host } from '../rows.ts'
import { findAreas } from './areas.ts'
import { type Change, insertAddresses, rewriteHosts } from './change.ts'

/** A stored host by public ids, and where it is placed. */
export interface StoredHost
  extends Pick<Host, 'host_id' | 'cloud_id' | 'inner_ip' | 'create_time' | 'last_time' | 'revision'> {
  readonly attributes: Attributes
}

export interface Place {
  readonly bizId: number
  readonly moduleIds: readonly number[]
}

const addressTaken = {
  host_ip_key: () => problem('duplicate', { what: 'bk_host_innerip' }),
  host_cloud: () => problem('noCloudArea'),
}

export async function restoreHosts(
  tx: Tx,
  object: ObjectModel,
  stored: readonly { readonly host: StoredHost; readonly place: Place }[],
  showing: Showing,
): Promise<void> {
  if (stored.length === 0) return
  const { account } = tx.actor
  const areas = await findAreas(
    tx,
    stored.map(({ host }) => host.cloud_id),
  )
  const spots = await spotsAt(
    tx,
    stored.map(({ place }) => place),
  )
  const values = stored.map(({ host, place }) => {
    const cloud = areas.get(host.cloud_id)
    if (cloud === undefined) throw problem('noCloudArea')
    const { business } = present(spots.get(place)?.[0])
    return { ...host, account, business, cloud, attributes: JSON.stringify(host.attributes) }
  })
  const inserted = await insertMany(tx, 'host', values, { returning: ['id', 'host_id'] })
  const internal = new Map(inserted.map((row) => [row.host_id, row.id]))
  const hosts = values.map((value): Host => ({ ...value, id: present(internal.get(value.host_id)) }))
  await refuse(insertAddresses(tx, hosts), addressTaken)
  const placed = hosts.map((host, index) => ({ host, spots: spots.get(present(stored[index]).place) ?? [] }))
  await insertPlacements(
    tx,
    placed.map(({ host, spots: own }) => ({ host: host.id, spots: own })),
  )
  await keepValues(
    tx,
    object,
    hosts.map((host) => ({ instance: host.id, attributes: valuesOfHost(host) })),
  )
  for (const { host, spots: own } of placed) {
    const after = showHost(object, host, inEnglish(showing))
    tx.record({
      operation: 'add',
      object: 'host',
      instance: host.host_id,
      business: own[0]?.biz_id ?? 0,
      description: 'create host',
      revision: host.revision,
      key: host.inner_ip,
      before: null,
      after,
      unshown: unshownValues(null, [host, after]),
      events: [{ name: 'hostcreate' }, ...own.map((spot) => transfer(account, host, spot, 'joined'))],
    })
  }
}

/** The modules of each place; refused when one of them does not exist. */
export async function spotsAt(tx: Tx, places: readonly Place[]): Promise<Map<Place, readonly Spot[]>> {
  const found = new Map<Place, readonly Spot[]>()
  for (const [bizId, own] of Map.groupBy(places, (place) => place.bizId)) {
    const business = await findBusiness(tx, tx.actor.account, bizId)
    const ids = [...new Set(own.flatMap((place) => place.moduleIds))]
    const spots = new Map((await spotsCalled(tx, business.node, ids)).map((spot) => [spot.module_id, spot]))
    for (const place of own)
      found.set(
        place,
        place.moduleIds.map((id) => present(spots.get(id))),
      )
  }
  return found
}

/** Gives hosts that this change holds other values. */
export async function restoreValues(
  tx: Tx,
  object: ObjectModel,
  wanted: readonly { readonly host: Host; readonly stored: Pick<StoredHost, 'cloud_id' | 'inner_ip' | 'attributes'> }[],
  showing: Showing,
): Promise<Host[]> {
  const areas = await findAreas(
    tx,
    wanted.map(({ stored }) => stored.cloud_id),
  )
  const changes = wanted.map(({ host, stored }): Change => {
    const cloud = areas.get(stored.cloud_id)
    if (cloud === undefined) throw problem('noCloudArea')
    const { cloud_id, inner_ip } = stored
    const attributes = JSON.stringify(stored.attributes)
    const after: Host = { ...host, cloud, cloud_id, inner_ip, attributes, ...nextVersion(tx, host) }
    const shown = (each: Host) => showHost(object, each, inEnglish(showing))
    return { host, after, shown: { before: shown(host), after: shown(after) } }
  })
  await refuse(rewriteHosts(tx, object, changes), addressTaken)
  return changes.map(({ after }) => after)
}
