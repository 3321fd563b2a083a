import type { Reader } from '../../storage/index.ts'
import type { ObjectAssociation } from '../associations/index.ts'
import { refKey, rowsOf, type ThingRef } from './things.ts'

export type Way = 'up' | 'down'

/** A step from one instance to another. */
export interface Step {
  readonly from: ThingRef
  readonly to: ThingRef
  /** bk_mainline, placement, or an association of objects. */
  readonly through: string
}

interface Walk {
  readonly reader: Reader
  /** Associations that the caller may follow. */
  readonly associations: readonly ObjectAssociation[]
  readonly way: Way
  /** The largest number of steps read per kind. */
  readonly limit: number
}

const node = (row: number): ThingRef => ({ table: 'node', row })
const host = (row: number): ThingRef => ({ table: 'host', row })

/** All steps from these instances, in a stable order; at most `limit` of each kind. */
async function stepsFrom(walk: Walk, from: readonly ThingRef[]): Promise<Step[]> {
  const [nodes, hosts] = [rowsOf(from, 'node'), rowsOf(from, 'host')]
  const found = await Promise.all([
    alongMainLine(walk, nodes),
    placements(walk, nodes, hosts),
    associated(walk, nodes, hosts),
  ])
  return found.flat()
}

async function alongMainLine({ reader, way, limit }: Walk, nodes: readonly number[]): Promise<Step[]> {
  if (nodes.length === 0) return []
  const [here, there] = way === 'down' ? (['parent', 'id'] as const) : (['id', 'parent'] as const)
  const rows = await reader
    .selectFrom('node')
    .select(['id', 'parent'])
    .where((eb) => reader.dialect.among(eb.ref(here), nodes, 'integer'))
    .where('parent', 'is not', null)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ from: node(row[here] ?? 0), to: node(row[there] ?? 0), through: 'bk_mainline' }))
}

async function placements(
  { reader, way, limit }: Walk,
  nodes: readonly number[],
  hosts: readonly number[],
): Promise<Step[]> {
  const [column, rows] = way === 'down' ? (['module', nodes] as const) : (['host', hosts] as const)
  if (rows.length === 0) return []
  const found = await reader
    .selectFrom('placement')
    .select(['host', 'module'])
    .where((eb) => reader.dialect.among(eb.ref(column), rows, 'integer'))
    .orderBy('module')
    .orderBy('host')
    .limit(limit)
    .execute()
  return found.map((row) => {
    const [module, placed] = [node(row.module), host(row.host)]
    return way === 'down'
      ? { from: module, to: placed, through: 'placement' }
      : { from: placed, to: module, through: 'placement' }
  })
}

async function associated(
  { reader, associations, way, limit }: Walk,
  nodes: readonly number[],
  hosts: readonly number[],
): Promise<Step[]> {
  if (associations.length === 0) return []
  const names = new Map(associations.map(({ id, association_id }) => [id, association_id]))
  const here = way === 'down' ? 'source' : 'target'
  const rows = await reader
    .selectFrom('instance_association')
    .select(['association', 'source_node', 'source_host', 'target_node', 'target_host'])
    .where((eb) =>
      eb.or([
        reader.dialect.among(eb.ref(`${here}_node`), nodes, 'integer'),
        reader.dialect.among(eb.ref(`${here}_host`), hosts, 'integer'),
      ]),
    )
    .where((eb) => reader.dialect.among(eb.ref('association'), [...names.keys()], 'integer'))
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => {
    const source = row.source_node === null ? host(row.source_host ?? 0) : node(row.source_node)
    const target = row.target_node === null ? host(row.target_host ?? 0) : node(row.target_node)
    const through = names.get(row.association) ?? ''
    return way === 'down' ? { from: source, to: target, through } : { from: target, to: source, through }
  })
}

/** An instance with the step that reached it first. */
export interface Reached {
  readonly step: Step
  readonly depth: number
}

/** Everything within so many steps, nearest first and without duplicates; one more than the limit if there are more. */
export async function walkFrom(walk: Walk, start: ThingRef, depth: number): Promise<Map<string, Reached>> {
  const reached = new Map<string, Reached>()
  const known = new Set([refKey(start)])
  let edge: readonly ThingRef[] = [start]
  for (let deep = 1; deep <= depth && edge.length > 0 && reached.size < walk.limit; deep++) {
    const next: ThingRef[] = []
    // Instances that were reached before must not use up the limit.
    const steps = await stepsFrom({ ...walk, limit: walk.limit + known.size }, edge)
    for (const step of steps) {
      const key = refKey(step.to)
      if (known.has(key) || reached.size >= walk.limit) continue
      known.add(key)
      reached.set(key, { step, depth: deep })
      next.push(step.to)
    }
    edge = next
  }
  return reached
}
