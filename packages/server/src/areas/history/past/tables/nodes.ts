// Versions of nodes.
import { sql } from 'kysely'
import { attributesIn, insertMany } from '../../../../storage/index.ts'
import { nameKey } from '../../../topology/index.ts'
import { nodeOfKey, nodeKey as recordedKey } from '../../recorded/index.ts'
import { nodeCode } from '../codes.ts'
import { edges, isAmong, span, type VersionTable } from '../version.ts'

const codeOfKey = (key: string) => {
  const { object, id } = nodeOfKey(key)
  return nodeCode(object, id)
}

export const nodeVersions: VersionTable = {
  async read(reader, account, keys, which) {
    const rows = await reader
      .selectFrom('past_node')
      .selectAll()
      .where('account', '=', account)
      .where(isAmong(which))
      .$if(keys !== undefined, (query) =>
        query.where((eb) => reader.dialect.among(eb.ref('id'), (keys ?? []).map(codeOfKey), 'integer')),
      )
      .execute()
    return rows.map(
      ({ id: _, account: __, business: ___, name_key: ____, from_position: from, to_position: to, ...row }) => {
        const { status, ...columns } = { ...row, attributes: attributesIn(row) }
        const key = recordedKey(row.object_id, row.inst_id)
        return { key, from, to, row: status === '' ? columns : { ...columns, status } }
      },
    )
  },
  async count(reader, account, at) {
    const { count } = await reader
      .selectFrom('past_node')
      .select(sql<number>`count(*)`.as('count'))
      .where('account', '=', account)
      .where(isAmong({ at }))
      .executeTakeFirstOrThrow()
    return count
  },
  remove: (writer, account, keys, edge) =>
    writer
      .deleteFrom('past_node')
      .where('account', '=', account)
      .where((eb) => writer.dialect.among(eb.ref('id'), keys.map(codeOfKey), 'integer'))
      .where(edges[edge].column, '=', edges[edge].value)
      .execute(),
  insert: (writer, account, versions) =>
    insertMany(
      writer,
      'past_node',
      versions.map((version) => {
        const row = version.row as unknown as NodeColumns
        const isInside = row.object_id !== 'biz' && row.biz_id !== 0
        return {
          account,
          id: nodeCode(row.object_id, row.inst_id),
          object_id: row.object_id,
          inst_id: row.inst_id,
          business: isInside ? nodeCode('biz', row.biz_id) : null,
          biz_id: row.biz_id,
          parent: row.parent,
          parent_id: row.parent_id,
          name: row.name,
          name_key: nameKey(row.object_id, row.name),
          built_in: row.built_in,
          attributes: JSON.stringify(row.attributes),
          creator: row.creator,
          create_time: row.create_time,
          last_time: row.last_time,
          revision: row.revision,
          status: row.status ?? '',
          ...span(version),
        }
      }),
    ),
}

interface NodeColumns {
  readonly object_id: string
  readonly inst_id: number
  readonly biz_id: number
  readonly parent: number | null
  readonly parent_id: number
  readonly name: string
  readonly built_in: number
  readonly attributes: object
  readonly creator: string
  readonly create_time: number
  readonly last_time: number
  readonly revision: number
  readonly status?: string
}
