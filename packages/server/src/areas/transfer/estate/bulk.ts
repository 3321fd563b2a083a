// Imports nodes and hosts, which are many: consecutive lines of one business share a change.

import { type Problem, problem, type Rule, rule } from '@mainline/contract'
import { present } from '../../../common/present.ts'
import type { Reader, Tx } from '../../../storage/index.ts'
import { findHosts, readAddresses, unlessOvertaken, updateHosts } from '../../hosts/index.ts'
import { objectOf } from '../../model/index.ts'
import { findAtPaths, objectsOf, pathKey, placesOf, showNode, updateInstance } from '../../topology/index.ts'
import { settleLines } from '../hosts.ts'
import { catchProblem, type RowResult } from '../run.ts'
import { badPath, importTopologyLines, kindOf } from '../topology.ts'
import { businessNames } from './business-names.ts'
import { attributesOfInstance, type EstateContext } from './list.ts'
import { cleared } from './make.ts'
import type { RecordOf } from './records.ts'
import { compareRecord, contextOf, type EstateImport, failed } from './taking.ts'
import { cloudNames, hostRecords } from './write.ts'

interface Of<K extends 'node' | 'host'> {
  readonly number: number
  readonly record: RecordOf<K>
}
type CollectedResults = Map<number, RowResult>

const missingInBulk = (what: Rule, name: string | null): Problem =>
  problem('badRow', { why: rule('noSuchName', { what, name: name ?? '' }) })

/** The business of these lines; if it does not exist, all of them fail. */
async function businessOf(place: EstateContext, lines: readonly Of<'node' | 'host'>[], results: CollectedResults) {
  const name = lines[0]?.record.business ?? null
  const found = (await businessNames(place)).find((each) => each.name === name)
  if (found) return { name, node: found.node.id, id: found.node.inst_id }
  for (const { number } of lines) results.set(number, failed(missingInBulk(rule('business'), name)))
  return undefined
}

export async function importNodes(taking: EstateImport, lines: readonly Of<'node'>[]): Promise<CollectedResults> {
  const results: CollectedResults = new Map()
  const place = await contextOf(taking)
  const { model, showing } = place
  const business = await businessOf(place, lines, results)
  if (!business) return results
  const paths = lines.map(({ record }) => record.path)
  const there = await findAtPaths(place.reader, model, business.node, paths)
  const fresh = lines.filter(({ number, record }) => {
    const node = there.get(pathKey(model, record.path))
    if (!node) return true
    const object = objectOf(model, node.object_id)
    results.set(
      number,
      compareRecord(record, { ...record, attributes: attributesOfInstance(object, showNode(object, node, showing)) }),
    )
    return false
  })
  const rows = fresh.map(({ number, record: { path, attributes } }) => {
    const object = objectsOf(model, path)[path.length - 1] ?? ''
    const key = pathKey(model, path)
    return { number, path, key, object, sent: attributes, wrong: badPath(model, path, object) }
  })
  const grow = async (tx: Tx) => {
    const grown = await importTopologyLines(tx, business.id, rows, showing)
    for (const { number, object, sent } of rows) {
      const result = grown.get(number)
      if (result?.outcome !== 'created' || result.id === undefined) continue
      const unset = cleared(objectOf(model, object), sent)
      if (Object.keys(unset).length === 0) continue
      await updateInstance(tx, kindOf(object), { bizId: business.id, id: result.id }, unset, showing)
    }
    return grown
  }
  const grown = rows.length === 0 ? undefined : await taking.change(grow)
  return inOrder(lines, new Map([...results, ...(grown ?? [])]))
}

export async function importHosts(taking: EstateImport, lines: readonly Of<'host'>[]): Promise<CollectedResults> {
  const results: CollectedResults = new Map()
  const place = await contextOf(taking)
  const { model, showing } = place
  const business = await businessOf(place, lines, results)
  if (!business) return results
  const clouds = await cloudNames(place)
  const cloudIds = new Map(clouds.entries().map(([id, name]) => [name, id]))
  const there = await existingHosts(place, lines, cloudIds, clouds)
  const rows = lines.flatMap(({ number, record }) => {
    const cloudId = cloudIds.get(record.cloud)
    const known = there.get(number)
    if (known) results.set(number, compareRecord(sorted(record), known))
    else if (cloudId === undefined) results.set(number, failed(missingInBulk(rule('cloudArea'), record.cloud)))
    else {
      const sent = { ...record.attributes, bk_cloud_id: cloudId }
      return { number, sent, paths: record.modules.map((path) => [...path]) }
    }
    return []
  })
  // Only administrators import estates, so no grant is missing.
  const editor = { showing, lacks: async () => undefined }
  const settle = async (tx: Tx) => {
    const settled = await settleLines(tx, business.id, rows, editor)
    for (const { number, sent } of rows) {
      const result = settled.get(number)
      if (result?.outcome !== 'created' || result.id === undefined) continue
      const unset = cleared(objectOf(model, 'host'), sent)
      if (Object.keys(unset).length > 0) await updateHosts(tx, [result.id], unset, editor)
    }
    return settled
  }
  const settled = rows.length === 0 ? undefined : await unlessOvertaken(() => taking.change(settle))
  return inOrder(lines, new Map([...results, ...(settled ?? [])]))
}

const inOrder = (lines: readonly { number: number }[], results: CollectedResults): CollectedResults =>
  new Map(lines.map(({ number }) => [number, present(results.get(number))]))

/** Modules in the order of export files, for comparison. */
const sorted = (record: RecordOf<'host'>): RecordOf<'host'> => ({
  ...record,
  modules: record.modules.toSorted((one, other) => (one.join('/') < other.join('/') ? -1 : 1)),
})

/** Records of the hosts of these lines that exist already, by line. */
async function existingHosts(
  place: EstateContext,
  lines: readonly Of<'host'>[],
  cloudIds: ReadonlyMap<string, number>,
  clouds: ReadonlyMap<number, string>,
): Promise<Map<number, RecordOf<'host'>>> {
  const meant = lines.flatMap(({ number, record }) => {
    const read = catchProblem(() => readAddresses('bk_host_innerip', String(record.attributes.bk_host_innerip ?? '')))
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

async function recordsById(place: EstateContext, hostIds: readonly number[], clouds: ReadonlyMap<number, string>) {
  const hosts = await findHosts(place.reader, place.account, hostIds)
  const names = new Map((await businessNames(place)).map(({ node, name }) => [node.id, name]))
  const records = new Map<number, RecordOf<'host'>>()
  for (const [business, own] of Map.groupBy(hosts, (host) => host.business)) {
    const placed = await placesOf(place.reader, business, { internal: true, language: 'en' })
    const paths = new Map(placed.map(({ node, path }) => [node.id, path]))
    const shown = await hostRecords(place, own, names.get(business) ?? null, paths, clouds)
    for (const [index, { host_id }] of own.entries()) records.set(host_id, present(shown[index]))
  }
  return records
}
