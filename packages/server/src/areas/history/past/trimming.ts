// Removes versions: those that retention has passed, and all of an account that begins again.
import { present } from '../../../common/present.ts'
import type { Writer } from '../../../storage/index.ts'
import { forever } from './version.ts'

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
  if (index === tables.length) {
    await removeRows(writer, account, endedTo)
    return undefined
  }
  const { last } = await removeFrom(writer, account, endedTo, { table: index, after })
  return last === undefined ? { table: index + 1, after: -1 } : { table: index, after: last }
}

/** Removes some of all versions of an account. Returns whether none are left, also if another process began to remove them or stopped halfway. */
export async function clearSome(writer: Writer, account: string): Promise<boolean> {
  for (const table of tables.keys()) {
    const { removed } = await removeFrom(writer, account, forever, { table, after: -1 })
    if (removed > 0n) return false
  }
  await removeRows(writer, account, forever)
  return true
}

/** Few: the model, queries and groups. */
const removeRows = (writer: Writer, account: string, endedTo: number) =>
  writer.deleteFrom('past_row').where('account', '=', account).where('to_position', '<=', endedTo).execute()

async function removeFrom(writer: Writer, account: string, endedTo: number, { table: index, after }: Place) {
  const { table, id } = present(tables[index])
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
  const { numDeletedRows: removed } = await writer
    .deleteFrom(table as 'past_node')
    .where('account', '=', account)
    .where(column, '>', after)
    .$if(last !== undefined, (query) => query.where(column, '<=', last?.id ?? 0))
    .where('to_position', '<=', endedTo)
    .executeTakeFirst()
  return { last: last?.id, removed }
}
