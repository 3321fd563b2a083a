import { rule } from '@mainline/contract'
import type { Tx } from '../../../../storage/index.ts'
import { findHosts, type StoredHost } from '../../../hosts/index.ts'
import { deleted, type NetChanges } from '../net.ts'
import { collisionsOf } from './claims.ts'
import { existence, type Fault, fault } from './existence.ts'
import { faultsOfEnds } from './remains.ts'

/** Modules that hosts would return to. */
export async function faultsOfPlaces(tx: Tx, net: NetChanges): Promise<Fault[]> {
  const places = net.places.flatMap(({ key, target }) => (target ? [{ key, place: target }] : []))
  const modules = places.flatMap(({ place }) => place.moduleIds)
  const wanted = [
    ...modules.map((id) => ({ object: 'module', id })),
    ...places.map(({ place }) => ({ object: 'biz', id: place.bizId })),
  ]
  const exists = await existence(tx, net, wanted)
  return places.flatMap(({ key, place }) => {
    const missing = place.moduleIds.find((id) => !exists('module', id))
    if (missing !== undefined) return [fault('placement', key, rule('parentGone', { parent: `module ${missing}` }))]
    return exists('biz', place.bizId)
      ? []
      : [fault('placement', key, rule('parentGone', { parent: `biz ${place.bizId}` }))]
  })
}

/** Addresses that other hosts have now, and areas that are gone. */
export async function faultsOfAddresses(tx: Tx, net: NetChanges): Promise<Fault[]> {
  const claimants = net.hosts.flatMap(({ key, now, target }) => {
    if (!target || (now && now.inner_ip === target.inner_ip && now.cloud_id === target.cloud_id)) return []
    return [{ key, claims: addressesOf(target), target }]
  })
  if (claimants.length === 0) return []
  const exists = await existence(
    tx,
    net,
    claimants.map(({ target }) => ({ object: 'plat', id: target.cloud_id })),
  )
  const ips = [...new Set(claimants.flatMap(({ target }) => target.inner_ip.split(',')))]
  const holders = await tx
    .selectFrom('host_ip')
    .innerJoin('host', 'host.id', 'host_ip.host')
    .select(['host_ip.ip', 'host.cloud_id', 'host.host_id'])
    .where('host.account', '=', tx.actor.account)
    .where((eb) => tx.dialect.among(eb.ref('host_ip.ip'), ips, 'text'))
    .execute()
  const stored = holders.map((row) => ({ key: String(row.host_id), claim: `${row.cloud_id} ${row.ip}` }))
  const targets = new Map(net.hosts.map(({ key, target }) => [key, new Set(target ? addressesOf(target) : [])]))
  const collisions = collisionsOf(claimants, stored, ({ key, claim }) => targets.get(key)?.has(claim) ?? true)
  return claimants.flatMap(({ key, target }) => {
    if (!exists('plat', target.cloud_id))
      return [fault('host', key, rule('parentGone', { parent: `plat ${target.cloud_id}` }))]
    const found = collisions.get(key)
    if (!found) return []
    const name = found.claim.slice(found.claim.indexOf(' ') + 1)
    return [fault('host', key, rule('nameTaken', { name, holder: `host ${found.holder}` }), 'inner_ip', name)]
  })
}

const addressesOf = ({ cloud_id, inner_ip }: StoredHost) => inner_ip.split(',').map((ip) => `${cloud_id} ${ip}`)

/** Associations of hosts that would go. */
export async function faultsOfHostEnds(tx: Tx, net: NetChanges): Promise<Fault[]> {
  const gone = deleted(net.hosts).map(({ host_id }) => host_id)
  if (gone.length === 0) return []
  const rows = await findHosts(tx, tx.actor.account, gone)
  const ids = new Map(rows.map((row) => [row.id, row.host_id]))
  return faultsOfEnds(tx, 'host', [...ids.keys()], net, (id) => {
    const host = id === null ? undefined : ids.get(id)
    return host === undefined ? [] : [fault('host', String(host), rule('stillInside', { what: 'association' }))]
  })
}
