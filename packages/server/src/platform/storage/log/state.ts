import type { Reader } from '../handles.ts'

/** How far the log has come. Times are those of records, in milliseconds. */
export interface LogState {
  readonly position: number
  readonly oldestUnnumbered: number | undefined
  readonly oldestUnsealed: number | undefined
}

export async function logState(reader: Reader): Promise<LogState> {
  const { position, sealed } = await reader
    .selectFrom('log_head')
    .select(['position', 'sealed'])
    .executeTakeFirstOrThrow()
  const unnumbered = await reader
    .selectFrom('log')
    .select('op_time')
    .where('position', 'is', null)
    .orderBy('ticket')
    .limit(1)
    .executeTakeFirst()
  const unsealed = await reader
    .selectFrom('log')
    .select('op_time')
    .where('position', '=', sealed + 1)
    .executeTakeFirst()
  return { position, oldestUnnumbered: unnumbered?.op_time, oldestUnsealed: unsealed?.op_time }
}
