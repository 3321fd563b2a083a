import { Problem, problem } from '@mainline/contract'
import { type HistoryMark, isGone, readResets, recordId } from '../../../../storage/index.ts'
import type { Feed } from '../feed.ts'
import { after, type Cursor, readAfter, writeCursor } from './cursor.ts'

/** Assumed maximum clock skew between processes. */
const maxSkewMs = 60_000

/** The cursor's record is not in the log; the client may continue from `resume`. */
export class CursorGone extends Problem {
  readonly resume: Cursor
  readonly era: number

  constructor(resume: Cursor, era: number) {
    const { position } = resume
    super('cursorGone', { position, data: { bk_cursor: writeCursor(resume), position } })
    this.resume = resume
    this.era = era
  }
}

/** Undefined if the cursor's record exists; otherwise the cursor from which nothing of the current history is missed. */
export async function resumeInstead({ storage, tail }: Feed, cursor: Cursor): Promise<Cursor | undefined> {
  const { history, read } = storage
  await history.settled()
  const ends = await tail.look(cursor.position)
  if (readAfter(cursor) < ends.floor - 1) throw problem('staleCursor')
  if (!isGone(cursor, ends.asked, ends)) return undefined
  const position = Math.max(ends.floor - 1, (await lastShared(read, cursor.id)) ?? ends.position)
  return after({ position, id: await idAt(read, position) })
}

/**
 * The last position that the record's history shares with the current one: the lowest position that a reset since the record's creation
 * went back to. The creation time is part of its id. Without such a reset the record is of another database, and nothing is shared.
 */
async function lastShared(read: Feed['storage']['read'], id: string): Promise<number | undefined> {
  const since = timeOf(id) - maxSkewMs
  const resets = (await readResets(read)).filter(({ cause, time }) => cause !== 'begun' && time >= since)
  return resets.length === 0 ? undefined : Math.min(...resets.map(({ position }) => position))
}

/** When a unique id was drawn: its first 32 bits are the second. In milliseconds since 1970. */
function timeOf(id: string): number {
  const bits = [...id.slice(0, 7)].reduce((sum, digit) => sum * 32 + Number.parseInt(digit, 32), 0)
  return Number.isNaN(bits) ? 0 : Math.floor(bits / 8) * 1_000
}

export async function idAt(read: Feed['storage']['read'], position: number): Promise<HistoryMark['id']> {
  const found = await read
    .selectFrom('log')
    .select(['txn_id', 'ordinal'])
    .where('position', '=', position)
    .executeTakeFirst()
  return found ? recordId(found) : ''
}
