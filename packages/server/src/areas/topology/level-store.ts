import type { Tx } from '../../platform/storage/index.ts'

/** Tells the object what stands above it from now on. */
export async function hang(tx: Tx, object: string, above: string): Promise<void> {
  await tx
    .updateTable('object')
    .set({ above })
    .where('account', '=', tx.actor.account)
    .where('object_id', '=', object)
    .execute()
}

/** A level shows in every tree of the account. */
export async function raiseVersions(tx: Tx): Promise<void> {
  await tx
    .updateTable('account')
    .set((eb) => ({ chain_version: eb('chain_version', '+', 1) }))
    .where('name', '=', tx.actor.account)
    .execute()
  await tx
    .updateTable('business')
    .set((eb) => ({ version: eb('version', '+', 1), tree_version: eb('tree_version', '+', 1) }))
    .where('account', '=', tx.actor.account)
    .execute()
}
