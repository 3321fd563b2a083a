import type { Snapshot, Tx } from '../../platform/storage/index.ts'
import type { Showing } from './records.ts'

type Part = 'classification' | 'object' | 'attribute' | 'attribute group'

interface Alteration {
  readonly part: Part
  readonly before?: Snapshot & { id: number }
  readonly after?: Snapshot & { id: number }
}

/** Audit carries English, whoever asks. */
export const inEnglish = (showing: Showing): Showing => ({ ...showing, language: 'en' })

/** Says what happened to the model, and gives it a new version: nobody believes what they remember of the old one. */
export async function altered(tx: Tx, ...alterations: readonly Alteration[]): Promise<void> {
  for (const { part, before, after } of alterations) {
    const operation = !before ? 'add' : after ? 'update' : 'delete'
    tx.record({
      operation,
      object: 'model',
      instance: (after ?? before)?.id ?? 0,
      business: 0,
      description: `${operation === 'add' ? 'create' : operation} ${part}`,
      before: before ?? null,
      after: after ?? null,
      events: [],
    })
  }
  await tx
    .updateTable('account')
    .set((eb) => ({ model_version: eb('model_version', '+', 1) }))
    .where('name', '=', tx.actor.account)
    .execute()
}

/** Whether two records differ in more than the time of the last change. */
export function differs(before: Snapshot, after: Snapshot): boolean {
  const { last_time: _, ...was } = before
  const { last_time: __, ...is } = after
  return JSON.stringify(was) !== JSON.stringify(is)
}
