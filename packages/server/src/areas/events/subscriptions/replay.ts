import { type BodyOf, type DataOf, problem, rule, type subscriptions } from '@mainline/contract'
import type { Zone } from '../../../common/time.ts'
import type { Reader, Tx } from '../../../storage/index.ts'
import { auditSubscription } from './record.ts'
import { type Named, recordSubscription } from './service.ts'
import { alterSubscription, holdSubscription } from './store.ts'

type SentReplay = BodyOf<typeof subscriptions.replay>

interface Range {
  readonly first: number
  readonly last: number
}

/** Schedules dead letters, or a range of the log, to be sent again under the same webhook-ids. */
export async function replay(tx: Tx, { bizId, id }: Named, asked: Asked): Promise<DataOf<typeof subscriptions.replay>> {
  const row = await holdSubscription(tx, bizId, id)
  const revived = asked.what === 'dead letters' ? await revive(tx, id, asked.within) : 0
  const range = asked.what === 'dead letters' ? undefined : await passedPart(tx, id, asked.within)
  if (range) {
    await tx
      .insertInto('replay')
      .values({ subscription: id, position: range.first - 1, last_position: range.last })
      .execute()
  }
  if (revived > 0 || range) {
    await alterSubscription(tx, row, {})
    recordSubscription(tx, 'replay subscription', row, row.revision + 1, auditSubscription(row), auditSubscription(row))
  }
  return { dead_letters: revived, from_position: range?.first ?? null, to_position: range?.last ?? null }
}

export type Asked =
  | { readonly what: 'dead letters'; readonly within: Range | undefined }
  | { readonly what: 'everything'; readonly within: Range }

/** Reads what to replay, which must be given in exactly one way. Times are resolved to positions, which may need a scan. */
export async function readAsked(heavy: Reader, account: string, sent: SentReplay, zone: Zone): Promise<Asked> {
  const { from_position: first, to_position: last, from_time, to_time } = sent
  const named = [first, last, from_time, to_time].filter((each) => each !== undefined).length
  const what = sent.dead_letters === true ? 'dead letters' : 'everything'
  if (what === 'dead letters' && named === 0) return { what, within: undefined }
  if (named === 2 && first !== undefined && last !== undefined) {
    return { what, within: ordered('from_position', first, last) }
  }
  if (what === 'everything' && named === 2 && from_time !== undefined && to_time !== undefined) {
    const [from, to] = [span('from_time', from_time, zone), span('to_time', to_time, zone)]
    return { what, within: await positionsWithin(heavy, account, ordered('from_time', from.from, to.to)) }
  }
  throw problem('invalid', { field: 'replay', rule: rule('replayRange') })
}

function ordered(field: string, first: number, last: number): Range {
  if (first > last) throw problem('invalid', { field, rule: rule('atMost', { max: last }) })
  return { first, last }
}

function span(field: string, text: string, zone: Zone) {
  const read = zone.read(text)
  if (!read) throw problem('invalid', { field, rule: rule('time') })
  return read
}

/** Deletes dead letters. One that is being replayed is sent nevertheless. */
export async function discard(
  tx: Tx,
  { bizId, id }: Named,
  { from_position: first, to_position: last }: BodyOf<typeof subscriptions.discardDeadLetters>,
): Promise<DataOf<typeof subscriptions.discardDeadLetters>> {
  if ((first === undefined) !== (last === undefined)) {
    throw problem('invalid', {
      field: first === undefined ? 'from_position' : 'to_position',
      rule: rule('discardRange'),
    })
  }
  const within = first === undefined || last === undefined ? undefined : ordered('from_position', first, last)
  const row = await holdSubscription(tx, bizId, id)
  const { numDeletedRows } = await tx
    .deleteFrom('undelivered')
    .where('subscription', '=', id)
    .where('due', 'is', null)
    .$if(within !== undefined, (some) =>
      some.where('position', '>=', within?.first ?? 0).where('position', '<=', within?.last ?? 0),
    )
    .executeTakeFirst()
  const discarded = Number(numDeletedRows)
  if (discarded > 0) {
    await alterSubscription(tx, row, {})
    recordSubscription(
      tx,
      'discard dead letters',
      row,
      row.revision + 1,
      auditSubscription(row),
      auditSubscription(row),
    )
  }
  return { dead_letters: discarded }
}

async function revive(tx: Tx, id: number, within: Range | undefined): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('undelivered')
    .set({ due: tx.now, tries: 0 })
    .where('subscription', '=', id)
    .where('due', 'is', null)
    .$if(within !== undefined, (some) =>
      some.where('position', '>=', within?.first ?? 0).where('position', '<=', within?.last ?? 0),
    )
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** The part of the range that is retained and already delivered; later events are sent anyway. */
async function passedPart(tx: Tx, id: number, { first, last }: Range): Promise<Range | undefined> {
  const passed = await tx
    .selectFrom('delivery')
    .innerJoin('log_head', (join) => join.onTrue())
    .select(['delivery.position', 'log_head.floor'])
    .where('subscription', '=', id)
    .executeTakeFirstOrThrow()
  const kept = { first: Math.max(first, passed.floor), last: Math.min(last, passed.position) }
  return kept.first <= kept.last ? kept : undefined
}

/** The positions of the account's first and last record in a time range. */
async function positionsWithin(reader: Reader, account: string, { first, last }: Range): Promise<Range> {
  const found = await reader
    .selectFrom('log')
    .select((eb) => [eb.fn.min('position').as('first'), eb.fn.max('position').as('last')])
    .where('account', '=', account)
    .where('op_time', '>=', first)
    .where('op_time', '<=', last)
    .executeTakeFirst()
  return { first: found?.first ?? 1, last: found?.last ?? 0 }
}
