// Nodes and hosts, of which there are many: a stretch of lines of one business in one change.
import { type Problem, problem, type Rule, rule } from '@mainline/contract'
import type { Reader, Tx } from '../../../platform/storage/index.ts'
import { findHosts, readAddresses, unlessOvertaken, updateHosts } from '../../hosts/index.ts'
import { objectOf } from '../../model/index.ts'
import { findAtPaths, objectsOf, pathKey, placesOf, show, updateInstance } from '../../topology/index.ts'
import { settleLines } from '../hosts.ts'
import { type Fate, failing } from '../run.ts'
import { badPath, growLines, kindOf } from '../topology.ts'
import { attributesOf, businessNames, type Place } from './list.ts'
import { cleared } from './make.ts'
import type { RecordOf } from './records.ts'
import { failed, judged, placeOf, type Taking } from './taking.ts'
import { cloudNames, hostRecords } from './write.ts'

interface Of<K extends 'node' | 'host'> {
  readonly number: number
  readonly record: RecordOf<K>
}
type Fates = Map<number, Fate>

const missing = (what: Rule, name: string | null): Problem =>
  problem('badRow', { why: rule('noSuchName', { what, name: name ?? '' }) })

/** The business that all of the lines name; without it none of them can be taken. */
async function businessOf(place: Place, lines: readonly Of<'node' | 'host'>[], fates: Fates) {
  const name = lines[0]?.record.business ?? null
  const found = (await businessNames(place)).find((each) => each.name === name)
  if (found) return { name, node: found.node.id, id: found.node.inst_id }
  for (const { number } of lines) fates.set(number, failed(missing(rule('business'), name)))
  return undefined
}

export async function takeNodes(taking: Taking, lines: readonly Of<'node'>[]): Promise<Fates> {
  const fates: Fates = new Map()
  const place = await placeOf(taking)
  const { model, showing } = place
  const business = await businessOf(place, lines, fates)
  if (!business) return fates
  const paths = lines.map(({ record }) => record.path)
  const there = await findAtPaths(place.reader, model, business.node, paths)
  const fresh = lines.filter(({ number, record }) => {
    const node = there.get(pathKey(model, record.path))
    if (!node) return true
    const object = objectOf(model, node.object_id)
    fates.set(number, judged(record, { ...record, attributes: attributesOf(object, show(object, node, showing)) }))
    return false
  })
  const rows = fresh.map(({ number, record: { path, attributes } }) => {
    const object = objectsOf(model, path)[path.length - 1] ?? ''
    const key = pathKey(model, path)
    return { number, path, key, object, sent: attributes, wrong: badPath(model, path, object) }
  })
  const grow = async (tx: Tx) => {
    const grown = await growLines(tx, business.id, rows, showing)
    for (const { number, object, sent } of rows) {
      const fate = grown.get(number)
      if (fate?.outcome !== 'created' || fate.id === undefined) continue
      const unset = cleared(objectOf(model, object), sent)
      if (Object.keys(unset).length === 0) continue
      await updateInstance(tx, kindOf(object), { bizId: business.id, id: fate.id }, unset, showing)
    }
    return grown
  }
  const grown = rows.length === 0 ? undefined : await taking.change(grow)
  return inOrder(lines, new Map([...fates, ...(grown ?? [])]))
}

