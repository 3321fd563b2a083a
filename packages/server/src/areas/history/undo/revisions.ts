import type { Tx } from '../../../storage/index.ts'

interface Deleted {
  readonly object: string
  /** Queries are recorded under their key. */
  readonly id: number | string
  /** Before the deletion. */
  readonly revision: number
}

/** The highest revision that an instance ever had: one that returns goes on from there, so that no revision is used twice. */
export async function lastRevisions(tx: Tx, deleted: readonly Deleted[]): Promise<Map<string, number>> {
  // Deleted built-in instances have no record of their own; their deletion counted as one revision, too.
  const last = new Map(deleted.map(({ object, id, revision }) => [`${object} ${id}`, revision + 1]))
  for (const [object, own] of Map.groupBy(deleted, (each) => each.object)) {
    const [column, type] = object === 'userapi' ? (['ext_key', 'text'] as const) : (['inst_id', 'integer'] as const)
    const rows = await tx
      .selectFrom('log')
      .select((eb) => [`${column} as id`, eb.fn.max('revision').as('revision')])
      .where('account', '=', tx.actor.account)
      .where('object_id', '=', object)
      .where((eb) =>
        tx.dialect.among(
          eb.ref(column),
          own.map(({ id }) => id),
          type,
        ),
      )
      .groupBy(column)
      .execute()
    for (const { id, revision } of rows) {
      const key = `${object} ${id}`
      last.set(key, Math.max(last.get(key) ?? 0, Number(revision)))
    }
  }
  return last
}
