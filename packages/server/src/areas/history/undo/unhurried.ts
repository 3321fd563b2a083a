import { inTurns } from '../../../common/concurrency/turns.ts'
import type { Tx } from '../../../storage/index.ts'

/** The database ends a transaction that has sent nothing for 5 s. */
const maxSilenceMs = 1_000
const itemsPerStep = 250

/** Processes thousands of items inside of a transaction: other requests are served meanwhile, and the database hears from it. */
export async function unhurried<T>(tx: Tx, all: readonly T[], work: (each: T) => void): Promise<void> {
  let spoken = performance.now()
  for (let first = 0; first < all.length; first += itemsPerStep) {
    await inTurns(all.slice(first, first + itemsPerStep), work)
    if (performance.now() - spoken < maxSilenceMs) continue
    await tx.selectNoFrom(tx.dialect.now.as('now')).execute()
    spoken = performance.now()
  }
}
