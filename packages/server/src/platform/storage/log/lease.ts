import { uniqueId } from '../../unique-id.ts'
import type { Engine } from '../engine.ts'
import { type Reader, type Writer, writerOver } from '../handles.ts'

/** A holder that does not renew for so long has lost the lease, in milliseconds. */
export const leaseTime = 5_000

export interface Lease {
  readonly epoch: number
}

/**
 * Takes or renews the lease on numbering the log. Times are the database's, so that no process's clock matters.
 * Whoever takes it over from another gets a new epoch, and the old holder's writes no longer fit.
 */
export async function holdLease(engine: Engine, holder: string): Promise<Lease | undefined> {
  return engine.transact(uniqueId(), async (connection) => {
    const writer = writerOver(connection, engine)
    const now = await databaseTime(writer)
    const held = await writer
      .updateTable('lease')
      .set((eb) => ({
        holder,
        expires: now + leaseTime,
        epoch: eb
          .case()
          .when('holder', '=', holder)
          .then(eb.ref('epoch'))
          .else(eb('epoch', '+', 1))
          .end(),
      }))
      .where('name', '=', 'log')
      // Nobody holds it for longer: then the clock was set back, or another database has taken over whose clock is behind.
      .where((eb) => eb.or([eb('holder', '=', holder), eb('expires', '<', now), eb('expires', '>', now + leaseTime)]))
      .returning('epoch')
      .executeTakeFirst()
    if (held) await raiseEpoch(writer, held.epoch)
    return held
  })
}

async function raiseEpoch(writer: Writer, epoch: number): Promise<void> {
  await writer.updateTable('log_head').set({ epoch }).where('epoch', '<', epoch).execute()
}

export async function releaseLease(engine: Engine, holder: string): Promise<void> {
  await engine.transact(uniqueId(), async (connection) => {
    const writer = writerOver(connection, engine)
    await writer
      .updateTable('lease')
      .set({ expires: 0 })
      .where('name', '=', 'log')
      .where('holder', '=', holder)
      .execute()
  })
}

async function databaseTime(reader: Reader): Promise<number> {
  const { now } = await reader.selectNoFrom(reader.dialect.now.as('now')).executeTakeFirstOrThrow()
  return now
}
