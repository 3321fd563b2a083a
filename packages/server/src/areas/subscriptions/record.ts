import { type DataOf, type Language, rule, type subscriptions } from '@mainline/contract'
import type { Snapshot } from '../../platform/storage/index.ts'
import type { Zone } from '../../platform/time.ts'
import type { Definition } from './definition.ts'
import { readReason, writeReason } from './reason.ts'
import type { Progress } from './search.ts'
import type { Subscription } from './store.ts'

export type SubscriptionRecord = DataOf<typeof subscriptions.searchSubscription>[number]

/** A subscription in the words of the interface. The secret is not among them. */
export function showSubscription(row: Subscription & Progress, language: Language, zone: Zone): SubscriptionRecord {
  const { state, why } = stateOf(row)
  return {
    subscription_id: row.id,
    ...showDefinition(row),
    time_out: row.timeout,
    operator: row.operator,
    last_time: zone.write(row.last_time),
    bk_biz_id: row.biz_id,
    bk_supplier_account: row.account,
    statistics: { total: row.total, failure: row.failure },
    state,
    state_reason: readReason(why, language),
    position: row.position,
    lag: Math.max(0, row.head - row.position),
    waiting: row.waiting,
    dead_letters: row.dead,
  }
}

const showDefinition = (row: Definition) => ({
  subscription_name: row.name,
  system_name: row.system_name,
  callback_url: row.callback_url,
  confirm_mode: row.confirm_mode,
  confirm_pattern: row.confirm_pattern,
  subscription_form: row.form,
  timeout: row.timeout,
})

function stateOf(row: Subscription & Progress): { state: subscriptions.SubscriptionState; why: string } {
  if (row.paused) return { state: 'paused', why: writeReason(rule('pausedBy', { user: row.operator })) }
  if (row.unreachable) return { state: 'unreachable', why: row.unreachable }
  if (row.lapsed_to > 0) {
    const why = rule('lapsedRecords', { from: row.lapsed_from, to: row.lapsed_to })
    return { state: 'lapsed', why: writeReason(why) }
  }
  return { state: 'active', why: '' }
}

/** What the audit log keeps of a subscription: never the secret, and no credentials inside the URL. */
export const auditSubscription = (row: Definition & Pick<Subscription, 'id' | 'paused'>): Snapshot => ({
  subscription_id: row.id,
  ...showDefinition(row),
  callback_url: withoutCredentials(row.callback_url),
  paused: row.paused === 1,
})

/** Users, passwords and the values of parameters may let somebody in. */
export function withoutCredentials(text: string): string {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`)
  if (!url) return '***'
  if (url.username) url.username = '***'
  if (url.password) url.password = '***'
  for (const name of [...url.searchParams.keys()]) url.searchParams.set(name, '***')
  return url.href
}
