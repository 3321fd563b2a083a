import type { Reader } from '../handles.ts'

/** Progress of the log. Times are in milliseconds since 1970. */
interface LogState {
  readonly position: number
  readonly oldestUnnumbered: number | undefined
  readonly oldestUnsealed: number | undefined
  /** Time of the oldest seal that has not been sent to the witness. */
  readonly oldestUnwitnessed: number | undefined
}

export async function logState(reader: Reader): Promise<LogState> {
  const { position, sealed, witnessed } = await reader
    .selectFrom('log_head')
    .select(['position', 'sealed', 'witnessed'])
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
  const unwitnessed = await reader
    .selectFrom('seal')
    .select('sealed_at')
    .where('segment', '>', witnessed)
    .orderBy('segment')
    .limit(1)
    .executeTakeFirst()
  return {
    position,
    oldestUnnumbered: unnumbered?.op_time,
    oldestUnsealed: unsealed?.op_time,
    oldestUnwitnessed: unwitnessed?.sealed_at,
  }
}
