import { problem } from '@mainline/contract'
import { present } from '../../../common/present.ts'
import type { Zone } from '../../../common/time.ts'
import { insertMany, type Tx, together } from '../../../storage/index.ts'
import {
  type Attributes,
  checkNew,
  inEnglish,
  keepValues,
  modelIn,
  type ObjectModel,
  objectOf,
  refuseTaken,
  type Showing,
} from '../../model/index.ts'
import { joinBusiness } from '../../topology/index.ts'
import { readAddresses } from '../address.ts'
import { insertPlacements, type Spot, spotsCalled, transfer } from '../placement/placement.ts'
import { keptAttributes, showHost, valuesOfHost } from '../record.ts'
import type { Host } from '../rows.ts'
import { findAreas } from './areas.ts'
import { cloudIdOf, insertAddresses } from './change.ts'

export interface NewHost {
  readonly given: Attributes
  readonly addresses: readonly string[]
  readonly cloud: number
  readonly cloudId: number
  /** Modules of one business; at least one. */
  readonly spots: readonly Spot[]
}

const throughInterface = '3'

/** The checked attributes of a new host; `bk_import_from` defaults to the API. */
export const newHost = (object: ObjectModel, given: Attributes, zone: Zone): Attributes =>
  checkNew(object, given.import_from ? given : { ...given, import_from: throughInterface }, zone)

/** The number of statements does not depend on the number of hosts. Returns them in order. */
export async function insertHosts(
  tx: Tx,
  object: ObjectModel,
  created: readonly NewHost[],
  showing: Showing,
): Promise<Host[]> {
  if (created.length === 0) return []
  const { account } = tx.actor
  const ids = await tx.drawIds('host', created.length)
  const values = created.map(({ given, addresses, cloud, cloudId, spots }, index) => ({
    account,
    host_id: present(ids[index]),
    business: present(spots[0]?.business),
    cloud,
    cloud_id: cloudId,
    inner_ip: addresses.join(','),
    attributes: keptAttributes(given),
    create_time: tx.now,
    last_time: tx.now,
    revision: 1,
  }))
  await refuseTaken(
    tx,
    object,
    values.map((value) => ({ attributes: valuesOfHost(value) })),
  )
  const inserted = await insertMany(tx, 'host', values, { returning: ['id', 'host_id'] })
  const internal = new Map(inserted.map((row) => [row.host_id, row.id]))
  const hosts = values.map((value): Host => ({ ...value, id: present(internal.get(value.host_id)) }))
  const placed = hosts.map((host, index) => ({ host, spots: created[index]?.spots ?? [] }))
  await together(
    insertAddresses(tx, hosts),
    insertPlacements(
      tx,
      placed.map(({ host, spots }) => ({ host: host.id, spots })),
    ),
    keepValues(
      tx,
      object,
      hosts.map((host) => ({ instance: host.id, attributes: valuesOfHost(host) })),
    ),
  )
  for (const { host, spots } of placed) {
    tx.record({
      operation: 'add',
      object: 'host',
      instance: host.host_id,
      business: spots[0]?.biz_id ?? 0,
      description: 'create host',
      revision: host.revision,
      key: host.inner_ip,
      before: null,
      after: showHost(object, host, inEnglish(showing)),
      events: [{ name: 'hostcreate' }, ...spots.map((spot) => transfer(account, host, spot, 'joined'))],
    })
  }
  return hosts
}

/** Inserts new hosts of one business, each into its own modules. */
export async function settleHosts(
  tx: Tx,
  bizId: number,
  sent: readonly { readonly attributes: Attributes; readonly moduleIds: readonly number[] }[],
  showing: Showing,
): Promise<void> {
  const business = await joinBusiness(tx, bizId, () => problem('notFound'))
  const object = objectOf(await modelIn(tx), 'host')
  const modules = await spotsCalled(tx, business, [...new Set(sent.flatMap((each) => each.moduleIds))])
  const spotOf = new Map(modules.map((spot) => [spot.module_id, spot]))
  const areas = await findAreas(
    tx,
    sent.map((each) => cloudIdOf(each.attributes)),
  )
  const created = sent.map(({ attributes, moduleIds }): NewHost => {
    const given = newHost(object, attributes, showing.zone)
    const cloudId = cloudIdOf(given)
    const cloud = areas.get(cloudId)
    if (cloud === undefined) throw problem('noCloudArea')
    const addresses = readAddresses('bk_host_innerip', String(given.bk_host_innerip))
    return { given, addresses, cloud, cloudId, spots: moduleIds.map((id) => present(spotOf.get(id))) }
  })
  await insertHosts(tx, object, created, showing)
}
