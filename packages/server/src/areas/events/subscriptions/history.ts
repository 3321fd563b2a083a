import { type DataOf, type Language, problem, type subscriptions } from '@mainline/contract'
import type { Selectable } from 'kysely'
import type { Zone } from '../../../common/time.ts'
import type { Reader, Tables } from '../../../storage/index.ts'
import { type Addressee, keptAttempts, readReason, type Subscription, writeBody } from '../delivery/index.ts'
import { eventAt, type FeedEvent, objectsBehind } from '../feed/index.ts'

const deadLettersAtOnce = 200

/** How a caller reads what was sent. */
export interface HistoryReading {
  readonly reader: Reader
  readonly actor: { readonly account: string; readonly language: Language }
  readonly zone: Zone
  /** Whether the caller may not search an object, and so not see the bodies of its events. */
  lacks(object: string): Promise<boolean>
}

/** The last pushes, newest first. */
export async function readAttempts(
  subscription: Subscription,
  reading: HistoryReading,
): Promise<DataOf<typeof subscriptions.listAttempts>> {
  const rows = await reading.reader
    .selectFrom('attempt')
    .selectAll()
    .where('subscription', '=', subscription.id)
    .orderBy('number', 'desc')
    .limit(keptAttempts)
    .execute()
  const sent = await sentOf(rows, reading)
  return rows.map((row) => ({ ...showAttempt(row, reading), ...sent(row, subscription) }))
}

const showAttempt = (row: Selectable<Tables['attempt']>, { actor, zone }: HistoryReading) => ({
  time: zone.write(row.time),
  webhook_id: row.webhook_id,
  distribution_id: row.distribution_id,
  result: row.result,
  http_status: row.status,
  duration: row.duration,
  error: readReason(row.error, actor.language),
  response_body: row.answer,
})

/** The last pushes about one instance, of all subscriptions of the account, newest first. */
export async function readAttemptsAbout(
  { object, instance }: { object: string; instance: number },
  reading: HistoryReading,
): Promise<DataOf<typeof subscriptions.listAttemptsAbout>> {
  const { account } = reading.actor
  const rows = await reading.reader
    .selectFrom('log')
    .innerJoin('attempt', 'attempt.position', 'log.position')
    .innerJoin('subscription', 'subscription.id', 'attempt.subscription')
    .selectAll('attempt')
    .select(['subscription.name', 'subscription.biz_id', 'subscription.format', 'subscription.batch_max'])
    .where('log.account', '=', account)
    .where('log.object_id', '=', object)
    .where('log.inst_id', '=', instance)
    .where('subscription.account', '=', account)
    .orderBy('attempt.time', 'desc')
    .orderBy('attempt.subscription')
    .orderBy('attempt.number', 'desc')
    .limit(keptAttempts)
    .execute()
  const sent = await sentOf(rows, reading)
  return rows.map((row) => ({
    subscription_id: row.subscription,
    subscription_name: row.name,
    bk_biz_id: row.biz_id,
    ...showAttempt(row, reading),
    ...sent(row, { id: row.subscription, format: row.format, batch_max: row.batch_max }),
  }))
}

/** A page ends with a whole record, because the next one starts after its position. */
export async function readDeadLetters(
  subscription: Subscription,
  after: string | undefined,
  reading: HistoryReading,
): Promise<DataOf<typeof subscriptions.listDeadLetters>> {
  if (after !== undefined && !/^\d{1,15}$/.test(after)) throw problem('notInteger', { field: 'after' })
  const dead = reading.reader
    .selectFrom('undelivered')
    .selectAll()
    .where('subscription', '=', subscription.id)
    .where('due', 'is', null)
    .orderBy('position')
    .orderBy('event')
  const rows = await dead
    .where('position', '>', Number(after ?? 0))
    .limit(deadLettersAtOnce)
    .execute()
  const cut = rows[deadLettersAtOnce - 1]
  const rest = cut && (await dead.where('position', '=', cut.position).where('event', '>', cut.event).execute())
  const all = [...rows, ...(rest ?? [])]
  const sent = await sentOf(all, reading)
  return all.map((row) => ({
    ...sent(row, subscription),
    webhook_id: row.webhook_id,
    distribution_id: row.distribution_id,
    tries: row.tries,
    time: reading.zone.write(row.time),
    error: readReason(row.error, reading.actor.language),
  }))
}

type SentRow = Pick<Selectable<Tables['attempt']>, 'position' | 'event' | 'distribution_id'>

/** What was sent, read from the log for all rows in one statement. */
async function sentOf(rows: readonly SentRow[], { reader, zone, lacks }: HistoryReading) {
  const positions = [...new Set(rows.map((row) => row.position))]
  const records = await reader
    .selectFrom('log')
    .selectAll()
    .where((eb) => reader.dialect.among(eb.ref('position'), positions, 'integer'))
    .execute()
  const recordAt = new Map(records.map((record) => [record.position, record]))
  const eventOf = ({ position, event }: SentRow): FeedEvent | undefined => {
    const record = recordAt.get(position)
    return record && eventAt(record, event)
  }
  const behind = new Set(rows.flatMap((row) => eventOf(row) ?? []).flatMap(objectsBehind))
  const denied = new Set<string>()
  for (const object of behind) if (await lacks(object)) denied.add(object)
  return (row: SentRow, subscription: Addressee) => {
    const { position, event: index, distribution_id: distribution } = row
    const event = eventOf(row)
    const [object = '', instance] = event?.instance.split('/') ?? []
    const isShown = event && event.data.length > 0 && !objectsBehind(event).some((each) => denied.has(each))
    return {
      position,
      event: index,
      event_name: event?.name ?? '',
      bk_obj_id: object,
      bk_inst_id: instance === undefined ? null : Number(instance),
      request_body: isShown ? writeBody({ event, distribution }, zone, subscription) : null,
    }
  }
}
