import { rule } from '@mainline/contract'
import type { Tx } from '../../../../storage/index.ts'
import { created, deleted, type NetChanges, updated } from '../net.ts'
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

/** Addresses that other hosts have now, areas that are gone, and associations of hosts that would go. */
export async function faultsOfAddresses(tx: Tx, net: NetChanges): Promise<Fault[]> {
  const renamed = updated(net.hosts).filter(
    ({ now, target }) => now.inner_ip !== target.inner_ip || now.cloud_id !== target.cloud_id,
  )
  const hosts = [...created(net.hosts), ...renamed.map(({ target }) => target)]
  const exists = await existence(
    tx,
    net,
    hosts.map((host) => ({ object: 'plat', id: host.cloud_id })),
  )
  const ips = hosts.flatMap((host) => host.inner_ip.split(','))
  const holders = await tx
    .selectFrom('host_ip')
    .innerJoin('host', 'host.id', 'host_ip.host')
    .select(['host_ip.ip', 'host.cloud_id', 'host.host_id'])
    .where('host.account', '=', tx.actor.account)
    .where((eb) => tx.dialect.among(eb.ref('host_ip.ip'), ips, 'text'))
    .execute()
  const touched = new Set([...deleted(net.hosts), ...renamed.map(({ now }) => now)].map(({ host_id }) => host_id))
  const gone = deleted(net.hosts).map(({ host_id }) => host_id)
  const rows = await tx
    .selectFrom('host')
    .select(['id', 'host_id'])
    .where('account', '=', tx.actor.account)
    .where((eb) => tx.dialect.among(eb.ref('host_id'), gone, 'integer'))
    .execute()
  const ids = new Map(rows.map((row) => [row.id, row.host_id]))
  const ends = await faultsOfEnds(tx, 'host', [...ids.keys()], net, (id) => {
    const host = id === null ? undefined : ids.get(id)
    return host === undefined ? [] : [fault('host', String(host), rule('stillInside', { what: 'association' }))]
  })
  return [
    ...ends,
    ...hosts.flatMap((host) => {
      const key = String(host.host_id)
      if (!exists('plat', host.cloud_id))
        return [fault('host', key, rule('parentGone', { parent: `plat ${host.cloud_id}` }))]
      const holder = holders.find(
        (row) =>
          row.cloud_id === host.cloud_id && !touched.has(row.host_id) && host.inner_ip.split(',').includes(row.ip),
      )
      if (!holder || holder.host_id === host.host_id) return []
      return [
        fault(
          'host',
          key,
          rule('nameTaken', { name: holder.ip, holder: `host ${holder.host_id}` }),
          'inner_ip',
          holder.ip,
        ),
      ]
    }),
  ]
}
