import { problem } from '@mainline/contract'
import type { Zone } from '../../../common/time.ts'
import {
  attributesIn,
  expectRevision,
  insertMany,
  nextVersion,
  preparedChange,
  refuse,
  type Snapshot,
  type Tx,
  together,
  unshownValues,
} from '../../../storage/index.ts'
import {
  type Attributes,
  type Candidate,
  checkSent,
  differs,
  inEnglish,
  modelIn,
  type ObjectModel,
  objectOf,
  refuseTaken,
  replaceValues,
  type Showing,
} from '../../model/index.ts'
import type { MissingEditGrant } from '../../privileges/index.ts'
import { readAddresses, spelled } from '../address.ts'
import { holdAll } from '../placement/moves.ts'
import { keptAttributes, showHost, valuesOfHost } from '../record.ts'
import type { Host } from '../rows.ts'
import { findAreas } from './areas.ts'

/** The editor of hosts: language and time zone, and the privileges that are missing. */
export interface Editor {
  readonly showing: Showing
  readonly lacks: MissingEditGrant
}

/** Applies the same attributes to all of the hosts, or to none. */
export async function updateHosts(
  tx: Tx,
  hostIds: readonly number[],
  sent: Attributes,
  { showing, lacks }: Editor,
): Promise<void> {
  const hosts = await holdAll(tx, hostIds)
  const object = objectOf(await modelIn(tx), 'host')
  const why = await lacks(tx, hostIds)
  if (why) throw problem('denied', { why })
  expectRevision(tx, hosts, (host) => showHost(object, host, showing))
  const given = checkHost(object, sent, showing.zone)
  const rewrites = hosts.map((host) => ({ host, given }))
  const changes = await changesOf(tx, object, rewrites, showing)
  await refuseTaken(tx, object, changes.map(candidateOf))
  await refuse(rewriteHosts(tx, object, changes), {
    host_ip_key: () => problem('duplicate', { what: 'bk_host_innerip' }),
    host_cloud: () => problem('noCloudArea'),
  })
}

/** The sent attributes, checked. Outer addresses are stored in search spelling; inner ones identify the host and are parsed by the caller. */
export function checkHost(object: ObjectModel, sent: Attributes, zone: Zone): Attributes {
  const given = checkSent(object, sent, zone)
  if (given.bk_host_outerip) given.bk_host_outerip = spelled('bk_host_outerip', given.bk_host_outerip)
  return given
}

export interface Rewrite {
  readonly host: Host
  /** Checked attributes; null clears. */
  readonly given: Attributes
}

/** A host with different content. */
export interface Change {
  readonly host: Host
  readonly after: Host
  readonly shown: { readonly before: Snapshot; readonly after: Snapshot }
}

/** The rewrites that change something. */
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
      const attributes = keptAttributes({ ...attributesIn(host), ...given })
      const cloudId = 'bk_cloud_id' in given ? cloudIdOf(given) : host.cloud_id
      const cloud = cloudId === host.cloud_id ? host.cloud : areas.get(cloudId)
      if (cloud === undefined) throw problem('noCloudArea')
      const ip = given.bk_host_innerip
      const inner_ip = typeof ip === 'string' ? readAddresses('bk_host_innerip', ip).join(',') : host.inner_ip
      const after: Host = { ...host, attributes, cloud, cloud_id: cloudId, inner_ip, ...nextVersion(tx, host) }
      return { host, after, shown: snapshots(object, host, after, showing) }
    })
    .filter(({ shown }) => differs(shown.before, shown.after))
}

/** The changed host, for the check against unique rules. */
export const candidateOf = ({ after }: Change): Candidate => ({ instance: after.id, attributes: valuesOfHost(after) })

/** Updates hosts that this change has locked and whose unique values are free. */
export async function rewriteHosts(tx: Tx, object: ObjectModel, changes: readonly Change[]): Promise<void> {
  await rename(
    tx,
    changes.filter(({ host, after }) => host.inner_ip !== after.inner_ip || host.cloud !== after.cloud),
  )
  const [businesses] = await together(
    publicIds(
      tx,
      changes.map(({ host }) => host.business),
    ),
    ...changes.map(({ after }) => rewriteOne(tx, after)),
  )
  await replaceValues(
    tx,
    object,
    changes.map(({ host, after }) => ({
      instance: host.id,
      attributes: valuesOfHost(after),
      before: valuesOfHost(host),
    })),
  )
  for (const { host, after, shown } of changes) {
    tx.record({
      operation: 'update',
      object: 'host',
      instance: host.host_id,
      business: businesses.get(host.business) ?? 0,
      description: 'update host',
      revision: after.revision,
      key: after.inner_ip,
      ...shown,
      unshown: unshownValues([host, shown.before], [after, shown.after]),
    })
  }
}

export const cloudIdOf = ({ bk_cloud_id: id }: Attributes): number => (typeof id === 'number' ? id : 0)

const snapshots = (object: ObjectModel, host: Host, after: Host, showing: Showing) => ({
  before: showHost(object, host, inEnglish(showing)),
  after: showHost(object, after, inEnglish(showing)),
})

/** Hosts with changed addresses or areas first release the old ones, so that two hosts can exchange theirs. */
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
      revision: host.revision,
    })
    .where('id', '=', host.id),
)

/** Business nodes by public business id. */
async function publicIds(tx: Tx, nodes: readonly number[]): Promise<Map<number, number>> {
  const wanted = [...new Set(nodes)]
  if (wanted.length === 0) return new Map()
  const found = await tx
    .selectFrom('business')
    .select(['node', 'biz_id'])
    .where((eb) => tx.dialect.among(eb.ref('node'), wanted, 'integer'))
    .execute()
  return new Map(found.map((row) => [row.node, row.biz_id]))
}
