import { problem } from '@mainline/contract'
import { insertMany, type Tx } from '../../platform/storage/index.ts'
import type { Zone } from '../../platform/time.ts'
import {
  type Attributes,
  checkNew,
  inEnglish,
  keepValues,
  modelIn,
  type ObjectModel,
  objectOf,
  type Showing,
} from '../model/index.ts'
import { joinBusiness } from '../topology/index.ts'
import { readAddresses } from './address.ts'
import { findAreas } from './areas.ts'
import { cloudIdOf, insertAddresses } from './change.ts'
import { insertPlacements, type Spot, spotsCalled, transfer } from './placement.ts'
import { keptAttributes, showHost } from './record.ts'
import type { Host } from './rows.ts'

export interface NewHost {
  readonly given: Attributes
  readonly addresses: readonly string[]
  readonly cloud: number
  readonly cloudId: number
  /** Modules of one business, at least one. */
  readonly spots: readonly Spot[]
}

const throughInterface = '3'

/** The attributes of a new host, checked; one that does not say where it comes from came this way. */
export const newHost = (object: ObjectModel, given: Attributes, zone: Zone): Attributes =>
  checkNew(object, given.import_from ? given : { ...given, import_from: throughInterface }, zone)

/** As many statements for a thousand hosts as for one. Returns them in order. */
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
    host_id: ids[index] as number,
    business: spots[0]?.business as number,
    cloud,
    cloud_id: cloudId,
    inner_ip: addresses.join(','),
    attributes: keptAttributes(given),
    create_time: tx.now,
    last_time: tx.now,
  }))
  const inserted = await insertMany(tx, 'host', values, { returning: ['id', 'host_id'] })
  const internal = new Map(inserted.map((row) => [row.host_id, row.id]))
  const hosts = values.map((value): Host => ({ ...value, id: internal.get(value.host_id) as number }))
  const placed = hosts.map((host, index) => ({ host, spots: created[index]?.spots ?? [] }))
  await insertAddresses(tx, hosts)
  await insertPlacements(
    tx,
    placed.map(({ host, spots }) => ({ host: host.id, spots })),
  )
  await keepValues(
    tx,
    object,
    hosts.map(({ id }, index) => ({ instance: id, attributes: created[index]?.given ?? {} })),
  )
  for (const { host, spots } of placed) {
    tx.record({
      operation: 'add',
      object: 'host',
      instance: host.host_id,
      business: spots[0]?.biz_id ?? 0,
      description: 'create host',
      key: host.inner_ip,
      before: null,
      after: showHost(object, host, inEnglish(showing)),
      events: [{ name: 'hostcreate' }, ...spots.map((spot) => transfer(account, host, spot, 'joined'))],
    })
  }
  return hosts
}

/** Many new hosts of one business at once, each in modules of its own. */
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
    const addresses = readAddresses('bk_host_innerip', given.bk_host_innerip as string)
    return { given, addresses, cloud, cloudId, spots: moduleIds.map((id) => spotOf.get(id) as Spot) }
  })
  await insertHosts(tx, object, created, showing)
}
