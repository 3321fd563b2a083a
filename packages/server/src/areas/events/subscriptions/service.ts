import { type BodyOf, problem, rule, type subscriptions } from '@mainline/contract'
import { first } from '../../../common/present.ts'
import type { Outbound } from '../../../outbound/index.ts'
import { countOwn, type Snapshot, type Tx } from '../../../storage/index.ts'
import { modelIn } from '../../model/index.ts'
import { type MissingSearchGrant, refuseUnsearchable } from '../../privileges/index.ts'
import type { QueryReading } from '../../queries/run/index.ts'
import { followNamed, type KnownResults, objectsBehindQueries } from '../../queries/watch/index.ts'
import { findBusiness } from '../../topology/index.ts'
import { newSecret, readSecret, rotationOverlapMs, type Subscription } from '../delivery/index.ts'
import { objectsNamed } from '../feed/index.ts'
import { type Definition, readDefinition } from './definition.ts'
import { auditSubscription } from './record.ts'
import { alterSubscription, deleteSubscription, holdSubscription, insertSubscription } from './store.ts'

/** Refuses to subscribe to objects that the caller may not search, and to queries that depend on such. */
export async function refuseUnsearchableForm(
  tx: Tx,
  form: string,
  lacks: MissingSearchGrant,
  reading: QueryReading,
): Promise<void> {
  const names = form.split(',').map((name) => name.trim())
  const behind = await objectsBehindQueries(tx, { model: await modelIn(tx), names, reading })
  const objects = [...objectsNamed(names), ...behind]
  await refuseUnsearchable({ read: tx, heavy: tx }, tx.actor, objects, lacks)
}

/** Of an account: every event is held against each of them. */
const maxSubscriptions = 1_000

/** The subscription that a path names. */
export interface Named {
  readonly bizId: number
  readonly id: number
}

export async function subscribe(
  tx: Tx,
  bizId: number,
  sent: BodyOf<typeof subscriptions.subscribeEvent>,
  outbound: Outbound,
  reading: QueryReading,
  known?: KnownResults,
) {
  if (bizId !== 0) await findBusiness(tx, tx.actor.account, bizId)
  const definition = readDefinition(sent, await modelIn(tx), outbound, reading.zone)
  await refuseTooMany(tx)
  const secret = sent.secret === undefined ? newSecret() : readSecret(sent.secret)
  const id = first(await tx.drawIds('subscription', 1))
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
    version: tx.stamp,
    revision: 1,
    operator,
    last_time: tx.now,
    defined_by: operator,
  }
  await insertSubscription(tx, row)
  await followNamed(tx, bizId, namesIn(definition), reading, known)
  recordSubscription(tx, 'create subscription', row, row.revision, null, auditSubscription(row))
  return { subscription_id: id, secret }
}

/** Changes of an account that run at the same moment may exceed it by a few. */
async function refuseTooMany(tx: Tx): Promise<void> {
  const count = await countOwn(tx, 'subscription')
  if (count >= maxSubscriptions) throw problem('tooMany', { what: rule('subscriptions'), limit: maxSubscriptions })
}

/** Replaces the whole definition. Position and statistics are kept. */
export async function replace(
  tx: Tx,
  { bizId, id }: Named,
  sent: BodyOf<typeof subscriptions.updateEventSubscribe>,
  outbound: Outbound,
  reading: QueryReading,
  known: KnownResults,
): Promise<void> {
  const row = await holdSubscription(tx, bizId, id)
  const definition = readDefinition(sent, await modelIn(tx), outbound, reading.zone)
  const entries = Object.entries(definition) as [keyof typeof definition, unknown][]
  if (entries.every(([name, value]) => row[name] === value)) return
  await alterSubscription(tx, row, { ...definition, defined_by: tx.actor.user })
  // Only added names are checked: previous ones may no longer exist, and are kept.
  const before = new Set(namesIn(row))
  const added = namesIn(definition).filter((name) => !before.has(name))
  await followNamed(tx, row.biz_id, added, reading, known)
  recordSubscription(
    tx,
    'update subscription',
    row,
    row.revision + 1,
    auditSubscription(row),
    auditSubscription({ ...row, ...definition }),
  )
}

const namesIn = ({ form }: Definition): string[] => form.split(',')

/** Also deletes its pending events. */
export async function unsubscribe(tx: Tx, { bizId, id }: Named): Promise<void> {
  const row = await holdSubscription(tx, bizId, id)
  await deleteSubscription(tx, id)
  recordSubscription(tx, 'delete subscription', row, row.revision + 1, auditSubscription(row), null)
}

/** The previous secret signs as well for a day, so that receivers can be updated one after another. */
export async function rotate(tx: Tx, { bizId, id }: Named, sent: string | undefined): Promise<{ secret: string }> {
  const row = await holdSubscription(tx, bizId, id)
  const secret = sent === undefined ? newSecret() : readSecret(sent)
  if (secret === row.secret) return { secret }
  await alterSubscription(tx, row, { secret, old_secret: row.secret, old_until: tx.now + rotationOverlapMs })
  recordSubscription(
    tx,
    'rotate subscription secret',
    row,
    row.revision + 1,
    auditSubscription(row),
    auditSubscription(row),
  )
  return { secret }
}

export async function pause(tx: Tx, { bizId, id }: Named): Promise<void> {
  const row = await holdSubscription(tx, bizId, id)
  if (row.paused) return
  await alterSubscription(tx, row, { paused: 1 })
  recordSubscription(
    tx,
    'pause subscription',
    row,
    row.revision + 1,
    auditSubscription(row),
    auditSubscription({ ...row, paused: 1 }),
  )
}

/** Also acknowledges lapsed events. */
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
  recordSubscription(
    tx,
    'resume subscription',
    row,
    row.revision + 1,
    auditSubscription(row),
    auditSubscription({ ...row, paused: 0 }),
  )
}

/** Recorded in the audit log only: changes of subscriptions have no events. */
export function recordSubscription(
  tx: Tx,
  description: string,
  { id, biz_id }: Subscription,
  revision: number,
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
    revision,
    before,
    after,
    events: [],
  })
}