export async function takeHosts(taking: Taking, lines: readonly Of<'host'>[]): Promise<Fates> {
  const fates: Fates = new Map()
  const place = await placeOf(taking)
  const { model, showing } = place
  const business = await businessOf(place, lines, fates)
  if (!business) return fates
  const clouds = await cloudNames(place)
  const cloudIds = new Map(clouds.entries().map(([id, name]) => [name, id]))
  const there = await hostsThere(place, lines, cloudIds, clouds)
  const rows = lines.flatMap(({ number, record }) => {
    const cloudId = cloudIds.get(record.cloud)
    const known = there.get(number)
    if (known) fates.set(number, judged(sorted(record), known))
    else if (cloudId === undefined) fates.set(number, failed(missing(rule('cloudArea'), record.cloud)))
    else {
      const sent = { ...record.attributes, bk_cloud_id: cloudId }
      return { number, sent, paths: record.modules.map((path) => [...path]) }
    }
    return []
  })
  // Only administrators bring in estates, and they lack nothing.
  const editor = { showing, lacks: async () => undefined }
  const settle = async (tx: Tx) => {
    const settled = await settleLines(tx, business.id, rows, editor)
    for (const { number, sent } of rows) {
      const fate = settled.get(number)
      if (fate?.outcome !== 'created' || fate.id === undefined) continue
      const unset = cleared(objectOf(model, 'host'), sent)
      if (Object.keys(unset).length > 0) await updateHosts(tx, [fate.id], unset, editor)
    }
    return settled
  }
  const settled = rows.length === 0 ? undefined : await unlessOvertaken(() => taking.change(settle))
  return inOrder(lines, new Map([...fates, ...(settled ?? [])]))
}

const inOrder = (lines: readonly { number: number }[], fates: Fates): Fates =>
  new Map(lines.map(({ number }) => [number, fates.get(number) as Fate]))

/** Modules in the order in which estates tell them. */
const sorted = (record: RecordOf<'host'>): RecordOf<'host'> => ({
  ...record,
  modules: record.modules.toSorted((one, other) => (one.join('/') < other.join('/') ? -1 : 1)),
})

/** Records of the hosts that lines mean and that are there already, by line. */
async function hostsThere(
  place: Place,
  lines: readonly Of<'host'>[],
  cloudIds: ReadonlyMap<string, number>,
  clouds: ReadonlyMap<number, string>,
): Promise<Map<number, RecordOf<'host'>>> {
  const meant = lines.flatMap(({ number, record }) => {
    const read = failing(() => readAddresses('bk_host_innerip', String(record.attributes.bk_host_innerip ?? '')))
    const addresses = 'value' in read ? read.value : []
    return addresses.map((ip) => ({ number, name: `${cloudIds.get(record.cloud)} ${ip}`, ip }))
  })
  const ids = await hostsAt(
    place.reader,
    place.account,
    meant.map(({ ip }) => ip),
  )
  if (ids.size === 0) return new Map()
  const records = await recordsById(place, [...new Set(ids.values())], clouds)
  return new Map(
    meant.flatMap(({ number, name }) => {
      const record = records.get(ids.get(name) ?? 0)
      return record ? [[number, record]] : []
    }),
  )
}

async function hostsAt(reader: Reader, account: string, addresses: readonly string[]): Promise<Map<string, number>> {
  const rows = await reader
    .selectFrom('host_ip')
    .innerJoin('host', 'host.id', 'host_ip.host')
    .select(['host_ip.ip', 'host.cloud_id', 'host.host_id'])
    .where('host.account', '=', account)
    .where((eb) => reader.dialect.among(eb.ref('host_ip.ip'), [...new Set(addresses)], 'text'))
    .execute()
  return new Map(rows.map((row) => [`${row.cloud_id} ${row.ip}`, row.host_id]))
}

async function recordsById(place: Place, hostIds: readonly number[], clouds: ReadonlyMap<number, string>) {
  const hosts = await findHosts(place.reader, place.account, hostIds)
  const names = new Map((await businessNames(place)).map(({ node, name }) => [node.id, name]))
  const records = new Map<number, RecordOf<'host'>>()
  for (const [business, own] of Map.groupBy(hosts, (host) => host.business)) {
    const placed = await placesOf(place.reader, business, { internal: true, language: 'en' })
    const paths = new Map(placed.map(({ node, path }) => [node.id, path]))
    const shown = await hostRecords(place, own, names.get(business) ?? null, paths, clouds)
    for (const [index, { host_id }] of own.entries()) records.set(host_id, shown[index] as RecordOf<'host'>)
  }
  return records
}
