import type { ExpressionBuilder } from 'kysely'
import type { Fields } from '../../../condition/condition.ts'
import type { Order } from '../../../condition/sort.ts'
import type { Reader, Tables } from '../../../storage/index.ts'
import type { Subscription } from '../delivery/index.ts'
import type { SubscriptionProgress } from './record.ts'

const columns = {
  subscription_id: 'id',
  subscription_name: 'name',
  system_name: 'system_name',
  callback_url: 'callback_url',
  confirm_mode: 'confirm_mode',
  confirm_pattern: 'confirm_pattern',
  subscription_form: 'form',
  timeout: 'timeout',
  time_out: 'timeout',
  operator: 'operator',
  last_time: 'last_time',
  bk_biz_id: 'biz_id',
} as const

/** Sortable fields. */
export const subscriptionFields: Fields = new Map(
  Object.entries(columns).map(([name, column]) => [name, { type: 'text', at: { column } }]),
)

type Joined = ExpressionBuilder<Tables, 'subscription' | 'delivery'>

/** Counts the subscription's events that wait for a retry, or its dead letters. */
const countUndelivered = (eb: Joined, dead: boolean) =>
  eb
    .selectFrom('undelivered')
    .select((inner) => inner.fn.countAll<number>().as('count'))
    .whereRef('undelivered.subscription', '=', 'subscription.id')
    .where('due', dead ? 'is' : 'is not', null)
    .$asScalar()
    .$notNull()

export interface SubscriptionSearch {
  readonly account: string
  /** 0: all of the account. */
  readonly bizId: number
  readonly order: readonly Order[]
  readonly start: number
  /** Undefined: all. */
  readonly limit: number | undefined
}

export async function searchSubscriptions(
  reader: Reader,
  { account, bizId, order, start, limit }: SubscriptionSearch,
): Promise<(Subscription & SubscriptionProgress)[]> {
  let query = reader
    .selectFrom('subscription')
    .innerJoin('delivery', 'delivery.subscription', 'subscription.id')
    .selectAll('subscription')
    .select(['position', 'total', 'failure', 'unreachable', 'lapsed_from', 'lapsed_to'])
    .select((eb) => [
      eb.selectFrom('log_head').select('log_head.position').$asScalar().$notNull().as('head'),
      countUndelivered(eb, false).as('waiting'),
      countUndelivered(eb, true).as('dead'),
    ])
    .where('account', '=', account)
    .$if(bizId !== 0, (some) => some.where('biz_id', '=', bizId))
  for (const { field, descending } of order) {
    query = query.orderBy(`subscription.${columns[field as keyof typeof columns]}`, descending ? 'desc' : 'asc')
  }
  const rows = await query.orderBy('subscription.id').execute()
  return rows.slice(start, limit === undefined ? undefined : start + limit)
}
