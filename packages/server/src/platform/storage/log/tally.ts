import { uniqueId } from '../../unique-id.ts'
import type { Engine } from '../engine.ts'
import { readerOver, writerOver } from '../handles.ts'

const kinds = ['account', 'biz_id', 'object_id', 'operation', 'operator'] as const

/** Counts the records of the next sealed segment by kind. Returns whether there was one. */
export async function tallyNext(engine: Engine): Promise<boolean> {
  const reader = readerOver(engine.reads, engine)
  const { sealed, tallied } = await reader
    .selectFrom('log_head')
    .select(['sealed', 'tallied'])
    .executeTakeFirstOrThrow()
  if (tallied >= sealed) return false
  const { segment, first_position, last_position } = await reader
    .selectFrom('seal')
    .select(['segment', 'first_position', 'last_position'])
    .where('last_position', '>', tallied)
    .orderBy('last_position')
    .limit(1)
    .executeTakeFirstOrThrow()

  // What is sealed does not change any more: it is counted where nobody waits for it, and only the result is written.
  const counted = await readerOver(engine.heavyReads, engine)
    .selectFrom('log')
    .select((eb) => [...kinds, eb.fn.countAll<number>().as('records')])
    .where('position', '>=', first_position)
    .where('position', '<=', last_position)
    .groupBy(kinds)
    .execute()
  return engine.transact(uniqueId(), async (connection) => {
    const writer = writerOver(connection, engine)
    // Conditional on what was read, as with seals.
    const moved = await writer
      .updateTable('log_head')
      .set({ tallied: last_position })
      .where('tallied', '=', tallied)
      .executeTakeFirst()
    if (moved.numUpdatedRows !== 1n) return false
    const tally = counted.map((each) => ({ ...each, segment }))
    if (tally.length > 0) await writer.insertInto('log_tally').values(tally).execute()
    return true
  })
}
