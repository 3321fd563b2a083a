// The ends of associations by names, which mean the same in another database.
import { problem } from '@mainline/contract'
import { present } from '../../../common/present.ts'
import type { Reader, Tx } from '../../../storage/index.ts'
import { modelIn } from '../../model/index.ts'
import { findAtPaths, type Path, pathKey, placesOf, selectAnyNodes } from '../../topology/index.ts'
import { businessCalled, businessNames } from './business-names.ts'
import { associationKey, type EndRecord, endKey, type RecordOf } from './records.ts'

/** Associations between instances that an estate has: not those of archived businesses. */
export async function associationRecords(reader: Reader, account: string): Promise<RecordOf<'association'>[]> {
  const rows = await reader
    .selectFrom('instance_association')
    .innerJoin('object_association', 'object_association.id', 'instance_association.association')
    .select(['object_association.association_id', 'source_node', 'source_host', 'target_node', 'target_host'])
    .where('instance_association.account', '=', account)
    .execute()
  const [nodes, hosts] = await Promise.all([
    namedNodes(reader, account, distinct(rows.flatMap((row) => [row.source_node, row.target_node]))),
    namedHosts(reader, distinct(rows.flatMap((row) => [row.source_host, row.target_host]))),
  ])
  const endOf = (node: number | null, host: number | null) => (node === null ? hosts.get(host ?? 0) : nodes.get(node))
  return rows
    .flatMap((row): RecordOf<'association'>[] => {
      const [source, target] = [endOf(row.source_node, row.source_host), endOf(row.target_node, row.target_host)]
      return source && target ? [{ is: 'association', association: row.association_id, source, target }] : []
    })
    .map((record) => ({ record, key: associationKey(record) }))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ record }) => record)
}

const distinct = (ids: readonly (number | null)[]): number[] => [...new Set(ids.filter((id) => id !== null))]

/** Instances beside the main line by object and name; those of a business by the names on the way to them. */
async function namedNodes(reader: Reader, account: string, ids: readonly number[]): Promise<Map<number, EndRecord>> {
  const rows = await selectAnyNodes(reader)
    .select('node.business')
    .where((eb) => reader.dialect.among(eb.ref('node.id'), ids, 'integer'))
    .execute()
  const named = new Map<number, EndRecord>()
  const businesses = new Map((await businessNames({ reader, account })).map(({ node, name }) => [node.id, name]))
  const wanted = new Set<number>()
  for (const { id, object_id, name, business } of rows) {
    const own = businesses.get(id)
    if (own !== undefined) named.set(id, { business: own, path: [] })
    else if (business !== null) wanted.add(business)
    else if (object_id !== 'biz') named.set(id, { object: object_id, name })
  }
  for (const business of wanted) {
    const name = businesses.get(business)
    if (name === undefined) continue
    for (const { node, path } of await placesOf(reader, business, { internal: true, language: 'en' })) {
      named.set(node.id, { business: name, path: [...path] })
    }
  }
  return named
}

async function namedHosts(reader: Reader, ids: readonly number[]): Promise<Map<number, EndRecord>> {
  const rows = await reader
    .selectFrom('host')
    .innerJoin('node', 'node.id', 'host.cloud')
    .select(['host.id', 'host.inner_ip', 'node.name'])
    .where((eb) => reader.dialect.among(eb.ref('host.id'), ids, 'integer'))
    .execute()
  return new Map(rows.map(({ id, inner_ip, name }) => [id, { cloud: name, ip: inner_ip }]))
}

/** The public id of an end in this database. */
export async function idOfEnd(tx: Tx, end: EndRecord, which: 'source' | 'target'): Promise<number> {
  const id = await ('object' in end ? beside(tx, end) : 'ip' in end ? hostAt(tx, end) : onMainLine(tx, end))
  if (id !== undefined) return id
  const what = endKey(end).flat().join(' / ')
  throw which === 'source' ? problem('noSourceInstance', { what }) : problem('noTargetInstance', { what })
}

async function beside(tx: Tx, { object, name }: { object: string; name: string }): Promise<number | undefined> {
  const found = await tx
    .selectFrom('node')
    .select('inst_id')
    .where('account', '=', tx.actor.account)
    .where('object_id', '=', object)
    .where('name', '=', name)
    .where('business', 'is', null)
    .executeTakeFirst()
  return found?.inst_id
}

async function hostAt(tx: Tx, { cloud, ip }: { cloud: string; ip: string }): Promise<number | undefined> {
  const found = await tx
    .selectFrom('host_ip')
    .innerJoin('host', 'host.id', 'host_ip.host')
    .innerJoin('node', 'node.id', 'host.cloud')
    .select('host.host_id')
    .where('host.account', '=', tx.actor.account)
    .where('host_ip.ip', '=', present(ip.split(',')[0]))
    .where('node.name', '=', cloud)
    .executeTakeFirst()
  return found?.host_id
}

async function onMainLine(tx: Tx, { business, path }: { business: string | null; path: Path }) {
  const { id, node } = await businessCalled(tx, business)
  if (path.length === 0) return id
  const model = await modelIn(tx)
  return (await findAtPaths(tx, model, node, [path])).get(pathKey(model, path))?.inst_id
}
