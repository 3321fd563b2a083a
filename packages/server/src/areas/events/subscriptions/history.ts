import { type DataOf, type Language, problem, type subscriptions } from '@mainline/contract'
import type { Selectable } from 'kysely'
import type { Zone } from '../../../common/time.ts'
import type { Reader, Tables } from '../../../storage/index.ts'
import { keptAttempts, readReason } from '../delivery/index.ts'
import { eventAt } from '../feed/index.ts'

const deadLettersAtOnce = 200

/** The last pushes, newest first. */
export async function readAttempts(
  reader: Reader,
  id: number,
  language: Language,
  zone: Zone,
): Promise<DataOf<typeof subscriptions.listAttempts>> {
  const rows = await reader
    .selectFrom('attempt')
    .selectAll()
    .where('subscription', '=', id)
    .orderBy('number', 'desc')
    .limit(keptAttempts)
    .execute()
  return rows.map((row) => showAttempt(row, language, zone))
}

const showAttempt = (row: Selectable<Tables['attempt']>, language: Language, zone: Zone) => ({
  time: zone.write(row.time),
  position: row.position,
  event: row.event,
  webhook_id: row.webhook_id,
  distribution_id: row.distribution_id,
  result: row.result,
  http_status: row.status,
  duration: row.duration,
  error: readReason(row.error, language),
  response_body: row.answer,
})

/** The last pushes about one instance, of all subscriptions of the account, newest first. Two statements. */
export async function readAttemptsAbout(
  reader: Reader,
  { account, language }: { account: string; language: Language },
  { object, instance }: { object: string; instance: number },
  zone: Zone,
): Promise<DataOf<typeof subscriptions.listAttemptsAbout>> {
  const rows = await reader
    .selectFrom('log')
    .innerJoin('attempt', 'attempt.position', 'log.position')
    .innerJoin('subscription', 'subscription.id', 'attempt.subscription')
    .selectAll('attempt')
    .select(['subscription.name', 'subscription.biz_id'])
    .where('log.account', '=', account)
    .where('log.object_id', '=', object)
    .where('log.inst_id', '=', instance)
    .where('subscription.account', '=', account)
    .orderBy('attempt.time', 'desc')
    .orderBy('attempt.subscription')
    .orderBy('attempt.number', 'desc')
    .limit(keptAttempts)
    .execute()
  const positions = [...new Set(rows.map((row) => row.position))]
  const records = await reader
    .selectFrom('log')
    .selectAll()
    .where((eb) => reader.dialect.among(eb.ref('position'), positions, 'integer'))
    .execute()
  const at = new Map(records.map((record) => [record.position, record]))
  return rows.map((row) => {
    const record = at.get(row.position)
    return {
      subscription_id: row.subscription,
      subscription_name: row.name,
      bk_biz_id: row.biz_id,
      event_name: (record && eventAt(record, row.event)?.name) ?? '',
      ...showAttempt(row, language, zone),
    }
  })
}

/** A page ends with a whole record, because the next one starts after its position. */
export async function readDeadLetters(
  reader: Reader,
  id: number,
  after: string | undefined,
  language: Language,
  zone: Zone,
): Promise<DataOf<typeof subscriptions.listDeadLetters>> {
  if (after !== undefined && !/^\d{1,15}$/.test(after)) throw problem('notInteger', { field: 'after' })
  const dead = reader
    .selectFrom('undelivered')
    .selectAll()
    .where('subscription', '=', id)
    .where('due', 'is', null)
    .orderBy('position')
    .orderBy('event')
  const rows = await dead
    .where('position', '>', Number(after ?? 0))
    .limit(deadLettersAtOnce)
    .execute()
  const cut = rows[deadLettersAtOnce - 1]
  const rest = cut && (await dead.where('position', '=', cut.position).where('event', '>', cut.event).execute())
  return [...rows, ...(rest ?? [])].map((row) => ({
    position: row.position,
    event: row.event,
    webhook_id: row.webhook_id,
    distribution_id: row.distribution_id,
    tries: row.tries,
    time: zone.write(row.time),
    error: readReason(row.error, language),
  }))
}
