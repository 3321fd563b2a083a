// Shortcuts to subscribe through the API, and to read the state of subscriptions.
import type { DataOf, subscriptions } from '@mainline/contract'
import { expect } from 'vitest'
import type { Reader } from '../../storage/index.ts'
import type { Answer } from '../harness.ts'
import type { Received, Receiver } from '../servers/receiver.ts'

export type SubscriptionRow = DataOf<typeof subscriptions.searchSubscription>[number]
export type AttemptRow = DataOf<typeof subscriptions.listAttempts>[number]
export type DeadLetterRow = DataOf<typeof subscriptions.listDeadLetters>[number]

/** A server in this process or in its own. */
interface Callable {
  call<Data>(method: string, path: string, body?: unknown): Promise<Answer<Data>>
}

let count = 0

export const subscriptionBody = (url: string, more: Record<string, unknown> = {}) => ({
  subscription_name: `subscription ${++count}`,
  system_name: 'test',
  callback_url: url,
  confirm_mode: 'httpstatus',
  confirm_pattern: '200',
  subscription_form: 'setcreate,setupdate,setdelete',
  timeout: 10,
  ...more,
})

export interface Subscribed {
  readonly id: number
  readonly secret: string
  /** Below /api/v3. */
  readonly path: string
}

export async function subscribe(
  server: Callable,
  { url }: Pick<Receiver, 'url'>,
  more: Record<string, unknown> = {},
  business = 0,
): Promise<Subscribed> {
  const path = `/event/subscribe/0/${business}`
  const made = await server.call<{ subscription_id: number; secret: string }>('POST', path, subscriptionBody(url, more))
  if (!made.result) throw new Error(made.bk_error_msg ?? '')
  const { subscription_id: id, secret } = made.data
  return { id, secret, path: `${path}/${id}` }
}

export async function findSubscription(server: Callable, id: number): Promise<SubscriptionRow> {
  const { data } = await server.call<SubscriptionRow[]>('POST', '/event/subscribe/search/0/0', {})
  const found = data.find((row) => row.subscription_id === id)
  if (!found) throw new Error(`no subscription ${id}`)
  return found
}

/** Waits until a subscription has this state. */
export const becomes = (server: Callable, id: number, expected: unknown, timeout = 20_000) =>
  expect.poll(() => findSubscription(server, id), { timeout, interval: 20 }).toMatchObject(expected as object)

export interface Told {
  readonly id: string
  readonly action: string
  readonly distribution: number
  readonly name: string
}

/** The received events in short. */
export function told(request: Received): Told {
  const body = JSON.parse(request.body)
  const [{ cur_data, pre_data }] = body.data
  return {
    id: request.headers['webhook-id'] as string,
    action: body.action,
    distribution: body.distribution_id,
    name: (cur_data ?? pre_data).bk_set_name,
  }
}

/** The log position of an event's record, by webhook-id. */
export async function positionOf(reader: Reader, webhookId: string): Promise<number> {
  const [, , txnId = '', ordinal] = webhookId.split('_')
  const { position } = await reader
    .selectFrom('log')
    .select('position')
    .where('txn_id', '=', txnId)
    .where('ordinal', '=', Number(ordinal))
    .executeTakeFirstOrThrow()
  return position ?? 0
}

/** The names in the order of first deliveries. */
export const firstNames = (requests: readonly Received[]): string[] => [
  ...new Set(requests.map((request) => told(request).name)),
]
