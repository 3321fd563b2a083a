import type { Actor, Tx } from '../../storage/index.ts'

/** The key of per-user data: one user of one account. */
export const ownedBy = ({ account, user }: Actor) => ({ account, owner: user })

/** Locks the caller's data, so that changes of one user are serialised; one statement creates the row and locks it. */
export async function holdOwner(tx: Tx): Promise<void> {
  const { account, user: name } = tx.actor
  await tx
    .insertInto('owner')
    .values({ account, name })
    .onConflict((at) => at.columns(['account', 'name']).doUpdateSet({ name }))
    .execute()
}
