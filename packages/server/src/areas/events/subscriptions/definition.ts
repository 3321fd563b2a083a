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
  | 'format'
  | 'batch_max'
  | 'batch_wait_ms'
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
    format: readFormat(sent),
    ...readBatch(sent),
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

function readFormat({ format }: SentSubscription): subscriptions.EventFormat {
  const known = subscriptions.eventFormats.find((each) => each === (format || 'bk-cmdb'))
  if (known) return known
  throw problem('invalid', { field: 'format', rule: rule('oneOf', { values: subscriptions.eventFormats.join(', ') }) })
}

/** A batch of one event is none. */
function readBatch({ batch }: SentSubscription): Pick<Definition, 'batch_max' | 'batch_wait_ms'> {
  if (batch === undefined) return { batch_max: 1, batch_wait_ms: 0 }
  const { max, wait_ms: waitMs = 0 } = batch
  const { least, most, longestWaitMs } = subscriptions.batches
  if (max < least || max > most) {
    throw problem('invalid', { field: 'batch.max', rule: rule('between', { min: least, max: most }) })
  }
  if (waitMs < 0 || waitMs > longestWaitMs) {
    throw problem('invalid', { field: 'batch.wait_ms', rule: rule('between', { min: 0, max: longestWaitMs }) })
  }
  return { batch_max: max, batch_wait_ms: waitMs }
}
