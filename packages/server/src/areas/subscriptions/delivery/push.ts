import { Problem, type Rule, rule } from '@mainline/contract'
import { Forbidden, type Outbound, type Posting, Unreachable } from '../../../platform/outbound/index.ts'
import type { Zone } from '../../../platform/time.ts'
import type { FeedEvent } from '../../feed/index.ts'
import { confirming } from '../confirm.ts'
import { writeReason } from '../reason.ts'
import type { Subscription } from '../store.ts'
import type { Attempt } from './ledger.ts'
import { signerOf, webhookId, writeBody } from './message.ts'
import { wishOf } from './schedule.ts'

/** What is read of an answer, and what of it is remembered. */
const mostBytes = 65_536
const remembered = 1_024
/** The receiver is not there, though something in front of it is. */
const away = [502, 503, 504]

export interface Pushed {
  readonly attempt: Attempt
  /** How long the receiver asks us to stay away, in milliseconds. */
  readonly wished: number | undefined
}

export type Push = (event: FeedEvent, distribution: number, sending: Sending) => Promise<Pushed>

/** For as long as this process is the sender. */
export type Sending = Required<Pick<Posting, 'signal' | 'mayStart'>>

/** Sends one event to a subscription as it is now, and judges the answer. */
export function pusherOf(subscription: Subscription, outbound: Outbound, zone: Zone): Push {
  const timeoutMs = subscription.timeout * 1_000
  const isConfirmed = confirming(subscription.confirm_mode, subscription.confirm_pattern)
  const headersFor = signerOf(subscription)
  /** Read when first used: what was allowed when it was subscribed may have been forbidden since. */
  let url: URL | undefined
  return async (event, distribution, sending) => {
    const time = Date.now()
    const started = performance.now()
    const attempt = (result: Attempt['result'], status: number | null, why?: Rule, answer = ''): Attempt => ({
      time,
      position: event.position,
      event: event.index,
      distribution_id: distribution,
      result,
      status,
      duration: Math.round(performance.now() - started),
      error: why ? writeReason(why) : '',
      answer: answer.slice(0, remembered),
    })
    const body = writeBody(event, zone, distribution, subscription.id)
    const headers = headersFor(webhookId(subscription.id, event.position, event.index), body, time)
    try {
      url ??= outbound.checkUrl(subscription.callback_url)
      const answered = await outbound.post(url, { headers, body, timeoutMs, mostBytes, ...sending })
      const { status } = answered
      // What cannot be stored is not worth keeping: NUL, and characters cut in half.
      const answer = answered.body.toString().replaceAll('\0', '\ufffd')
      const wished = wishOf(answered.headers['retry-after'], time)
      if (isConfirmed({ status, body: answer }))
        return { attempt: attempt('confirmed', status, undefined, answer), wished }
      if (away.includes(status)) {
        return { attempt: attempt('unreachable', status, rule('answeredAway', { status }), answer), wished }
      }
      const { confirm_mode: mode, confirm_pattern: pattern } = subscription
      const why = rule('answeredUnconfirmed', { status, mode, pattern })
      return { attempt: attempt('rejected', status, why, answer), wished }
    } catch (error) {
      if (!(error instanceof Unreachable || error instanceof Forbidden || error instanceof Problem)) throw error
      return { attempt: attempt('unreachable', null, whyOf(error)), wished: undefined }
    }
  }
}

const whyOf = (error: Unreachable | Forbidden | Problem): Rule =>
  error instanceof Problem ? [error.text('en'), error.text('zh-cn')] : error.why
