import type { Tx } from '../../../storage/index.ts'

/** Stores which object is above this one on the main line. */
export async function setParentObject(tx: Tx, object: string, above: string): Promise<void> {
  await tx
    .updateTable('object')
    .set({ above })
    .where('account', '=', tx.actor.account)
    .where('object_id', '=', object)
    .execute()
}

/** Invalidates all cached trees of the account: a level is visible in each. */
export async function raiseVersions(tx: Tx): Promise<void> {
  await tx.updateTable('account').set({ chain_version: tx.stamp }).where('name', '=', tx.actor.account).execute()
  await tx
    .updateTable('business')
    .set({ version: tx.stamp, tree_version: tx.stamp })
    .where('account', '=', tx.actor.account)
    .execute()
}
