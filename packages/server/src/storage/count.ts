import type { Tx } from './change/change.ts'

/** How many rows the account of a change has in a table. */
export async function countOwn(tx: Tx, table: 'attribute' | 'subscription' | 'user_group'): Promise<number> {
  const { count } = await tx
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account', '=', tx.actor.account)
    .executeTakeFirstOrThrow()
  return count
}
