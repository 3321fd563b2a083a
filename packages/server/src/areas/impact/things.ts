// Instances of any object in one form: nodes and hosts, for impact and neighbours.
import type { Reader } from '../../storage/index.ts'
import type { Showing } from '../model/index.ts'
import { selectAnyNodes, shownName } from '../topology/index.ts'

/** A row of `node` or of `host`. */
export interface ThingRef {
  readonly table: 'node' | 'host'
  readonly row: number
}

export interface Thing extends ThingRef {
  readonly object: string
  readonly id: number
  readonly name: string
  /** 0 outside any business. */
  readonly business: number
}

export const refKey = ({ table, row }: ThingRef): string => `${table} ${row}`

export async function findThing(
  reader: Reader,
  account: string,
  object: string,
  id: number,
): Promise<ThingRef | undefined> {
  const table = object === 'host' ? 'host' : 'node'
  const found =
    table === 'host'
      ? await reader
          .selectFrom('host')
          .select('id')
          .where('account', '=', account)
          .where('host_id', '=', id)
          .executeTakeFirst()
      : await reader
          .selectFrom('node')
          .select('id')
          .where('account', '=', account)
          .where('object_id', '=', object)
          .where('inst_id', '=', id)
          .executeTakeFirst()
  return found && { table, row: found.id }
}

export const rowsOf = (refs: readonly ThingRef[], table: ThingRef['table']): number[] => [
  ...new Set(refs.filter((ref) => ref.table === table).map((ref) => ref.row)),
]

/** By key; instances that were deleted concurrently are left out. */
export async function describeThings(
  reader: Reader,
  refs: readonly ThingRef[],
  { language }: Pick<Showing, 'language'>,
): Promise<Map<string, Thing>> {
  const [nodes, hosts] = await Promise.all([
    selectAnyNodes(reader)
      .where((eb) => reader.dialect.among(eb.ref('node.id'), rowsOf(refs, 'node'), 'integer'))
      .execute(),
    reader
      .selectFrom('host')
      .innerJoin('business', 'business.node', 'host.business')
      .select(['host.id', 'host.host_id', 'host.inner_ip', 'business.biz_id'])
      .where((eb) => reader.dialect.among(eb.ref('host.id'), rowsOf(refs, 'host'), 'integer'))
      .execute(),
  ])
  const things: Thing[] = [
    ...nodes.map((node) => ({
      table: 'node' as const,
      row: node.id,
      object: node.object_id,
      id: node.inst_id,
      name: shownName(node.object_id, node.built_in, node.name, language),
      business: node.biz_id,
    })),
    ...hosts.map((host) => ({
      table: 'host' as const,
      row: host.id,
      object: 'host',
      id: host.host_id,
      name: host.inner_ip,
      business: host.biz_id,
    })),
  ]
  return new Map(things.map((thing) => [refKey(thing), thing]))
}
