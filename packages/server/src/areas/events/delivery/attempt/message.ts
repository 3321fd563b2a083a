import { createHash } from 'node:crypto'
import type { Zone } from '../../../../common/time.ts'
import { bodyOf, type FeedEvent, queryIn } from '../../feed/index.ts'
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

/** What bodies depend on besides the event. */
export type Addressee = Pick<Subscription, 'id' | 'format' | 'batch_max'>

/** An event and the number under which it is sent. */
export interface Numbered {
  readonly event: FeedEvent
  readonly distribution: number
}

/** An event in the format of a subscription: the body of a push, or one element of it. */
export function writeBody({ event, distribution }: Numbered, zone: Zone, subscription: Addressee): string {
  let common = written.get(event)
  if (common === undefined) {
    common = JSON.stringify(bodyOf(event, zone)).slice(0, -1)
    written.set(event, common)
  }
  const { id, format, batch_max } = subscription
  const body = `${common},"distribution_id":${distribution},"subscription_id":${id}`
  if (format === 'cloudevents') return writeCloudEvent(event, zone, { id: webhookId(id, event), data: `${body}}` })
  // In a batch the header names the request, so each event needs its own key for de-duplication.
  return batch_max > 1 ? `${body},"webhook_id":"${webhookId(id, event)}"}` : `${body}}`
}

/** CloudEvents 1.0, JSON format, structured. */
function writeCloudEvent(event: FeedEvent, zone: Zone, { id, data }: { id: string; data: string }): string {
  const { objType, action } = event
  const attributes = {
    specversion: '1.0',
    id,
    source: `/mainline/${encodeURIComponent(event.account)}`,
    type: `mainline.${queryIn(objType) === undefined ? objType : 'customquery'}.${action}`,
    subject: event.instance,
    time: zone.write(event.actionTime),
    datacontenttype: 'application/json',
  }
  return `${JSON.stringify(attributes).slice(0, -1)},"data":${data}}`
}

interface PushMessage {
  /** Equal for equal events. */
  readonly id: string
  readonly type: string
  readonly body: string
}

export function writeMessage(parts: readonly Numbered[], zone: Zone, subscription: Addressee): PushMessage {
  const { id, format, batch_max } = subscription
  const isCloudEvent = format === 'cloudevents'
  const [only] = parts
  if (batch_max === 1 && only) {
    const type = isCloudEvent ? 'application/cloudevents+json' : 'application/json'
    return { id: webhookId(id, only.event), type, body: writeBody(only, zone, subscription) }
  }
  const ids = parts.map(({ event }) => webhookId(id, event))
  return {
    id: `batch_${id}_${createHash('sha256').update(ids.join(' ')).digest('base64url').slice(0, 27)}`,
    type: isCloudEvent ? 'application/cloudevents-batch+json' : 'application/json',
    body: `[${parts.map((part) => writeBody(part, zone, subscription)).join(',')}]`,
  }
}

export type Signer = (message: PushMessage, now: number) => Record<string, string>

/** The headers of a push, signed according to Standard Webhooks; with both secrets for a day after a rotation. */
export function signerOf({ secret, old_secret, old_until }: Subscription): Signer {
  const key = signingKeyOf(secret)
  const oldKey = signingKeyOf(old_secret)
  return ({ id, type, body }, now) => {
    const timestamp = Math.floor(now / 1_000)
    return {
      'content-type': type,
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': sign(now < old_until ? [key, oldKey] : [key], id, timestamp, body),
    }
  }
}
