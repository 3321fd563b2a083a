import { uniqueId } from '../../common/unique-id.ts'
import type { Engine } from '../engine.ts'
import { type Reader, readerOver, writerOver } from '../handles.ts'

const kinds = ['account', 'biz_id', 'object_id', 'operation', 'operator'] as const

export async function isTallyDue(engine: Engine): Promise<boolean> {
  const { sealed, tallied } = await readProgress(readerOver(engine.reads, engine))
  return tallied < sealed
}

const readProgress = (reader: Reader) =>
  reader.selectFrom('log_head').select(['sealed', 'tallied']).executeTakeFirstOrThrow()

/** Counts the records of the next sealed segment by kind. Returns whether there was such a segment. */
export async function tallyNext(engine: Engine): Promise<boolean> {
  const reader = readerOver(engine.reads, engine)
  const { sealed, tallied } = await readProgress(reader)
  if (tallied >= sealed) return false
  const { segment, first_position, last_position, hash } = await reader
    .selectFrom('seal')
    .select(['segment', 'first_position', 'last_position', 'hash'])
    .where('last_position', '>', tallied)
    .orderBy('last_position')
    .limit(1)
    .executeTakeFirstOrThrow()

  // Sealed records do not change, so they are counted outside of the transaction, on the connection for heavy reads.
  const counted = await readerOver(engine.heavyReads, engine)
    .selectFrom('log')
    .select((eb) => [...kinds, eb.fn.countAll<number>().as('records')])
    .where('position', '>=', first_position)
    .where('position', '<=', last_position)
    .groupBy(kinds)
    .execute()
  return engine.transact(uniqueId(), async (connection) => {
    const writer = writerOver(connection, engine)
    // Conditional update, as in sealing.
    const moved = await writer
      .updateTable('log_head')
      .set({ tallied: last_position })
      .where('tallied', '=', tallied)
      .executeTakeFirst()
    if (moved.numUpdatedRows !== 1n) return false
    // The database may have gone back since.
    const same = await writer
      .selectFrom('seal')
      .select('segment')
      .where('segment', '=', segment)
      .where('hash', '=', hash)
      .executeTakeFirst()
    if (!same) throw new Error('the segment that was counted has been replaced')
    const tally = counted.map((each) => ({ ...each, segment }))
    if (tally.length > 0) await writer.insertInto('log_tally').values(tally).execute()
    return true
  })
}
