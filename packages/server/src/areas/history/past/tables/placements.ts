// Versions of placements: all modules of a host.
import { sql } from 'kysely'
import { insertMany, type Reader } from '../../../../storage/index.ts'
import { nodeCode } from '../codes.ts'
import { edges, isAmong, span, type VersionTable } from '../version.ts'

export const placementVersions: VersionTable = {
  async read(reader, account, keys, which) {
    const rows = await reader
      .selectFrom('past_placement')
      .select(['host', 'module', 'biz_id', 'from_position', 'to_position'])
      .where('account', '=', account)
      .where(isAmong(which))
      .$if(keys !== undefined, (query) =>
        query.where((eb) => reader.dialect.among(eb.ref('host'), (keys ?? []).map(Number), 'integer')),
      )
      .orderBy('module')
      .execute()
    return [...Map.groupBy(rows, (row) => `${row.host} ${row.to_position}`).values()].flatMap((own) => {
      const [row] = own
      if (!row) return []
      const modules = own.map(({ module }) => Math.floor(module / 4))
      const placed = { biz_id: row.biz_id, modules }
      return [{ key: String(row.host), from: row.from_position, to: row.to_position, row: placed }]
    })
  },
  async count(reader, account, at) {
    const { count } = await reader
      .selectFrom('past_placement')
      .select(sql<number>`count(DISTINCT host)`.as('count'))
      .where('account', '=', account)
      .where(isAmong({ at }))
      .executeTakeFirstOrThrow()
    return count
  },
  remove: (writer, account, keys, edge) =>
    writer
      .deleteFrom('past_placement')
      .where('account', '=', account)
      .where((eb) => writer.dialect.among(eb.ref('host'), keys.map(Number), 'integer'))
      .where(edges[edge].column, '=', edges[edge].value)
      .execute(),
  async insert(writer, account, versions) {
    const placed = versions.map((version) => ({ version, ...(version.row as unknown as PlacementColumns) }))
    const sets = await setsOf(
      writer,
      account,
      placed.flatMap(({ modules }) => modules),
    )
    await insertMany(
      writer,
      'past_placement',
      placed.flatMap(({ version, modules, biz_id }) =>
        modules.map((module) => ({
          account,
          host: Number(version.key),
          module: nodeCode('module', module),
          set_node: sets.get(nodeCode('module', module)) ?? 0,
          business: nodeCode('biz', biz_id),
          biz_id,
          ...span(version),
        })),
      ),
    )
  },
}

interface PlacementColumns {
  readonly biz_id: number
  readonly modules: readonly number[]
}

/** A module never leaves its set, so any version of it tells. */
async function setsOf(reader: Reader, account: string, modules: readonly number[]): Promise<Map<number, number>> {
  if (modules.length === 0) return new Map()
  const ids = [...new Set(modules.map((module) => nodeCode('module', module)))]
  const rows = await reader
    .selectFrom('past_node')
    .select(['id', 'parent'])
    .distinct()
    .where('account', '=', account)
    .where((eb) => reader.dialect.among(eb.ref('id'), ids, 'integer'))
    .execute()
  return new Map(rows.map((row) => [row.id, row.parent ?? 0]))
}
