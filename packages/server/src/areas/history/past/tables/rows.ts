// Versions of rows of all other kinds, with their columns as JSON.
import { sql } from 'kysely'
import { readOwnJson } from '../../../../common/own-json.ts'
import { insertMany } from '../../../../storage/index.ts'
import type { Columns, RowKind } from '../../recorded/index.ts'
import { edges, isAmong, span, type VersionTable } from '../version.ts'

export const rowVersionsOf = (kind: RowKind): VersionTable => ({
  async read(reader, account, keys, which) {
    const rows = await reader
      .selectFrom('past_row')
      .select(['key', 'content', 'from_position', 'to_position'])
      .where('account', '=', account)
      .where('kind', '=', kind)
      .where(isAmong(which))
      .$if(keys !== undefined, (query) => query.where((eb) => reader.dialect.among(eb.ref('key'), keys ?? [], 'text')))
      .execute()
    return rows.map(({ key, content, from_position: from, to_position: to }) => ({
      key,
      from,
      to,
      row: readOwnJson<Columns>(content),
    }))
  },
  async count(reader, account, at) {
    const { count } = await reader
      .selectFrom('past_row')
      .select(sql<number>`count(*)`.as('count'))
      .where('account', '=', account)
      .where('kind', '=', kind)
      .where(isAmong({ at }))
      .executeTakeFirstOrThrow()
    return count
  },
  remove: (writer, account, keys, edge) =>
    writer
      .deleteFrom('past_row')
      .where('account', '=', account)
      .where('kind', '=', kind)
      .where((eb) => writer.dialect.among(eb.ref('key'), keys, 'text'))
      .where(edges[edge].column, '=', edges[edge].value)
      .execute(),
  insert: (writer, account, versions) =>
    insertMany(
      writer,
      'past_row',
      versions.map((version) => ({
        account,
        kind,
        key: version.key,
        content: JSON.stringify(version.row),
        ...span(version),
      })),
    ),
})
