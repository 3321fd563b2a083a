import type { Writer } from '../handles.ts'
import { readResets, recordReset } from '../history/reset.ts'
import { sealAndLeaveOut } from '../log/seals.ts'
import type { Signer } from '../seals/signer.ts'

/**
 * Clients of a restored store may remember positions and distribution numbers from after the backup. Both continue at the next billion, so
 * that none is used twice; public ids skip a million, see `recordReset`.
 */
const stride = 1_000_000_000
const nextStride = (drawn: number) => (Math.floor(drawn / stride) + 1) * stride + 1

/** Adjusts state that must differ from the store that the rows come from. */
export async function settle(
  writer: Writer,
  how: 'restored' | 'moved',
  now: number,
  signer: Signer | undefined,
): Promise<void> {
  await numberAll(writer)
  // No server is running yet: leases and their epochs are reset.
  await writer.updateTable('log_head').set({ epoch: 0 }).execute()
  await writer
    .updateTable('delivery')
    .set((eb) => ({ owner: '', epoch: eb('epoch', '+', 1) }))
    .execute()
  if (how === 'moved') {
    // Moved: the place is new, but no records are lost.
    const latest = (await readResets(writer)).at(-1)
    if (latest) await writer.updateTable('history_reset').set({ place: '' }).where('id', '=', latest.id).execute()
    return
  }
  const { position } = await writer.selectFrom('log_head').select('position').executeTakeFirstOrThrow()
  await sealAndLeaveOut(writer, nextStride(position), now, signer)
  for (const { subscription, next_distribution } of await writer
    .selectFrom('delivery')
    .select(['subscription', 'next_distribution'])
    .execute()) {
    await writer
      .updateTable('delivery')
      .set({ next_distribution: nextStride(next_distribution) })
      .where('subscription', '=', subscription)
      .execute()
  }
  await recordReset(writer, { position, cause: 'restored', here: undefined, now })
}

/** Numbers records that were committed but not numbered when the copy was made, in the order of their tickets. */
async function numberAll(writer: Writer): Promise<void> {
  const head = await writer.selectFrom('log_head').select('position').executeTakeFirstOrThrow()
  const open = await writer.selectFrom('log').select('ticket').where('position', 'is', null).orderBy('ticket').execute()
  for (const [index, { ticket }] of open.entries()) {
    await writer
      .updateTable('log')
      .set({ position: head.position + index + 1 })
      .where('ticket', '=', ticket)
      .execute()
  }
  await writer
    .updateTable('log_head')
    .set({ position: head.position + open.length })
    .execute()
}
