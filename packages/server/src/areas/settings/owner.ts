import type { Actor, Tx } from '../../platform/storage/index.ts'

/** Whose it is: everything here belongs to one user of one account. */
export const ownedBy = ({ account, user }: Actor) => ({ account, owner: user })

/** Holds all that is the caller's, so that two of their changes run one after the other; one statement makes the row and locks it. */
export async function holdOwner(tx: Tx): Promise<void> {
  const { account, user: name } = tx.actor
  await tx
    .insertInto('owner')
    .values({ account, name })
    .onConflict((at) => at.columns(['account', 'name']).doUpdateSet({ name }))
    .execute()
}
