import type { Selectable } from 'kysely'
import { newStamp, uniqueId } from '../../common/unique-id.ts'
import { systemUser } from '../change/actor.ts'
import type { Reader, Writer } from '../handles.ts'
import { skipIds } from '../ids.ts'
import { append } from '../log/append.ts'
import type { Tables } from '../tables.ts'
import type { Here } from './place.ts'

/** `begun` is not a reset: it marks the first start on this database. */
export type Cause = 'begun' | 'records lost' | 'copied or promoted' | 'restored'

export type Reset = Selectable<Tables['history_reset']>

export const readResets = (reader: Reader): Promise<Reset[]> =>
  reader.selectFrom('history_reset').selectAll().orderBy('id').execute()

/** Ids of the lost history may be known to clients, so counters skip ahead by this much. */
const skipped = 1_000_000

/**
 * Records that the log has gone back to a position. Each account gets a log record, whose `history` event is delivered to all of its
 * subscriptions. Sender epochs are raised, so that saves based on the lost history fail.
 */
export async function recordReset(
  writer: Writer,
  { position, cause, here, now }: { position: number; cause: Cause; here: Here | undefined; now: number },
): Promise<string> {
  const token = await insertReset(writer, { position, cause, here, now })
  await skipIds(writer, skipped)
  await writer
    .updateTable('delivery')
    .set((eb) => ({ owner: '', epoch: newStamp(), next_distribution: eb('next_distribution', '+', skipped) }))
    .execute()
  const after = { id: token, position, time: new Date(now).toISOString(), cause }
  const reset = { operation: 'add', object: 'history', instance: 0, business: 0, description: 'history reset' } as const
  const records = [{ ...reset, revision: 0, before: null, after, events: [{ name: 'history' }] }]
  const accounts = await writer.selectFrom('account').select('name').orderBy('name').execute()
  for (const [first, { name }] of accounts.entries()) {
    const actor = { user: systemUser, account: name, requestId: '' }
    await append(writer, { txnId: token, actor, now, records, first })
  }
  return token
}

export async function insertReset(
  writer: Writer,
  { position, cause, here, now }: { position: number; cause: Cause; here: Here | undefined; now: number },
): Promise<string> {
  const token = uniqueId(now)
  const place = here?.place ?? ''
  await writer
    .insertInto('history_reset')
    .values({ token, position, time: now, cause, place, synchronous: Number(here?.synchronous ?? false) })
    .execute()
  return token
}

export async function bindPlace(writer: Writer, reset: Reset, { place, synchronous }: Here): Promise<void> {
  await writer
    .updateTable('history_reset')
    .set({ place, synchronous: Number(synchronous) })
    .where('id', '=', reset.id)
    .execute()
}
