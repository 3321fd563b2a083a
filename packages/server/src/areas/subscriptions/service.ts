import type { BodyOf, subscriptions } from '@mainline/contract'
import type { Outbound } from '../../platform/outbound/index.ts'
import type { Snapshot, Tx } from '../../platform/storage/index.ts'
import type { Zone } from '../../platform/time.ts'
import { modelIn } from '../model/index.ts'
import { followNamed } from '../querywatch/index.ts'
import { findBusiness } from '../topology/index.ts'
import { type Definition, readDefinition } from './definition.ts'
import { auditSubscription } from './record.ts'
import { newSecret, overlap, readSecret } from './signature.ts'
import {
  alterSubscription,
  deleteSubscription,
  holdSubscription,
  insertSubscription,
  type Subscription,
} from './store.ts'

/** Which subscription a path names. */
export interface Named {
  readonly bizId: number
  readonly id: number
}

export async function subscribe(
  tx: Tx,
  bizId: number,
  sent: BodyOf<typeof subscriptions.subscribeEvent>,
  outbound: Outbound,
  zone: Zone,
) {
  if (bizId !== 0) await findBusiness(tx, tx.actor.account, bizId)
  const definition = readDefinition(sent, await modelIn(tx), outbound)
  const secret = sent.secret === undefined ? newSecret() : readSecret(sent.secret)
  const [id] = (await tx.drawIds('subscription', 1)) as [number]
  const { account, user: operator } = tx.actor
  const row: Subscription = {
    id,
    account,
    biz_id: bizId,
    ...definition,
    secret,
    old_secret: '',
    old_until: 0,
    paused: 0,
    version: 1,
    operator,
    last_time: tx.now,
  }
  await insertSubscription(tx, row)
  await followNamed(tx, bizId, namesIn(definition), zone)
  happened(tx, 'create subscription', row, null, auditSubscription(row))
  return { subscription_id: id, secret }
}

/** Replaces the whole subscription. Its position and statistics are its own and stay. */
export async function replace(
  tx: Tx,
  { bizId, id }: Named,
  sent: BodyOf<typeof subscriptions.updateEventSubscribe>,
  outbound: Outbound,
  zone: Zone,
): Promise<void> {
  const row = await holdSubscription(tx, bizId, id)
  const definition = readDefinition(sent, await modelIn(tx), outbound)
  const entries = Object.entries(definition) as [keyof typeof definition, unknown][]
  if (entries.every(([name, value]) => row[name] === value)) return
  await alterSubscription(tx, row, definition)
  // What it has named all along may be gone by now, and stays.
  const before = new Set(namesIn(row))
  const added = namesIn(definition).filter((name) => !before.has(name))
  await followNamed(tx, row.biz_id, added, zone)
  happened(tx, 'update subscription', row, auditSubscription(row), auditSubscription({ ...row, ...definition }))
}

const namesIn = ({ form }: Definition): string[] => form.split(',')

/** What is pending goes with it. */
export async function unsubscribe(tx: Tx, { bizId, id }: Named): Promise<void> {
  const row = await holdSubscription(tx, bizId, id)
  await deleteSubscription(tx, id)
  happened(tx, 'delete subscription', row, auditSubscription(row), null)
}

/** The secret before goes on signing beside the new one for a day, so that receivers can be changed one after another. */
export async function rotate(tx: Tx, { bizId, id }: Named, sent: string | undefined): Promise<{ secret: string }> {
  const row = await holdSubscription(tx, bizId, id)
  const secret = sent === undefined ? newSecret() : readSecret(sent)
  if (secret === row.secret) return { secret }
  await alterSubscription(tx, row, { secret, old_secret: row.secret, old_until: tx.now + overlap })
  happened(tx, 'rotate subscription secret', row, auditSubscription(row), auditSubscription(row))
  return { secret }
}

export async function pause(tx: Tx, { bizId, id }: Named): Promise<void> {
  const row = await holdSubscription(tx, bizId, id)
  if (row.paused) return
  await alterSubscription(tx, row, { paused: 1 })
  happened(tx, 'pause subscription', row, auditSubscription(row), auditSubscription({ ...row, paused: 1 }))
}

/** Also says that one has seen what lapsed. */
export async function resume(tx: Tx, { bizId, id }: Named): Promise<void> {
  const row = await holdSubscription(tx, bizId, id)
  await tx
    .updateTable('delivery')
    .set({ lapsed_from: 0, lapsed_to: 0 })
    .where('subscription', '=', id)
    .where('lapsed_to', '>', 0)
    .execute()
  if (!row.paused) return
  await alterSubscription(tx, row, { paused: 0 })
  happened(tx, 'resume subscription', row, auditSubscription(row), auditSubscription({ ...row, paused: 0 }))
}

/** For the audit log alone: subscriptions are not themselves something to subscribe to. */
export function happened(
  tx: Tx,
  description: string,
  { id, biz_id }: Subscription,
  before: Snapshot | null,
  after: Snapshot | null,
): void {
  const operation = before === null ? 'add' : after === null ? 'delete' : 'update'
  tx.record({
    operation,
    object: 'subscription',
    instance: id,
    business: biz_id,
    description,
    before,
    after,
    events: [],
  })
}
