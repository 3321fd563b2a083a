// Rows as they are stored now, in the form in which the log gives them back.
import type { Expression } from 'kysely'
import { readOwnJson } from '../../../common/own-json.ts'
import { attributesIn, type Reader } from '../../../storage/index.ts'
import { selectObjectAssociations, selectOwnKinds } from '../../associations/index.ts'
import { selectAttributeGroups, selectClassifications, selectObjects } from '../../model/index.ts'
import { selectAnyNodes } from '../../topology/index.ts'
import { type Columns, nodeKey, nodeOfKey, type RowKind } from './rows.ts'

type Keyed = readonly [key: string, row: Columns]
type ReadRows = (reader: Reader, account: string, keys?: readonly string[]) => Promise<Keyed[]>

const among = (reader: Reader, column: Expression<unknown>, ids: readonly number[]) =>
  reader.dialect.among(column, ids, 'integer')
const numbers = (keys: readonly string[] = []) => keys.map(Number)

const nodes: ReadRows = async (reader, account, keys) => {
  const wanted = keys?.map(nodeOfKey)
  const rows = await selectAnyNodes(reader)
    .leftJoin('business', 'business.node', 'node.id')
    .select('business.status')
    .where('node.account', '=', account)
    .$if(wanted !== undefined, (query) =>
      query.where((eb) =>
        eb.or(
          [...Map.groupBy(wanted ?? [], ({ object }) => object)].map(([object, own]) =>
            eb.and([
              eb('node.object_id', '=', object),
              among(
                reader,
                eb.ref('node.inst_id'),
                own.map(({ id }) => id),
              ),
            ]),
          ),
        ),
      ),
    )
    .execute()
  return rows.map(({ id: _, account: __, status, ...row }) => [
    nodeKey(row.object_id, row.inst_id),
    { ...row, attributes: attributesIn(row), ...(status !== null && { status }) },
  ])
}

const hosts: ReadRows = async (reader, account, keys) => {
  const rows = await reader
    .selectFrom('host')
    .select(['host_id', 'cloud_id', 'inner_ip', 'attributes', 'create_time', 'last_time', 'revision'])
    .where('account', '=', account)
    .$if(keys !== undefined, (query) => query.where((eb) => among(reader, eb.ref('host_id'), numbers(keys))))
    .execute()
  return rows.map((row) => [String(row.host_id), { ...row, attributes: attributesIn(row) }])
}

const placements: ReadRows = async (reader, account, keys) => {
  const rows = await reader
    .selectFrom('placement')
    .innerJoin('host', 'host.id', 'placement.host')
    .innerJoin('node as module', 'module.id', 'placement.module')
    .select(['host.host_id', 'module.biz_id', 'module.inst_id'])
    .where('host.account', '=', account)
    .$if(keys !== undefined, (query) => query.where((eb) => among(reader, eb.ref('host.host_id'), numbers(keys))))
    .orderBy('module.inst_id')
    .execute()
  const placed = Map.groupBy(rows, (row) => row.host_id)
  return [...placed].map(([host, own]) => [
    String(host),
    { biz_id: own[0]?.biz_id, modules: own.map((row) => row.inst_id) },
  ])
}

const queries: ReadRows = async (reader, account, keys) => {
  const rows = await reader
    .selectFrom('custom_query')
    .selectAll()
    .where('account', '=', account)
    .$if(keys !== undefined, (query) => query.where((eb) => reader.dialect.among(eb.ref('id'), keys ?? [], 'text')))
    .execute()
  return rows.map(({ account: _, business: __, ...row }) => [row.id, row])
}

const groups: ReadRows = async (reader, account) => {
  const rows = await reader.selectFrom('user_group').selectAll().where('account', '=', account).execute()
  return rows.map(({ account: _, ...row }) => [
    String(row.id),
    { ...row, privileges: readOwnJson<unknown>(row.privileges) },
  ])
}

const roles: ReadRows = async (reader, account) => {
  const rows = await reader.selectFrom('role_binding').selectAll().where('account', '=', account).execute()
  return rows.map(({ account: _, ...row }) => [
    `${row.object_id} ${row.attribute_id}`,
    { ...row, privileges: readOwnJson<unknown>(row.privileges) },
  ])
}

const attributes: ReadRows = async (reader, account) => {
  const rows = await reader.selectFrom('attribute').selectAll().where('account', '=', account).execute()
  return rows.map(({ account: _, filled: __, filled_to: ___, searchable, ...row }) => [
    String(row.id),
    { ...row, searchable: searchable === 0 ? 0 : 1 },
  ])
}

const associations: ReadRows = async (reader, account, keys) => {
  const rows = await reader
    .selectFrom('instance_association')
    .innerJoin('object_association', 'object_association.id', 'instance_association.association')
    .select([
      'instance_association.id',
      'object_association.association_id',
      'object_association.source_object',
      'instance_association.source_id',
      'object_association.target_object',
      'instance_association.target_id',
    ])
    .where('instance_association.account', '=', account)
    .$if(keys !== undefined, (query) =>
      query.where((eb) => among(reader, eb.ref('instance_association.id'), numbers(keys))),
    )
    .execute()
  return rows.map((row) => [String(row.id), row])
}

/** Rows whose columns are all recorded, by their ids. */
const byId =
  (
    select: (reader: Reader, account: string) => { execute(): Promise<(Columns & { id: number; account: string })[]> },
  ): ReadRows =>
  async (reader, account) =>
    (await select(reader, account).execute()).map(({ account: _, ...row }) => [String(row.id), row])

const readers: Readonly<Record<RowKind, ReadRows>> = {
  node: nodes,
  host: hosts,
  placement: placements,
  custom_query: queries,
  user_group: groups,
  role_binding: roles,
  classification: byId(selectClassifications),
  object: async (reader, account) =>
    (await selectObjects(reader, account).execute()).map(({ account: _, ...row }) => [row.object_id, row]),
  attribute_group: byId(selectAttributeGroups),
  attribute: attributes,
  association_kind: byId(selectOwnKinds),
  object_association: byId(selectObjectAssociations),
  instance_association: associations,
}

/** All rows of one kind in an account, by key. */
export const readLive = async (reader: Reader, account: string, kind: RowKind): Promise<Map<string, Columns>> =>
  new Map(await readers[kind](reader, account))

/** Instances, what is associated with them, and queries: there may be very many of each. */
export type KeyedKind = 'node' | 'host' | 'placement' | 'custom_query' | 'instance_association'

export const readLiveRows = async (
  reader: Reader,
  account: string,
  kind: KeyedKind,
  keys: readonly string[],
): Promise<Map<string, Columns>> => new Map(keys.length === 0 ? [] : await readers[kind](reader, account, keys))
