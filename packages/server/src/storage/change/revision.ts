import { problem, rule } from '@mainline/contract'
import type { Tx } from './change.ts'
import type { Snapshot } from './change-record.ts'

/** An instance as read under its lock. */
interface HeldInstance {
  readonly revision: number
  readonly last_time: number
}

/** Revision and time after a change. The clock is read before the lock is taken, so the previous time may be later. */
export const nextVersion = ({ now }: Pick<Tx, 'now'>, { revision, last_time }: HeldInstance) => ({
  revision: revision + 1,
  last_time: Math.max(now, last_time + 1),
})

/**
 * Refuses a conditional change (`If-Match`) if the instance has another revision. Every operation that supports the condition must call
 * it with the lock held and before changing anything.
 */
export function expectRevision<Row extends { readonly revision: number }>(
  { actor: { expectedRevision: expected } }: Pick<Tx, 'actor'>,
  held: readonly Row[],
  show: (row: Row) => Snapshot,
): void {
  if (expected === undefined) return
  const [row] = held
  if (!row || held.length > 1) throw problem('invalid', { field: 'If-Match', rule: rule('oneInstance') })
  if (row.revision === expected) return
  throw problem('revisionMismatch', {
    revision: row.revision,
    expected,
    data: { ...show(row), bk_revision: row.revision },
  })
}
