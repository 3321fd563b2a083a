import { type BodyOf, problem, rule, subscriptions } from '@mainline/contract'
import type { Zone } from '../../../common/time.ts'
import type { Outbound } from '../../../outbound/index.ts'
import { type Model, nameText, plainText } from '../../model/index.ts'
import { readConfirmation, type Subscription } from '../delivery/index.ts'
import { readEventFilter, readEventNames, selectionOf } from '../feed/index.ts'

type SentSubscription = BodyOf<typeof subscriptions.updateEventSubscribe>

/** The fields that a subscriber chooses, as stored. */
export type Definition = Pick<
  Subscription,
  | 'name'
  | 'system_name'
  | 'callback_url'
  | 'confirm_mode'
  | 'confirm_pattern'
  | 'form'
  | 'filter'
  | 'timeout'
  | 'parallel'
>

const longestName = 256
const longestUrl = 2_000

/** Validates a subscription, for subscribing and replacing. */
export function readDefinition(sent: SentSubscription, model: Model, outbound: Outbound, zone: Zone): Definition {
  const { mode, pattern } = readConfirmation(sent.confirm_mode, sent.confirm_pattern)
  const url = plainText('callback_url', sent.callback_url, longestUrl).trim()
  if (url === '') throw problem('unassigned', { field: 'callback_url' })
  outbound.checkUrl(url)
  const form = readEventNames(sent.subscription_form, model).join(',')
  const { kinds } = selectionOf({ account: model.account, form, biz_id: 0 })
  return {
    name: nameText('subscription_name', sent.subscription_name),
    system_name: plainText('system_name', sent.system_name ?? '', longestName),
    callback_url: url,
    confirm_mode: mode,
    confirm_pattern: pattern,
    form,
    filter: readEventFilter(sent.filter, { kinds, zone }, model),
    timeout: readTimeout(sent),
    parallel: readParallel(sent),
  }
}

/** `timeout` and `time_out` are the same field. */
function readTimeout({ timeout, time_out }: SentSubscription): number {
  const { least: min, most: max, usual } = subscriptions.timeouts
  if (timeout !== undefined && time_out !== undefined && timeout !== time_out) {
    throw problem('invalid', { field: 'timeout', rule: rule('sentTwice') })
  }
  const seconds = timeout ?? time_out ?? usual
  if (seconds < min || seconds > max) {
    throw problem('invalid', {
      field: timeout === undefined ? 'time_out' : 'timeout',
      rule: rule('between', { min, max }),
    })
  }
  return seconds
}

function readParallel({ parallel }: SentSubscription): number {
  const { least: min, most: max, usual } = subscriptions.parallels
  const inFlight = parallel ?? usual
  if (inFlight >= min && inFlight <= max) return inFlight
  throw problem('invalid', { field: 'parallel', rule: rule('between', { min, max }) })
}
