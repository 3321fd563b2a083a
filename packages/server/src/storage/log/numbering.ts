import { sql } from 'kysely'
import { uniqueId } from '../../common/unique-id.ts'
import type { Engine } from '../engine.ts'
import { writerOver } from '../handles.ts'
import type { Lease } from './lease.ts'

const batch = 1000

/**
 * Assigns positions to committed records after a ticket, in ticket order. A change draws its ticket after all its reads, so every record
 * that it saw has a lower ticket, was visible at least as early, and is numbered first.
 * Returns how many were numbered, or undefined if the lease has passed to another process.
 */
export async function number(engine: Engine, lease: Lease, after: number): Promise<number | undefined> {
  return engine.transact(uniqueId(), async (connection) => {
    const writer = writerOver(connection, engine)
    const head = await writer
      .selectFrom('log_head')
      .select('position')
      .where('epoch', '=', lease.epoch)
      .forUpdate()
      .executeTakeFirst()
    if (!head) return undefined
    // The snapshot that decides which records are visible is taken only now, with the head locked.
    const numbered = await writer
      .updateTable('log')
      .from((eb) =>
        eb
          .selectFrom(
            eb
              .selectFrom('log')
              .select('ticket')
              .where('position', 'is', null)
              .where('ticket', '>', after)
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
