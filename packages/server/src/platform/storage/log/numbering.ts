import { sql } from 'kysely'
import { uniqueId } from '../../unique-id.ts'
import type { Engine } from '../engine.ts'
import { writerOver } from '../handles.ts'
import type { Lease } from './lease.ts'

const batch = 1000

/**
 * Gives committed records their positions, in the order of their tickets. A change draws its ticket after everything it
 * read, so whatever it saw has a lower ticket and was visible at least as early: it is numbered before it.
 * Returns how many were numbered, or undefined when the lease has passed to another process.
 */
export async function number(engine: Engine, lease: Lease): Promise<number | undefined> {
  return engine.transact(uniqueId(), async (connection) => {
    const writer = writerOver(connection, engine)
    const head = await writer
      .selectFrom('log_head')
      .select('position')
      .where('epoch', '=', lease.epoch)
      .forUpdate()
      .executeTakeFirst()
    if (!head) return undefined
    // Only now, with the head held, is the snapshot taken that decides which records are there.
    const numbered = await writer
      .updateTable('log')
      .from((eb) =>
        eb
          .selectFrom(
            eb
              .selectFrom('log')
              .select('ticket')
              .where('position', 'is', null)
              .orderBy('ticket')
              .limit(batch)
              .as('open'),
          )
          .select(['open.ticket', sql<number>`row_number() OVER (ORDER BY open.ticket)`.as('ordinal')])
          .as('drawn'),
      )
      .set((eb) => ({ position: eb(eb.val(head.position), '+', eb.ref('drawn.ordinal')) }))
      .whereRef('log.ticket', '=', 'drawn.ticket')
      .executeTakeFirst()
    const count = Number(numbered.numUpdatedRows)
    if (count > 0) {
      await writer
        .updateTable('log_head')
        .set({ position: head.position + count })
        .execute()
    }
    return count
  })
}

export const numberedAtOnce = batch
