import { prepared, type Reader } from '../../../platform/storage/index.ts'

/** Tickets of records that were there before the subscription and had no position yet. */
export async function readSkipped(reader: Reader, subscription: number): Promise<number[]> {
  const row = await reader
    .selectFrom('delivery')
    .select('skipped')
    .where('subscription', '=', subscription)
    .executeTakeFirst()
  return JSON.parse(row?.skipped ?? '[]') as number[]
}

/** The range that is to be sent again first. */
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
