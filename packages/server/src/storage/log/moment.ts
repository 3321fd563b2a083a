// Moments of the past, as requests name them: a time, a duration back, or a position of the log.
import { setTimeout as pause } from 'node:timers/promises'
import { problem, rule } from '@mainline/contract'
import { isKeyOf } from '../../common/keys.ts'
import { readDay, type Zone } from '../../common/time.ts'
import type { Reader } from '../handles.ts'

/** A moment of the log: its state after the record at this position. */
export interface Moment {
  readonly position: number
  /** The named time; of a named position, the time of its record. In milliseconds since 1970. */
  readonly time: number
}

interface MomentRequest {
  readonly account: string
  /** As sent: not text if a query parameter was repeated. */
  readonly text: unknown
  /** The parameter, for the error. */
  readonly field: string
  readonly zone: Zone
}

const unitsMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const
const durationForm = /^-(\d{1,6})([smhdw])$/
const positionForm = /^position:(\d{1,16})$/

/** A record is numbered some milliseconds after its commit. */
const numberedWithinMs = 5_000

/**
 * `2026-11-18T02:00:00+08:00`, without an offset in the configured zone, `2026-11-18` for its midnight, `-2h` or `-7d` before now, or
 * `position:<n>`. Refuses what is not a moment or is in the future, and what lies before the oldest record that is kept.
 */
export async function readMoment(reader: Reader, { account, text, field, zone }: MomentRequest): Promise<Moment> {
  const odd = () => problem('invalid', { field, rule: rule('moment') })
  if (typeof text !== 'string') throw odd()
  const [, position] = positionForm.exec(text) ?? []
  if (position !== undefined) return momentAt(reader, Number(position), field)
  const now = Date.now()
  const time = readTime(text, zone, now)
  if (time === undefined) throw odd()
  if (time > now) throw problem('invalid', { field, rule: rule('inFuture') })
  return momentOfTime(reader, account, time, zone)
}

/** The present: after the newest record of the account that has been committed. */
export async function presentMoment(reader: Reader, account: string): Promise<Moment> {
  const position = await newestUpTo(reader, account, Number.MAX_SAFE_INTEGER)
  return { position: position ?? 0, time: Date.now() }
}

function readTime(text: string, zone: Zone, now: number): number | undefined {
  const [, count, unit = ''] = durationForm.exec(text) ?? []
  if (count !== undefined && isKeyOf(unitsMs, unit)) return now - Number(count) * unitsMs[unit]
  const day = readDay(text)
  return zone.read(day === undefined ? text : `${day} 00:00:00`)?.from
}

async function momentAt(reader: Reader, position: number, field: string): Promise<Moment> {
  const { floor, head } = await bounds(reader)
  if (position > head) throw problem('invalid', { field, rule: rule('positionAhead', { position, head }) })
  if (position < floor) throw problem('positionGone', { position, oldest: floor })
  const record = await reader.selectFrom('log').select('op_time').where('position', '=', position).executeTakeFirst()
  if (!record) throw problem('positionGone', { position, oldest: (await bounds(reader)).floor })
  return { position, time: record.op_time }
}

async function bounds(reader: Reader) {
  const { floor, position } = await reader
    .selectFrom('log_head')
    .select(['floor', 'position'])
    .executeTakeFirstOrThrow()
  return { floor, head: position }
}

async function momentOfTime(reader: Reader, account: string, time: number, zone: Zone): Promise<Moment> {
  const position = await newestUpTo(reader, account, time)
  if (position === undefined) throw await beforeLog(reader, account, zone)
  return { position, time }
}

/** The position of the account's newest record up to a time. */
async function newestUpTo(reader: Reader, account: string, time: number): Promise<number | undefined> {
  for (const until = Date.now() + numberedWithinMs; ; ) {
    const newest = await reader
      .selectFrom('log')
      .select('position')
      .where('account', '=', account)
      .where('op_time', '<=', time)
      .orderBy('op_time', 'desc')
      .orderBy('ticket', 'desc')
      .limit(1)
      .executeTakeFirst()
    if (newest?.position !== null) return newest?.position
    if (Date.now() > until) throw problem('notReady')
    await pause(20)
  }
}

async function beforeLog(reader: Reader, account: string, zone: Zone) {
  const oldest = await reader
    .selectFrom('log')
    .select(['position', 'op_time'])
    .where('account', '=', account)
    .where('position', 'is not', null)
    .orderBy('op_time')
    .orderBy('ticket')
    .limit(1)
    .executeTakeFirst()
  const time = zone.write(oldest?.op_time ?? Date.now())
  return problem('momentGone', { time, position: oldest?.position ?? 0 })
}
