import { type DataOf, problem, type subscriptions } from '@mainline/contract'
import type { Reader } from '../../platform/storage/index.ts'
import type { Zone } from '../../platform/time.ts'
import { keptAttempts } from './delivery/ledger.ts'
import { webhookId } from './delivery/message.ts'

const deadLettersAtOnce = 200

/** The last pushes, the newest first. */
export async function readAttempts(
  reader: Reader,
  id: number,
  zone: Zone,
): Promise<DataOf<typeof subscriptions.listAttempts>> {
  const rows = await reader
    .selectFrom('attempt')
    .selectAll()
    .where('subscription', '=', id)
    .orderBy('number', 'desc')
    .limit(keptAttempts)
    .execute()
  return rows.map((row) => ({
    time: zone.write(row.time),
    position: row.position,
    event: row.event,
    webhook_id: webhookId(id, row.position, row.event),
    distribution_id: row.distribution_id,
    result: row.result,
    http_status: row.status,
    duration: row.duration,
    error: row.error,
    response_body: row.answer,
  }))
}

export async function readDeadLetters(
  reader: Reader,
  id: number,
  after: string | undefined,
  zone: Zone,
): Promise<DataOf<typeof subscriptions.listDeadLetters>> {
  if (after !== undefined && !/^\d{1,15}$/.test(after)) throw problem('notInteger', { field: 'after' })
  const rows = await reader
    .selectFrom('undelivered')
    .selectAll()
    .where('subscription', '=', id)
    .where('due', 'is', null)
    .where('position', '>', Number(after ?? 0))
    .orderBy('position')
    .orderBy('event')
    .limit(deadLettersAtOnce)
    .execute()
  return rows.map((row) => ({
    position: row.position,
    event: row.event,
    webhook_id: webhookId(id, row.position, row.event),
    distribution_id: row.distribution_id,
    tries: row.tries,
    time: zone.write(row.time),
    error: row.error,
  }))
}
