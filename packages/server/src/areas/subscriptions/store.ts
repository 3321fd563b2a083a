import { problem } from '@mainline/contract'
import type { Selectable } from 'kysely'
import { type Reader, refuse, type Tables, type Tx } from '../../platform/storage/index.ts'
import type { Definition } from './definition.ts'

export type Subscription = Selectable<Tables['subscription']>

const nameTaken = { subscription_name: () => problem('duplicate', { what: 'subscription_name' }) }

/** The subscription that a path names. Business 0 of the path finds any of the account. */
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
 * The same, held against other changes and against its sender. Senders hold `delivery` and then what hangs on it, so it
 * comes first here too.
 */
export async function holdSubscription(tx: Tx, bizId: number, id: number): Promise<Subscription> {
  if (tx.dialect.locksRows) {
    await tx.selectFrom('delivery').select('subscription').where('subscription', '=', id).forUpdate().execute()
  }
  return findSubscription(tx, tx.actor.account, bizId, id)
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
 * Where a subscription begins: behind everything that has been committed. What is committed and not yet numbered will get
 * a higher position than the head, but so will what commits a moment later; it is told apart by its ticket.
 */
async function endOfLog(tx: Tx): Promise<{ position: number; skipped: number[] }> {
  // One statement, so that nothing is numbered between the two.
  const rows = await tx
    .selectFrom('log_head')
    .leftJoin('log', (join) => join.on('log.position', 'is', null))
    .select(['log_head.position', 'log.ticket'])
    .execute()
  return { position: rows[0]?.position ?? 0, skipped: rows.flatMap((row) => row.ticket ?? []) }
}

/** Changes a subscription; senders notice by its version. */
export async function alterSubscription(
  tx: Tx,
  { id, version }: Subscription,
  changes: Partial<Definition & Pick<Subscription, 'secret' | 'old_secret' | 'old_until' | 'paused'>>,
): Promise<void> {
  const altered = tx
    .updateTable('subscription')
    .set({ ...changes, version: version + 1, operator: tx.actor.user, last_time: tx.now })
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
