// Background job for values kept beside instances: indexes those of searchable attributes, checks those of unique rules, and removes
// those of dropped keys.

import type { Actor, ChangeFunction, Reader, Storage, Tx } from '../../../storage/index.ts'
import { altered } from '../definitions/alter.ts'
import { storedType } from '../presets.ts'
import type { Showing } from '../records.ts'
import { checkNext, selectUncheckedRules } from '../unique/checking.ts'
import { nextInstances } from './instances.ts'
import { insertValues, valuesOf } from './searchable.ts'

/** Instances indexed, or values removed, per change, so that other changes run in between. */
const batchSize = 500
/** How often the job looks for newly searchable attributes. */
const pollPace = { pauseMs: 1_000, idlePauseMs: 20_000 }
/** How long values of a dropped key stay: a request that began with the previous model may still search them. */
const droppedKeyRetentionMs = 60_000
const progressIntervalMs = 10_000

export interface Filling {
  readonly id: number
  readonly account: string
  readonly object: string
  readonly attribute: string
}

interface FillingOptions {
  /** The actor of background changes. */
  actor(account: string): Actor
  readonly showing: Showing
  onProgress(filling: Filling, done: boolean, instances: number): void
}

/**
 * Runs in every process without a lease: the process that continues an attribute locks its row, which holds the progress,
 * and other processes skip it.
 */
export function keepFilled(
  { read, change, background }: Pick<Storage, 'read' | 'change' | 'background'>,
  options: FillingOptions,
) {
  const stopping = new AbortController()
  const { signal } = stopping

  const fill = async (filling: Filling) => {
    let instances = 0
    let reportedAt = Date.now()
    while (!signal.aborted) {
      const step = await fillNext(change, options.actor(filling.account), filling.id)
      instances += step.instances
      if (step.state === 'filled') options.onProgress(filling, true, instances)
      if (step.state !== 'begun') return
      if (Date.now() - reportedAt < progressIntervalMs) continue
      options.onProgress(filling, false, instances)
      reportedAt = Date.now()
    }
  }
  const upkeep = async () => {
    const before = Date.now() - droppedKeyRetentionMs
    if (!(await isDue(read, before))) return
    for (const filling of await selectUnfilled(read).execute()) {
      // An attribute that cannot be indexed must not block the others.
      await fill(filling).catch((error) => background.failed(`filling ${filling.object}.${filling.attribute}`, error))
    }
    for (const { id, account, object } of await selectUncheckedRules(read).execute()) {
      const check = async () => {
        while (!signal.aborted && (await checkNext(change, options.actor(account), id, options.showing)));
      }
      await check().catch((error) => background.failed(`checking unique rule ${id} of ${object}`, error))
    }
    for (const { key } of await selectDroppedKeys(read, before).execute()) {
      while (!signal.aborted && (await removeNext(change, options.actor(''), key)));
    }
  }

  const running = background.repeat('looking after searchable attributes', pollPace, signal, upkeep)
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

/** Whether there is anything to do: one statement, because idle processes repeat it. */
async function isDue(reader: Reader, before: number): Promise<boolean> {
  const { due } = await reader
    .selectNoFrom(({ or, exists }) =>
      or([
        exists(selectUnfilled(reader)),
        exists(selectUncheckedRules(reader)),
        exists(selectDroppedKeys(reader, before)),
      ]).as('due'),
    )
    .executeTakeFirstOrThrow()
  return Boolean(due)
}

/** Literals, because a bound value defeats the partial index on unfilled attributes. */
const selectUnfilled = (reader: Reader) =>
  reader
    .selectFrom('attribute')
    .select(['id', 'account', 'object_id as object', 'attribute_id as attribute'])
    .where((eb) => eb.and([eb('searchable', '<>', eb.lit(0)), eb('filled', '=', eb.lit(0))]))
    .orderBy('id')

interface Step {
  /** `elsewhere`: another process is indexing it, or it is no longer searchable. */
  readonly state: 'begun' | 'filled' | 'elsewhere'
  readonly instances: number
}

/** Indexes the next instances; after the last ones, marks the attribute as filled. */
export async function fillNext(change: ChangeFunction, actor: Actor, id: number): Promise<Step> {
  const step = await change(actor, (tx) => fillSome(tx, id), { bulk: true })
  if (step.state !== 'filled') return step
  // A new version of the model tells every search that the index is complete.
  return change(
    actor,
    async (tx) => {
      const marked = await tx
        .updateTable('attribute')
        .set({ filled: 1 })
        .where('id', '=', id)
        .where('searchable', '=', step.key)
        .where('filled', '=', 0)
        .executeTakeFirst()
      if (marked.numUpdatedRows === 0n) return { state: 'elsewhere', instances: 0 }
      await altered(tx)
      return step
    },
    { chain: 'exclusive' },
  )
}

/** The chain is held, so the attribute cannot change; every change since it was switched on indexes its own values. */
async function fillSome(tx: Tx, id: number): Promise<Step & { readonly key: number }> {
  const row = await tx
    .selectFrom('attribute')
    .select(['object_id as object', 'attribute_id as id', 'type', 'searchable', 'filled', 'filled_to'])
    .where('id', '=', id)
    .$if(tx.dialect.locksRows, (query) => query.forUpdate().skipLocked())
    .executeTakeFirst()
  if (!row || row.searchable === 0 || row.filled === 1) return { state: 'elsewhere', instances: 0, key: 0 }
  const attribute = { ...row, type: storedType(row.type) }
  const instances = await nextInstances(tx, row.object, row.filled_to, batchSize)
  const last = instances.at(-1)
  if (!last) return { state: 'filled', instances: 0, key: row.searchable }
  await insertValues(
    tx,
    instances.flatMap((each) => valuesOf(attribute, each)),
  )
  await tx.updateTable('attribute').set({ filled_to: last.publicId }).where('id', '=', id).execute()
  return { state: 'begun', instances: instances.length, key: row.searchable }
}

const selectDroppedKeys = (reader: Reader, before: number) =>
  reader.selectFrom('dropped_key').select('key').where('dropped_at', '<', before)

/** Removes a batch of values of a dropped key, and finally the key. False when nothing is left. */
export const removeNext = (change: ChangeFunction, actor: Actor, key: number): Promise<boolean> =>
  change(
    actor,
    async (tx) => {
      if ((await removeIndexed(tx, key)) > 0n || (await removeUnique(tx, key)) > 0n) return true
      await tx.deleteFrom('dropped_key').where('key', '=', key).execute()
      return false
    },
    // Not tied to an account: the account of the key may have been deleted.
    { bulk: true, chain: 'none' },
  )

async function removeIndexed(tx: Tx, key: number): Promise<bigint> {
  const removed = await tx
    .deleteFrom('attribute_value')
    .where((eb) =>
      eb(
        eb.refTuple('key', 'text', 'number', 'instance'),
        'in',
        eb
          .selectFrom('attribute_value')
          .select(['key', 'text', 'number', 'instance'])
          .where('key', '=', key)
          .limit(batchSize)
          .$asTuple('key', 'text', 'number', 'instance'),
      ),
    )
    .executeTakeFirst()
  return removed.numDeletedRows
}

async function removeUnique(tx: Tx, key: number): Promise<bigint> {
  const removed = await tx
    .deleteFrom('unique_value')
    .where('key', '=', key)
    .where('value', 'in', (eb) => eb.selectFrom('unique_value').select('value').where('key', '=', key).limit(batchSize))
    .executeTakeFirst()
  return removed.numDeletedRows
}
