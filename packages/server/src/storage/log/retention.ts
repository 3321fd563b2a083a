import { uniqueId } from '../../common/unique-id.ts'
import type { Connection } from '../connection.ts'
import type { Engine } from '../engine.ts'
import { readerOver, writerOver } from '../handles.ts'

/** Removes the oldest sealed segment if all of it is older than `before`. Its seal is kept, so that the chain can still be verified. */
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
    // The head is updated last, since numbering waits for it. Readers see removed rows and the new floor together, at the commit.
    const moved = await writer
      .updateTable('log_head')
      .set({ floor: oldest.last_position + 1 })
      .where('floor', '=', head.floor)
      .executeTakeFirst()
    // 0 if another process was first and has removed the same rows.
    return moved.numUpdatedRows === 1n
  }
  return engine.transact(uniqueId(), remove, { bulk: true })
}
