import type { Zone } from '../../../platform/time.ts'
import { bodyOf, type FeedEvent } from '../../feed/index.ts'
import { keyOf, sign } from '../signature.ts'
import type { Subscription } from '../store.ts'

/** The same for every try and replay of an event, so that receivers can tell repeats. */
export const webhookId = (subscription: number, position: number, event: number) =>
  `event_${subscription}_${position}_${event}`

/** An event is sent to many subscriptions: what is the same for all of them is written out once. */
const written = new WeakMap<FeedEvent, string>()

/** The body of a push: the event, its number, and whom it is for. */
export function writeBody(event: FeedEvent, zone: Zone, distribution: number, subscription: number): string {
  let common = written.get(event)
  if (common === undefined) {
    common = JSON.stringify(bodyOf(event, zone)).slice(0, -1)
    written.set(event, common)
  }
  return `${common},"distribution_id":${distribution},"subscription_id":${subscription}}`
}

export type Signer = (id: string, body: string, now: number) => Record<string, string>

/** The headers of a push, signed as Standard Webhooks has it; for a day after a rotation by both secrets. */
export function signerOf({ secret, old_secret, old_until }: Subscription): Signer {
  const key = keyOf(secret)
  const oldKey = keyOf(old_secret)
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
