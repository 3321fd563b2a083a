// The rows that an undo changes, from what they are to what they will be, typed by their kind.

import type { Tx } from '../../../storage/index.ts'
import type { StoredHost } from '../../hosts/index.ts'
import type { StoredNode } from '../../topology/index.ts'
import { type Columns, integer, isRecord, type KeyedKind, type RowChange, text } from '../recorded/index.ts'
import { differences, type Outcome, type Rows, rowId, type UndoableRecord } from './plan.ts'
import { unhurried } from './unhurried.ts'

export interface Net<Row> {
  readonly key: string
  readonly now: Row | undefined
  readonly target: Row | undefined
  /** Positions of the records that are undone by it. */
  readonly undoes: readonly number[]
}

export interface StoredPlace {
  readonly bizId: number
  readonly moduleIds: readonly number[]
}

export interface StoredQuery {
  readonly id: string
  readonly biz_id: number
  readonly name: string
  readonly info: string
  readonly creator: string
  readonly create_time: number
  readonly revision: number
}

export interface StoredAssociation {
  readonly id: number
  readonly association_id: string
  readonly source_object: string
  readonly source_id: number
  readonly target_object: string
  readonly target_id: number
}

const attributesIn = ({ attributes }: Columns) => (isRecord(attributes) ? attributes : {})

export const nodeIn = (row: Columns): StoredNode => ({
  object_id: text(row, 'object_id'),
  inst_id: integer(row, 'inst_id'),
  biz_id: integer(row, 'biz_id'),
  parent_id: integer(row, 'parent_id'),
  name: text(row, 'name'),
  built_in: integer(row, 'built_in'),
  attributes: attributesIn(row),
  creator: text(row, 'creator'),
  create_time: integer(row, 'create_time'),
  last_time: integer(row, 'last_time'),
  revision: integer(row, 'revision'),
  ...(typeof row.status === 'string' && { status: row.status }),
})

const hostIn = (row: Columns): StoredHost => ({
  host_id: integer(row, 'host_id'),
  cloud_id: integer(row, 'cloud_id'),
  inner_ip: text(row, 'inner_ip'),
  attributes: attributesIn(row),
  create_time: integer(row, 'create_time'),
  last_time: integer(row, 'last_time'),
  revision: integer(row, 'revision'),
})

export const placeIn = (row: Columns): StoredPlace => ({
  bizId: integer(row, 'biz_id'),
  moduleIds: Array.isArray(row.modules) ? row.modules.map(Number) : [],
})

const queryIn = (row: Columns): StoredQuery => ({
  id: text(row, 'id'),
  biz_id: integer(row, 'biz_id'),
  name: text(row, 'name'),
  info: text(row, 'info'),
  creator: text(row, 'creator'),
  create_time: integer(row, 'create_time'),
  revision: integer(row, 'revision'),
})

const associationIn = (row: Columns): StoredAssociation => ({
  id: integer(row, 'id'),
  association_id: text(row, 'association_id'),
  source_object: text(row, 'source_object'),
  source_id: integer(row, 'source_id'),
  target_object: text(row, 'target_object'),
  target_id: integer(row, 'target_id'),
})

const definitionKinds = [
  'classification',
  'object',
  'attribute_group',
  'attribute',
  'association_kind',
  'object_association',
  'user_group',
  'role_binding',
] as const
/** Kinds of which an account has few rows: the model, groups and roles. */
export type DefinitionKind = (typeof definitionKinds)[number]

export const isDefinition = (kind: string): kind is DefinitionKind => definitionKinds.some((each) => each === kind)

export interface NetDefinition extends Net<Columns> {
  readonly kind: DefinitionKind
}

export interface NetChanges {
  readonly definitions: readonly NetDefinition[]
  readonly nodes: readonly Net<StoredNode>[]
  readonly hosts: readonly Net<StoredHost>[]
  readonly places: readonly Net<StoredPlace>[]
  readonly queries: readonly Net<StoredQuery>[]
  readonly associations: readonly Net<StoredAssociation>[]
}

export async function netOf(
  tx: Tx,
  rows: Rows,
  records: readonly UndoableRecord[],
  outcomes: readonly Outcome[],
): Promise<NetChanges> {
  const undone = new Set(outcomes.flatMap(({ record, outcome }) => (outcome === 'undone' ? [record.position] : [])))
  const positions = new Map<string, number[]>()
  const keys = new Map<string, Pick<RowChange, 'kind' | 'key'>>()
  await unhurried(tx, records, ({ record, changes }) => {
    if (!undone.has(record.position)) return
    for (const change of changes) {
      const id = rowId(change)
      keys.set(id, change)
      positions.set(id, [...(positions.get(id) ?? []), record.position])
    }
  })
  const byKind = Map.groupBy(keys.values(), ({ kind }) => kind)
  const netOfKind = async <Row>(kind: KeyedKind | DefinitionKind, read: (row: Columns) => Row): Promise<Net<Row>[]> => {
    const own: Net<Row>[] = []
    await unhurried(tx, byKind.get(kind) ?? [], ({ key }) => {
      const id = rowId({ kind, key })
      const [now, target] = [rows.now.get(id), rows.get({ kind, key })]
      if (!differ(now, target)) return
      own.push({ key, now: now && read(now), target: target && read(target), undoes: positions.get(id) ?? [] })
    })
    return own
  }
  const definitions: NetDefinition[] = []
  for (const kind of definitionKinds) {
    definitions.push(...(await netOfKind(kind, (row) => row)).map((net) => ({ ...net, kind })))
  }
  return {
    definitions,
    nodes: await netOfKind('node', nodeIn),
    hosts: await netOfKind('host', hostIn),
    places: await netOfKind('placement', placeIn),
    queries: await netOfKind('custom_query', queryIn),
    associations: await netOfKind('instance_association', associationIn),
  }
}

/** Undoing a change and its undo comes to nothing. */
const differ = (now: Columns | undefined, target: Columns | undefined) =>
  now !== target && (!now || !target || differences(now, target).length > 0)

export const created = <Row>(all: readonly Net<Row>[]): Row[] =>
  all.flatMap(({ now, target }) => (!now && target ? [target] : []))
export const deleted = <Row>(all: readonly Net<Row>[]): Row[] =>
  all.flatMap(({ now, target }) => (now && !target ? [now] : []))
export const updated = <Row>(all: readonly Net<Row>[]): (Net<Row> & { now: Row; target: Row })[] =>
  all.flatMap(({ now, target, ...each }) => (now && target ? [{ ...each, now, target }] : []))
