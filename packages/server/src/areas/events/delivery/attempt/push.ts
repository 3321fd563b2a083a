import { Problem, type Rule, rule } from '@mainline/contract'
import type { Zone } from '../../../../common/time.ts'
import { Forbidden, type Outbound, type Posting, Unreachable } from '../../../../outbound/index.ts'
import type { Attempt } from '../progress.ts'
import { retryAfterMs } from '../queue/schedule.ts'
import type { Subscription } from '../subscription.ts'
import { confirming, maxConfirmMs } from './confirm.ts'
import { type Numbered, signerOf, webhookId, writeMessage } from './message.ts'
import { writeReason } from './reason.ts'

/** How much of a response is read, and how much of it is stored with the attempt. */
const maxAnswerBytes = 65_536
const maxStoredCharacters = 1_024
/** A proxy in front of the receiver answers, but the receiver is unavailable. */
const away = [502, 503, 504]

export interface Pushed extends Pick<Attempt, 'status'> {
  readonly result: 'confirmed' | 'rejected' | 'unreachable'
  /** One of each event, in order. */
  readonly attempts: readonly Attempt[]
  /** `Retry-After` of the receiver. */
  readonly requestedMs: number | undefined
}

/** Sends events in one request. */
export type Push = (parts: readonly Numbered[], sending: Sending) => Promise<Pushed>

/** Aborted when this process is no longer the sender. */
export type Sending = Required<Pick<Posting, 'signal' | 'mayStart'>>

/** Sends events to a subscription in its current form, and classifies the responses. */
export function pusherOf(
  subscription: Subscription,
  { outbound, zone, confirmBytes }: { outbound: Outbound; zone: Zone; confirmBytes: number },
): Push {
  const timeoutMs = subscription.timeout * 1_000
  const { account, operator, confirm_mode: mode, confirm_pattern: pattern } = subscription
  const confirms = confirming({ mode, pattern, caller: `${account}\n${operator}`, maxBytes: confirmBytes })
  const headersFor = signerOf(subscription)
  /** Parsed on first use: the callback policy may have changed since the subscription was made. */
  let url: URL | undefined
  return async (parts, sending) => {
    const time = Date.now()
    const started = performance.now()
    const ended = (result: Pushed['result'], status: number | null, why?: Rule, answer = '', requestedMs?: number) => {
      const outcome = {
        time,
        result,
        status,
        duration: Math.round(performance.now() - started),
        error: why ? writeReason(why) : '',
        answer: answer.slice(0, maxStoredCharacters),
      }
      const attempts = parts.map(({ event, distribution }) => ({
        ...outcome,
        position: event.position,
        event: event.index,
        distribution_id: distribution,
        webhook_id: webhookId(subscription.id, event),
      }))
      return { result, status, requestedMs, attempts }
    }
    const message = writeMessage(parts, zone, subscription)
    const { body } = message
    const headers = headersFor(message, time)
    try {
      url ??= outbound.checkUrl(subscription.callback_url)
      const answered = await outbound.post(url, { headers, body, timeoutMs, maxAnswerBytes, ...sending })
      const { status } = answered
      // NUL and truncated characters cannot be stored.
      const answer = answered.body.toString().replaceAll('\0', '\ufffd')
      const requestedMs = retryAfterMs(answered.headers['retry-after'], time)
      const isConfirmed = await confirms({ status, body: answer })
      if (isConfirmed === true) return ended('confirmed', status, undefined, answer, requestedMs)
      if (away.includes(status)) {
        return ended('unreachable', status, rule('answeredAway', { status }), answer, requestedMs)
      }
      const why =
        isConfirmed === 'slow'
          ? rule('confirmTooSlow', { maxMs: maxConfirmMs, pattern })
          : rule('answeredUnconfirmed', { status, mode, pattern })
      return ended('rejected', status, why, answer, requestedMs)
    } catch (error) {
      if (!(error instanceof Unreachable || error instanceof Forbidden || error instanceof Problem)) throw error
      return ended('unreachable', null, whyOf(error))
    }
  }
}

const whyOf = (error: Unreachable | Forbidden | Problem): Rule =>
  error instanceof Problem ? [error.text('en'), error.text('zh-cn')] : error.why
