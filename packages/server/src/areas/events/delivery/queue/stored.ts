import { readOwnJson } from '../../../../common/own-json.ts'
import { prepared, type Reader } from '../../../../storage/index.ts'

/** Tickets of records from before the subscription that had no position yet. */
export async function readSkipped(reader: Reader, subscription: number): Promise<number[]> {
  const row = await reader
    .selectFrom('delivery')
    .select('skipped')
    .where('subscription', '=', subscription)
    .executeTakeFirst()
  return readOwnJson(row?.skipped ?? '[]')
}

/** The first range to be replayed. */
export const readReplay = (reader: Reader, subscription: number) =>
  reader
    .selectFrom('replay')
    .selectAll()
    .where('subscription', '=', subscription)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()

export const findRecord = prepared((reader, { position }: { position: number }) =>
  reader.selectFrom('log').selectAll().where('position', '=', position),
)
