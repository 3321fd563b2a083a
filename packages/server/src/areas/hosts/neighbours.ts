import type { Reader } from '../../platform/storage/index.ts'
import { type Node, selectBusinesses, selectNodes } from '../topology/index.ts'
import type { Host } from './rows.ts'

/** What hosts stand in, by host; in order of id. */
export interface Neighbours {
  readonly businesses: ReadonlyMap<number, Node>
  readonly sets: ReadonlyMap<number, readonly Node[]>
  readonly modules: ReadonlyMap<number, readonly Node[]>
}

type Around = 'biz' | 'set' | 'module'

/** One statement for each kind that is asked for. */
export async function neighboursOf(
  reader: Reader,
  hosts: readonly Host[],
  wanted: (kind: Around) => boolean,
): Promise<Neighbours> {
  const ids = hosts.map((host) => host.id)
  const [businesses, sets, modules] = await Promise.all([
    wanted('biz') ? businessesOf(reader, [...new Set(hosts.map((host) => host.business))]) : [],
    wanted('set') ? nodesAround(reader, 'set', ids) : [],
    wanted('module') ? nodesAround(reader, 'module', ids) : [],
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

/** A host in two modules of one set is in that set once. */
async function nodesAround(reader: Reader, kind: 'set' | 'module', hosts: readonly number[]) {
  const rows = await selectNodes(reader, kind)
    .innerJoin('placement', kind === 'set' ? 'placement.set_node' : 'placement.module', 'node.id')
    .select('placement.host')
    .where((eb) => reader.dialect.among(eb.ref('placement.host'), hosts, 'integer'))
    .orderBy('node.inst_id')
    .execute()
  const seen = new Set<string>()
  return rows.filter((row) => {
    const pair = `${row.host} ${row.id}`
    return !seen.has(pair) && seen.add(pair)
  })
}
