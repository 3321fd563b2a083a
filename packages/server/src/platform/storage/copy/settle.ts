import type { Writer } from '../handles.ts'
import { sealAndLeaveOut } from '../log/seals.ts'

/**
 * Restored, a store goes on from an earlier moment than its callers remember. It continues at the next billion: what was
 * given out between that moment and its end is never given out again for something else.
 */
const stride = 1_000_000_000
const nextStride = (drawn: number) => (Math.floor(drawn / stride) + 1) * stride + 1

/** What must not be as it was in the store that the rows come from. */
export async function settle(writer: Writer, how: 'restored' | 'moved', now: number): Promise<void> {
  await numberAll(writer)
  // Nobody is at work yet: the lease starts anew, and so does what it is compared with.
  await writer.updateTable('log_head').set({ epoch: 0 }).execute()
  await writer
    .updateTable('delivery')
    .set((eb) => ({ owner: '', epoch: eb('epoch', '+', 1) }))
    .execute()
  if (how === 'moved') return
  const { position } = await writer.selectFrom('log_head').select('position').executeTakeFirstOrThrow()
  await sealAndLeaveOut(writer, nextStride(position), now)
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
}

/** Records that were committed and not yet numbered at that moment, in the order of their tickets. */
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
