import { uniqueId } from '../../unique-id.ts'
import type { Connection } from '../connection.ts'
import type { Engine } from '../engine.ts'
import { readerOver, writerOver } from '../handles.ts'

/** Removes the oldest sealed segment when all of it is older than `before`. Its seal stays, so the chain can still be checked. */
export async function removeOldest(engine: Engine, before: number): Promise<boolean> {
  const reader = readerOver(engine.reads, engine)
  const head = await reader.selectFrom('log_head').select('floor').executeTakeFirstOrThrow()
  const oldest = await reader
    .selectFrom('seal')
    .select(['segment', 'first_position', 'last_position', 'last_time'])
    .where('last_position', '>=', head.floor)
    .orderBy('last_position')
    .limit(1)
    .executeTakeFirst()
  if (!oldest || oldest.last_time >= before) return false

  const remove = async (connection: Connection) => {
    const writer = writerOver(connection, engine)
    await writer
      .deleteFrom('log')
      .where('position', '>=', oldest.first_position)
      .where('position', '<=', oldest.last_position)
      .execute()
    await writer.deleteFrom('log_tally').where('segment', '=', oldest.segment).execute()
    // The head last, since numbering waits for it. Nobody sees rows gone and the floor where it was: both are seen at the commit.
    const moved = await writer
      .updateTable('log_head')
      .set({ floor: oldest.last_position + 1 })
      .where('floor', '=', head.floor)
      .executeTakeFirst()
    // Another process was first: then it has removed the same rows, and there was nothing left to remove here.
    return moved.numUpdatedRows === 1n
  }
  return engine.transact(uniqueId(), remove, { bulk: true })
}
