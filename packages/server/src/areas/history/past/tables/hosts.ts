// Versions of hosts.
import { sql } from 'kysely'
import { attributesIn, insertMany } from '../../../../storage/index.ts'
import { nodeCode } from '../codes.ts'
import { edges, isAmong, span, type VersionTable } from '../version.ts'

export const hostVersions: VersionTable = {
  async read(reader, account, keys, which) {
    const rows = await reader
      .selectFrom('past_host')
      .selectAll()
      .where('account', '=', account)
      .where(isAmong(which))
      .$if(keys !== undefined, (query) =>
        query.where((eb) => reader.dialect.among(eb.ref('id'), (keys ?? []).map(Number), 'integer')),
      )
      .execute()
    return rows.map(({ id, account: _, business: __, cloud: ___, from_position: from, to_position: to, ...row }) => ({
      key: String(id),
      from,
      to,
      row: { ...row, attributes: attributesIn(row) },
    }))
  },
  async count(reader, account, at) {
    const { count } = await reader
      .selectFrom('past_host')
      .select(sql<number>`count(*)`.as('count'))
      .where('account', '=', account)
      .where(isAmong({ at }))
      .executeTakeFirstOrThrow()
    return count
  },
  remove: (writer, account, keys, edge) =>
    writer
      .deleteFrom('past_host')
      .where('account', '=', account)
      .where((eb) => writer.dialect.among(eb.ref('id'), keys.map(Number), 'integer'))
      .where(edges[edge].column, '=', edges[edge].value)
      .execute(),
  insert: (writer, account, versions) =>
    insertMany(
      writer,
      'past_host',
      versions.map((version) => {
        const row = version.row as unknown as HostColumns
        return {
          account,
          id: row.host_id,
          host_id: row.host_id,
          business: nodeCode('biz', row.biz_id),
          biz_id: row.biz_id,
          cloud: nodeCode('plat', row.cloud_id),
          cloud_id: row.cloud_id,
          inner_ip: row.inner_ip,
          attributes: JSON.stringify(row.attributes),
          create_time: row.create_time,
          last_time: row.last_time,
          revision: row.revision,
          ...span(version),
        }
      }),
    ),
}

interface HostColumns {
  readonly host_id: number
  readonly biz_id: number
  readonly cloud_id: number
  readonly inner_ip: string
  readonly attributes: object
  readonly create_time: number
  readonly last_time: number
  readonly revision: number
}
