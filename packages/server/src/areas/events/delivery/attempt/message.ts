import type { Zone } from '../../../../common/time.ts'
import { bodyOf, type FeedEvent } from '../../feed/index.ts'
import type { Subscription } from '../subscription.ts'
import { sign, signingKeyOf } from './signature.ts'

/**
 * The idempotency key for receivers, equal in all attempts and replays of an event. It names the change, not the log position: after the
 * database has gone back, another record gets that position, and receivers would discard its events as duplicates.
 */
export const webhookId = (subscription: number, { txnId, ordinal, index }: FeedEvent) =>
  `event_${subscription}_${txnId}_${ordinal}_${index}`

/** The part of the JSON that is the same for all subscriptions, serialised once per event. */
const written = new WeakMap<FeedEvent, string>()

/** The body of a push: the event, its distribution number and its subscription. */
export function writeBody(event: FeedEvent, zone: Zone, distribution: number, subscription: number): string {
  let common = written.get(event)
  if (common === undefined) {
    common = JSON.stringify(bodyOf(event, zone)).slice(0, -1)
    written.set(event, common)
  }
  return `${common},"distribution_id":${distribution},"subscription_id":${subscription}}`
}

export type Signer = (id: string, body: string, now: number) => Record<string, string>

/** The headers of a push, signed according to Standard Webhooks; with both secrets for a day after a rotation. */
export function signerOf({ secret, old_secret, old_until }: Subscription): Signer {
  const key = signingKeyOf(secret)
  const oldKey = signingKeyOf(old_secret)
  return (id, body, now) => {
    const timestamp = Math.floor(now / 1_000)
    return {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': sign(now < old_until ? [key, oldKey] : [key], id, timestamp, body),
    }
  }
}
