import { problem } from '@mainline/contract'
import { expectRevision, type Reader, refuse, type Tx } from '../../../storage/index.ts'
import type { Subscription } from '../delivery/index.ts'
import type { Definition } from './definition.ts'
import { auditSubscription } from './record.ts'

const nameTaken = { subscription_name: () => problem('duplicate', { what: 'subscription_name' }) }

/** The subscription that a path names. With business 0 it may be any of the account. */
export async function findSubscription(
  reader: Reader,
  account: string,
  bizId: number,
  id: number,
): Promise<Subscription> {
  const found = await reader
    .selectFrom('subscription')
    .selectAll()
    .where('id', '=', id)
    .where('account', '=', account)
    .$if(bizId !== 0, (query) => query.where('biz_id', '=', bizId))
    .executeTakeFirst()
  if (!found) throw problem('notFound')
  return found
}

/**
 * As `findSubscription`, locked against other changes and its sender. The lock order is that of senders: `delivery` first, then dependent
 * rows.
 */
export async function holdSubscription(tx: Tx, bizId: number, id: number): Promise<Subscription> {
  if (tx.dialect.locksRows) {
    await tx.selectFrom('delivery').select('subscription').where('subscription', '=', id).forUpdate().execute()
  }
  const row = await findSubscription(tx, tx.actor.account, bizId, id)
  expectRevision(tx, [row], auditSubscription)
  return row
}

export async function insertSubscription(tx: Tx, row: Subscription): Promise<void> {
  await refuse(tx.insertInto('subscription').values(row).execute(), nameTaken)
  const { position, skipped } = await endOfLog(tx)
  await tx
    .insertInto('delivery')
    .values({
      subscription: row.id,
      position,
      skipped: JSON.stringify(skipped),
      next_distribution: 1,
      owner: '',
      epoch: 0,
      total: 0,
      failure: 0,
      unreachable: '',
      lapsed_from: 0,
      lapsed_to: 0,
    })
    .execute()
}

/**
 * The start of a subscription: after all committed records. Committed records without a position will get one above the head, and so will
 * records that are committed a moment later; so the former are remembered by their tickets, to be skipped.
 */
async function endOfLog(tx: Tx): Promise<{ position: number; skipped: number[] }> {
  // One statement, so that nothing is numbered between two reads.
  const rows = await tx
    .selectFrom('log_head')
    .leftJoin('log', (join) => join.on('log.position', 'is', null))
    .select(['log_head.position', 'log.ticket'])
    .execute()
  return { position: rows[0]?.position ?? 0, skipped: rows.flatMap((row) => row.ticket ?? []) }
}

/** Changes a subscription; senders detect it by the version. */
export async function alterSubscription(
  tx: Tx,
  { id, revision, last_time }: Subscription,
  changes: Partial<Definition & Pick<Subscription, 'secret' | 'old_secret' | 'old_until' | 'paused' | 'defined_by'>>,
): Promise<void> {
  const altered = tx
    .updateTable('subscription')
    .set({
      ...changes,
      version: tx.stamp,
      revision: revision + 1,
      operator: tx.actor.user,
      last_time: Math.max(tx.now, last_time + 1),
    })
    .where('id', '=', id)
    .execute()
  await refuse(altered, nameTaken)
}

export async function deleteSubscription(tx: Tx, id: number): Promise<void> {
  for (const table of ['attempt', 'replay', 'undelivered', 'delivery'] as const) {
    await tx.deleteFrom(table).where('subscription', '=', id).execute()
  }
  await tx.deleteFrom('subscription').where('id', '=', id).execute()
}
