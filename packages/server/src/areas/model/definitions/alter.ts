import type { Snapshot, Tx, Unshown } from '../../../storage/index.ts'
import type { Showing } from '../records.ts'

type Part =
  | 'classification'
  | 'object'
  | 'attribute'
  | 'attribute group'
  | 'association kind'
  | 'object association'
  | 'unique rule'

interface Alteration {
  readonly part: Part
  readonly before?: Snapshot & { id: number }
  readonly after?: Snapshot & { id: number }
  readonly unshown?: Unshown
}

/** The audit log is in English, whatever language the caller uses. */
export const inEnglish = (showing: Showing): Showing => ({ ...showing, language: 'en' })

/** Records alterations of the model and gives it a new version, which invalidates every cached model. */
export async function altered(tx: Tx, ...alterations: readonly Alteration[]): Promise<void> {
  for (const { part, before, after, unshown } of alterations) {
    const operation = !before ? 'add' : after ? 'update' : 'delete'
    tx.record({
      operation,
      object: 'model',
      instance: (after ?? before)?.id ?? 0,
      business: 0,
      description: `${operation === 'add' ? 'create' : operation} ${part}`,
      revision: 0,
      before: before ?? null,
      after: after ?? null,
      ...(unshown && { unshown }),
      events: [],
    })
  }
  await tx.updateTable('account').set({ model_version: tx.stamp }).where('name', '=', tx.actor.account).execute()
}

/** Whether two records differ in more than the time of the last change. */
export function differs(before: Snapshot, after: Snapshot): boolean {
  const { last_time: _, ...was } = before
  const { last_time: __, ...is } = after
  return JSON.stringify(was) !== JSON.stringify(is)
}
