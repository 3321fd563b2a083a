import { problem } from '@mainline/contract'
import { insertMany, preparedChange, refuse, type Snapshot, type Tx } from '../../platform/storage/index.ts'
import type { Zone } from '../../platform/time.ts'
import {
  type Attributes,
  checkSent,
  differs,
  inEnglish,
  modelIn,
  type ObjectModel,
  objectOf,
  replaceValues,
  type Showing,
} from '../model/index.ts'
import type { EditingLack } from '../privileges/index.ts'
import { readAddresses, spelled } from './address.ts'
import { findAreas } from './areas.ts'
import { holdAll } from './moves.ts'
import { keptAttributes, showHost } from './record.ts'
import type { Host } from './rows.ts'

/** Who edits hosts: how they see them, and what they lack to edit them. */
export interface Editor {
  readonly showing: Showing
  readonly lacks: EditingLack
}

/** The same attributes for all of the hosts, or for none. */
export async function updateHosts(
  tx: Tx,
  hostIds: readonly number[],
  sent: Attributes,
  { showing, lacks }: Editor,
): Promise<void> {
  const object = objectOf(await modelIn(tx), 'host')
  const hosts = await holdAll(tx, hostIds)
  const why = await lacks(tx, hostIds)
  if (why) throw problem('denied', { why })
  const given = checkHost(object, sent, showing.zone)
  const rewrites = hosts.map((host) => ({ host, given }))
  const changes = await changesOf(tx, object, rewrites, showing)
  await refuse(rewriteHosts(tx, object, changes), {
    host_ip_key: () => problem('duplicate', { what: 'bk_host_innerip' }),
    host_cloud: () => problem('noCloudArea'),
  })
}

/** What was sent, checked. Outer addresses are spelled as they are searched for; inner ones tell which host is meant, and are read by who asks that. */
export function checkHost(object: ObjectModel, sent: Attributes, zone: Zone): Attributes {
  const given = checkSent(object, sent, zone)
  if (given.bk_host_outerip) given.bk_host_outerip = spelled(given.bk_host_outerip)
  return given
}

export interface Rewrite {
  readonly host: Host
  /** Checked attributes; null clears. */
  readonly given: Attributes
}

/** A host that will not be as it was. */
export interface Change {
  readonly host: Host
  readonly after: Host
  readonly shown: { readonly before: Snapshot; readonly after: Snapshot }
}

/** What the rewrites come to. Whoever would be as it was is left out. */
export async function changesOf(
  tx: Tx,
  object: ObjectModel,
  rewrites: readonly Rewrite[],
  showing: Showing,
): Promise<Change[]> {
  const areas = await findAreas(
    tx,
    rewrites.flatMap(({ given }) => ('bk_cloud_id' in given ? [cloudIdOf(given)] : [])),
  )
  return rewrites
    .map(({ host, given }) => {
      const attributes = keptAttributes({ ...JSON.parse(host.attributes), ...given })
      const cloudId = 'bk_cloud_id' in given ? cloudIdOf(given) : host.cloud_id
      const cloud = cloudId === host.cloud_id ? host.cloud : areas.get(cloudId)
      if (cloud === undefined) throw problem('noCloudArea')
      const ip = given.bk_host_innerip as string | undefined
      const inner_ip = ip === undefined ? host.inner_ip : readAddresses('bk_host_innerip', ip).join(',')
      const after: Host = { ...host, attributes, cloud, cloud_id: cloudId, inner_ip, last_time: tx.now }
      return { host, after, shown: snapshots(object, host, after, showing) }
    })
    .filter(({ shown }) => differs(shown.before, shown.after))
}

/** Changes hosts that this change holds. */
export async function rewriteHosts(tx: Tx, object: ObjectModel, changes: readonly Change[]): Promise<void> {
  await rename(
    tx,
    changes.filter(({ host, after }) => host.inner_ip !== after.inner_ip || host.cloud !== after.cloud),
  )
  for (const { after } of changes) await rewriteOne(tx, after)
  await replaceValues(
    tx,
    object,
    changes.map(({ host, after }) => ({
      instance: host.id,
      attributes: JSON.parse(after.attributes),
      before: JSON.parse(host.attributes),
    })),
  )
  const businesses = await publicIds(
    tx,
    changes.map(({ host }) => host.business),
  )
  for (const { host, after, shown } of changes) {
    tx.record({
      operation: 'update',
      object: 'host',
      instance: host.host_id,
      business: businesses.get(host.business) ?? 0,
      description: 'update host',
      key: after.inner_ip,
      ...shown,
    })
  }
}

export const cloudIdOf = ({ bk_cloud_id: id }: Attributes): number => (id as number | null | undefined) ?? 0

const snapshots = (object: ObjectModel, host: Host, after: Host, showing: Showing) => ({
  before: showHost(object, host, inEnglish(showing)),
  after: showHost(object, after, inEnglish(showing)),
})

/** Hosts whose addresses or areas change give up the old ones first, so that two can exchange theirs. */
async function rename(tx: Tx, changes: readonly { after: Host }[]): Promise<void> {
  if (changes.length === 0) return
  const ids = changes.map(({ after }) => after.id)
  await tx
    .deleteFrom('host_ip')
    .where((eb) => tx.dialect.among(eb.ref('host'), ids, 'integer'))
    .execute()
  await insertAddresses(
    tx,
    changes.map(({ after }) => after),
  )
}

export async function insertAddresses(
  tx: Tx,
  hosts: readonly Pick<Host, 'id' | 'cloud' | 'inner_ip'>[],
): Promise<void> {
  const rows = hosts.flatMap(({ id, cloud, inner_ip }) => inner_ip.split(',').map((ip) => ({ ip, cloud, host: id })))
  await insertMany(tx, 'host_ip', rows)
}

const rewriteOne = preparedChange((writer, host: Host) =>
  writer
    .updateTable('host')
    .set({
      attributes: host.attributes,
      cloud: host.cloud,
      cloud_id: host.cloud_id,
      inner_ip: host.inner_ip,
      last_time: host.last_time,
    })
    .where('id', '=', host.id),
)

/** Businesses by the ids the interface has for them. */
export async function publicIds(tx: Tx, nodes: readonly number[]): Promise<Map<number, number>> {
  const wanted = [...new Set(nodes)]
  if (wanted.length === 0) return new Map()
  const found = await tx
    .selectFrom('business')
    .select(['node', 'biz_id'])
    .where((eb) => tx.dialect.among(eb.ref('node'), wanted, 'integer'))
    .execute()
  return new Map(found.map((row) => [row.node, row.biz_id]))
}
