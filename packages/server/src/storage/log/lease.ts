import { uniqueId } from '../../common/unique-id.ts'
import type { Engine } from '../engine.ts'
import { type Reader, type Writer, writerOver } from '../handles.ts'

/** A holder that does not renew the lease for this long has lost it. */
export const leaseMs = 5_000

export interface Lease {
  readonly epoch: number
}

/**
 * Acquires or renews the lease on numbering the log. Times are those of the database, so that the clocks of processes do not matter.
 * A new holder gets a new epoch (fencing token), with which the writes of the previous holder fail.
 */
export async function holdLease(engine: Engine, holder: string): Promise<Lease | undefined> {
  return engine.transact(uniqueId(), async (connection) => {
    const writer = writerOver(connection, engine)
    const now = await databaseTime(writer)
    const held = await writer
      .updateTable('lease')
      .set((eb) => ({
        holder,
        expires: now + leaseMs,
        epoch: eb
          .case()
          .when('holder', '=', holder)
          .then(eb.ref('epoch'))
          .else(eb('epoch', '+', 1))
          .end(),
      }))
      .where('name', '=', 'log')
      // A lease that ends later than possible is ignored: the clock was set back, or a standby with a slower clock took over.
      .where((eb) => eb.or([eb('holder', '=', holder), eb('expires', '<', now), eb('expires', '>', now + leaseMs)]))
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
