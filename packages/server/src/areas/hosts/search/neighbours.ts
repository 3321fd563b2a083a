import { sql } from 'kysely'
import { prepared, type Reader } from '../../../storage/index.ts'
import { type Node, selectBusinesses, selectNodes } from '../../topology/index.ts'
import type { Host } from '../rows.ts'

/** The modules, sets, levels and business of each host, ordered by id. */
export interface Neighbours {
  readonly businesses: ReadonlyMap<number, Node>
  readonly sets: ReadonlyMap<number, readonly Node[]>
  readonly modules: ReadonlyMap<number, readonly Node[]>
}

type Around = 'biz' | 'set' | 'module'

/** One statement for each requested kind. */
export async function neighboursOf(
  reader: Reader,
  hosts: readonly Host[],
  wanted: (kind: Around) => boolean,
): Promise<Neighbours> {
  const [businesses, sets, modules] = await Promise.all([
    wanted('biz') ? businessesOf(reader, [...new Set(hosts.map((host) => host.business))]) : [],
    wanted('set') ? nodesAround(reader, 'set', hosts) : [],
    wanted('module') ? nodesAround(reader, 'module', hosts) : [],
  ])
  return {
    businesses: new Map(businesses.map((node) => [node.id, node])),
    sets: Map.groupBy(sets, (node) => node.host),
    modules: Map.groupBy(modules, (node) => node.host),
  }
}

const businessesOf = (reader: Reader, ids: readonly number[]): Promise<Node[]> =>
  selectBusinesses(reader)
    .where((eb) => reader.dialect.among(eb.ref('node.id'), ids, 'integer'))
    .execute()

const around = (kind: 'set' | 'module') =>
  prepared((reader, { hosts }: { hosts: unknown }) =>
    selectNodes(reader, kind)
      .innerJoin('placement', kind === 'set' ? 'placement.set_node' : 'placement.module', 'node.id')
      .select(['placement.host', 'placement.business'])
      .where((eb) => reader.dialect.amongBound(eb.ref('placement.host'), sql`${hosts}`, 'integer'))
      .orderBy('node.inst_id'),
  )
const statements = { set: around('set'), module: around('module') }

/**
 * A set is listed once for a host in two of its modules. A host that has moved to another business since it was found is shown without placement: the
 * caller has not asked for that business.
 */
async function nodesAround(reader: Reader, kind: 'set' | 'module', hosts: readonly Host[]) {
  const businesses = new Map(hosts.map((host) => [host.id, host.business]))
  const rows = await statements[kind](reader, { hosts: reader.dialect.listOf([...businesses.keys()]) })
  const seen = new Set<string>()
  return rows.filter((row) => {
    const pair = `${row.host} ${row.id}`
    return row.business === businesses.get(row.host) && !seen.has(pair) && seen.add(pair)
  })
}
