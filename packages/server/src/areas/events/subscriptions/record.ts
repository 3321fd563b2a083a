import { type DataOf, type Language, rule, type subscriptions } from '@mainline/contract'
import type { Zone } from '../../../common/time.ts'
import type { Snapshot, Tables } from '../../../storage/index.ts'
import { readReason, type Subscription, writeReason } from '../delivery/index.ts'
import { showEventFilter } from '../feed/index.ts'
import type { Definition } from './definition.ts'

/** How far a subscription has got, as it was last saved. */
export interface SubscriptionProgress
  extends Pick<Tables['delivery'], 'position' | 'total' | 'failure' | 'unreachable' | 'lapsed_from' | 'lapsed_to'> {
  /** The last position of the log. */
  readonly head: number
  readonly waiting: number
  readonly dead: number
}

export type SubscriptionRecord = DataOf<typeof subscriptions.searchSubscription>[number]

/** How privileges affect what is shown of a subscription. */
export interface Shown {
  /** Whether the caller may change it, and so see its whole address. */
  readonly mayEdit: boolean
  /** Objects in its form that its owner may not search; their events are withheld. */
  readonly withheld: readonly string[]
  /** Why the filter cannot be applied; '' if it is. */
  readonly filterProblem: string
}

/** A subscription as the API shows it, without its secret. */
export function showSubscription(
  row: Subscription & SubscriptionProgress,
  { mayEdit, withheld, filterProblem }: Shown,
  language: Language,
  zone: Zone,
): SubscriptionRecord {
  const { state, why } = stateOf(row, withheld)
  return {
    subscription_id: row.id,
    ...showDefinition(row),
    callback_url: mayEdit ? row.callback_url : maskedUrl(row.callback_url),
    filter_problem: filterProblem,
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
    bk_revision: row.revision,
  }
}

const showDefinition = (row: Definition) => ({
  subscription_name: row.name,
  system_name: row.system_name,
  callback_url: row.callback_url,
  confirm_mode: row.confirm_mode,
  confirm_pattern: row.confirm_pattern,
  subscription_form: row.form,
  filter: showEventFilter(row.filter),
  timeout: row.timeout,
  parallel: row.parallel,
  format: row.format,
  batch: row.batch_max > 1 ? { max: row.batch_max, wait_ms: row.batch_wait_ms } : null,
})

function stateOf(
  row: Subscription & SubscriptionProgress,
  withheld: readonly string[],
): { state: subscriptions.SubscriptionState; why: string } {
  if (row.paused) return { state: 'paused', why: writeReason(rule('pausedBy', { user: row.operator })) }
  if (row.unreachable) return { state: 'unreachable', why: row.unreachable }
  if (row.lapsed_to > 0) {
    const why = rule('lapsedRecords', { from: row.lapsed_from, to: row.lapsed_to })
    return { state: 'lapsed', why: writeReason(why) }
  }
  if (withheld.length === 0) return { state: 'active', why: '' }
  const why = rule('eventsWithheld', { user: row.defined_by, objects: withheld.join(', ') })
  return { state: 'active', why: writeReason(why) }
}

/** A subscription in the audit log: without the secret, and with only scheme, host and port of its address. */
export const auditSubscription = (row: Definition & Pick<Subscription, 'id' | 'paused'>): Snapshot => ({
  subscription_id: row.id,
  ...showDefinition(row),
  callback_url: maskedUrl(row.callback_url),
  paused: row.paused === 1,
})

const parsedUrl = (text: string) => URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`)

/** Scheme, host and port. User, password, path (of chat webhooks, say) and parameters may be credentials. */
function maskedUrl(text: string): string {
  const url = parsedUrl(text)
  if (!url) return '***'
  const user = url.username || url.password ? '***@' : ''
  const rest = url.pathname !== '/' || url.search ? '***' : ''
  return `${url.protocol}//${user}${url.host}/${rest}`
}

/** Keeps the path, so that an administrator who imports the account elsewhere can complete the address. */
export function withoutCredentials(text: string): string {
  const url = parsedUrl(text)
  if (!url) return '***'
  if (url.username) url.username = '***'
  if (url.password) url.password = '***'
  for (const name of [...url.searchParams.keys()]) url.searchParams.set(name, '***')
  return url.href
}
