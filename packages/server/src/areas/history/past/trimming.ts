// Removes versions: those that retention has passed, and all of an account that begins again.
import type { Writer } from '../../../storage/index.ts'

/** Rows that a step looks at. */
const rowsPerStep = 10_000

const tables = [
  { table: 'past_node', id: 'id' },
  { table: 'past_host', id: 'id' },
  { table: 'past_placement', id: 'host' },
] as const

/** Where removing continues. */
export interface Place {
  readonly table: number
  readonly after: number
}

export const start: Place = { table: 0, after: -1 }

/** Removes some versions of an account, of those that ended at a position at the latest. Returns where to continue; undefined at the end. */
export async function removeSome(
  writer: Writer,
  account: string,
  endedTo: number,
  { table: index, after }: Place,
): Promise<Place | undefined> {
  const place = tables[index]
  if (!place) {
    // Few: the model, queries and groups.
    await writer.deleteFrom('past_row').where('account', '=', account).where('to_position', '<=', endedTo).execute()
    return undefined
  }
  const { table, id } = place
  // The columns of the three tables are typed apart, and mean the same here.
  const column = id as 'id'
  const last = await writer
    .selectFrom(table as 'past_node')
    .select(`${column} as id`)
    .where('account', '=', account)
    .where(column, '>', after)
    .orderBy(column)
    .offset(rowsPerStep)
    .limit(1)
    .executeTakeFirst()
  await writer
    .deleteFrom(table as 'past_node')
    .where('account', '=', account)
    .where(column, '>', after)
    .$if(last !== undefined, (query) => query.where(column, '<=', last?.id ?? 0))
    .where('to_position', '<=', endedTo)
    .execute()
  return last ? { table: index, after: last.id } : { table: index + 1, after: -1 }
}
