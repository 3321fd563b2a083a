// How ids are drawn: from a table on SQLite, from sequences on PostgreSQL.
import { sql } from 'kysely'
import type { Dialect } from './dialect.ts'
import { connectionOf, type Writer } from './handles.ts'
import { preparedChange } from './prepared.ts'

export type IdKind =
  | 'biz'
  | 'set'
  | 'module'
  | 'inst'
  | 'host'
  | 'value'
  | 'subscription'
  | 'association_kind'
  | 'object_association'
  | 'instance_association'

interface Ids {
  draw(writer: Writer, kind: IdKind, count: number): Promise<number[]>
  /** The next ids of every kind are at least so much higher; on PostgreSQL by less, where the role may draw ids and not set them. */
  skip(writer: Writer, count: number): Promise<void>
}

const raiseSequence = preparedChange((writer, { kind, count }: { kind: IdKind; count: number }) =>
  writer
    .updateTable('sequence')
    .set((eb) => ({ value: eb('value', '+', count) }))
    .where('kind', '=', kind)
    .returning('value'),
)

const nextValues = preparedChange((writer, { sequence, count }: { sequence: string; count: number }) =>
  writer
    .selectFrom(sql<{ n: number }>`generate_series(1, ${count}::int)`.as('n'))
    .select(sql<number>`nextval(${sequence})`.as('id')),
)

const lastOf = (last: number, count: number) => Array.from({ length: count }, (_, index) => last - count + 1 + index)

const sqliteIds: Ids = {
  draw: async (writer, kind, count) => {
    const [drawn] = await raiseSequence(writer, { kind, count })
    const value = drawn?.value ?? 0
    return lastOf(value, count)
  },
  skip: async (writer, count) => {
    for (const statement of ['sequence SET value = value', 'sqlite_sequence SET seq = seq']) {
      await connectionOf(writer).query(`UPDATE ${statement} + ?`, [count])
    }
  },
}

/** How many ids are drawn for nothing where the role may not set the next one. */
const drawnInstead = 10_000

const ownSequences =
  'pg_sequence JOIN pg_class ON pg_class.oid = seqrelid WHERE relnamespace = current_schema()::regnamespace'

const postgresIds: Ids = {
  draw: async (writer, kind, count) => {
    const drawn = await nextValues(writer, { sequence: `${kind}_id`, count })
    return drawn.map((row) => row.id)
  },
  skip: async (writer, count) => {
    const { query } = connectionOf(writer)
    const [maySet, mayDraw] = [
      `has_sequence_privilege(seqrelid, 'UPDATE')`,
      `has_sequence_privilege(seqrelid, 'USAGE')`,
    ]
    await query(
      `SELECT setval(seqrelid::regclass, coalesce(pg_sequence_last_value(seqrelid), 0) + $1::bigint)
      FROM ${ownSequences} AND ${maySet} AND ${mayDraw}`,
      [count],
    )
    await query(
      `SELECT count(nextval(seqrelid::regclass)) FROM generate_series(1, ${drawnInstead}), ${ownSequences} AND NOT ${maySet} AND ${mayDraw}`,
      [],
    )
  },
}

const idsOf: Record<Dialect['name'], Ids> = { sqlite: sqliteIds, postgres: postgresIds }

/** Ids that an engine draws ahead, where drawing them takes a round trip. */
export interface IdsAhead {
  /** Calls `draw` for those that it does not have. */
  draw(kind: IdKind, count: number, draw: (count: number) => Promise<number[]>): Promise<number[]>
  /** The database may have gone back, and would draw the same ids again. */
  drop(): void
}

export function drawIds(
  { idBlocks }: { readonly idBlocks?: IdsAhead },
  writer: Writer,
  kind: IdKind,
  count: number,
): Promise<number[]> {
  const draw = (wanted: number) => idsOf[writer.dialect.name].draw(writer, kind, wanted)
  return idBlocks ? idBlocks.draw(kind, count, draw) : draw(count)
}

export const skipIds = (writer: Writer, count: number): Promise<void> => idsOf[writer.dialect.name].skip(writer, count)
