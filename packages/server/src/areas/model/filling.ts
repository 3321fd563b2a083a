// Looks after what is kept of searchable attributes: goes through older instances, and removes what nobody uses any more.
import type { Actor, ChangeFunction, Reader, Storage, Tx } from '../../platform/storage/index.ts'
import { altered } from './alter.ts'
import { nameField } from './names.ts'
import type { AttributeType } from './presets.ts'
import { insertValues, type Valued, valuesOf } from './searchable.ts'

/** Instances gone through in one change, and values removed in one: others get their turn in between. */
const atOnce = 500
/** How soon what was switched on anywhere is begun, in milliseconds. */
const between = 1_000
/** How long dropped values stay: whoever has read the model before they were dropped may still look for them. */
const kept = 60_000
/** How often progress is told. */
const toldEvery = 10_000

export interface Filling {
  readonly id: number
  readonly account: string
  readonly object: string
  readonly attribute: string
}

export interface FillingOptions {
  /** In whose name upkeep is done. */
  actor(account: string): Actor
  onProgress(filling: Filling, done: boolean, instances: number): void
}

/**
 * Runs in every process. No lease is needed: whoever goes on with an attribute locks its row, which says how far it has got,
 * and the others pass it by.
 */
export function keepFilled(
  { read, change, background }: Pick<Storage, 'read' | 'change' | 'background'>,
  options: FillingOptions,
) {
  const stopping = new AbortController()
  const { signal } = stopping

  const fill = async (filling: Filling) => {
    let instances = 0
    let told = Date.now()
    while (!signal.aborted) {
      const step = await fillNext(change, options.actor(filling.account), filling.id)
      instances += step.instances
      if (step.state === 'filled') options.onProgress(filling, true, instances)
      if (step.state !== 'begun') return
      if (Date.now() - told < toldEvery) continue
      options.onProgress(filling, false, instances)
      told = Date.now()
    }
  }
  const upkeep = async () => {
    for (const filling of await unfilled(read)) {
      // One that cannot be filled does not keep the others waiting.
      await fill(filling).catch((error) => background.failed(`filling ${filling.object}.${filling.attribute}`, error))
    }
    for (const key of await droppedKeys(read, Date.now() - kept)) {
      while (!signal.aborted && (await removeNext(change, options.actor(''), key)));
    }
  }

  const running = background.repeat('looking after searchable attributes', between, signal, upkeep)
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

/** Literals, since a bound value defeats the index on what is unfilled. */
const unfilled = (reader: Reader): Promise<Filling[]> =>
  reader
    .selectFrom('attribute')
    .select(['id', 'account', 'object_id as object', 'attribute_id as attribute'])
    .where((eb) => eb.and([eb('searchable', '<>', eb.lit(0)), eb('filled', '=', eb.lit(0))]))
    .orderBy('id')
    .execute()

interface Step {
  /** Elsewhere: another process is at it, or it is no longer to be filled. */
  readonly state: 'begun' | 'filled' | 'elsewhere'
  readonly instances: number
}

/** Goes through the next instances; after the last, says that the attribute is filled. */
export async function fillNext(change: ChangeFunction, actor: Actor, id: number): Promise<Step> {
  const step = await change(actor, (tx) => fillSome(tx, id), { bulk: true })
  if (step.state !== 'filled') return step
  // A new version of the model, so that every search learns of it.
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

/** The chain is held, so that the attribute stays as it is; and every change since it was switched on keeps its own values. */
async function fillSome(tx: Tx, id: number): Promise<Step & { readonly key: number }> {
  const row = await tx
    .selectFrom('attribute')
    .select(['object_id as object', 'attribute_id as id', 'type', 'searchable', 'filled', 'filled_to'])
    .where('id', '=', id)
    .$if(tx.dialect.locksRows, (query) => query.forUpdate().skipLocked())
    .executeTakeFirst()
  if (!row || row.searchable === 0 || row.filled === 1) return { state: 'elsewhere', instances: 0, key: 0 }
  const attribute = { ...row, type: row.type as AttributeType }
  const instances = await nextInstances(tx, row.object, row.filled_to)
  const last = instances.at(-1)
  if (!last) return { state: 'filled', instances: 0, key: row.searchable }
  await insertValues(
    tx,
    instances.flatMap((each) => valuesOf(attribute, each)),
  )
  await tx.updateTable('attribute').set({ filled_to: last.publicId }).where('id', '=', id).execute()
  return { state: 'begun', instances: instances.length, key: row.searchable }
}

/** Nobody changes them until this change ends: what is kept of them is what they say. */
async function nextInstances(tx: Tx, object: string, after: number): Promise<(Valued & { publicId: number })[]> {
  const { account } = tx.actor
  if (object === 'host') {
    const hosts = await tx
      .selectFrom('host')
      .select(['id', 'host_id', 'attributes'])
      .where('account', '=', account)
      .where('host_id', '>', after)
      .orderBy('host_id')
      .limit(atOnce)
      .$if(tx.dialect.locksRows, (query) => query.forShare())
      .execute()
    return hosts.map(({ id, host_id, attributes }) => ({
      instance: id,
      publicId: host_id,
      attributes: JSON.parse(attributes),
    }))
  }
  const nodes = await tx
    .selectFrom('node')
    .select(['id', 'inst_id', 'name', 'attributes'])
    .where('account', '=', account)
    .where('object_id', '=', object)
    .where('inst_id', '>', after)
    .orderBy('inst_id')
    .limit(atOnce)
    .$if(tx.dialect.locksRows, (query) => query.forShare())
    .execute()
  return nodes.map(({ id, inst_id, name, attributes }) => ({
    instance: id,
    publicId: inst_id,
    attributes: { ...JSON.parse(attributes), [nameField(object)]: name },
  }))
}

const droppedKeys = async (reader: Reader, before: number): Promise<number[]> => {
  const rows = await reader.selectFrom('dropped_key').select('key').where('dropped_at', '<', before).execute()
  return rows.map((row) => row.key)
}

/** Removes some of what is kept under a dropped key, and at last the key. False when nothing is left. */
export const removeNext = (change: ChangeFunction, actor: Actor, key: number): Promise<boolean> =>
  change(
    actor,
    async (tx) => {
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
              .limit(atOnce)
              .$asTuple('key', 'text', 'number', 'instance'),
          ),
        )
        .executeTakeFirst()
      if (removed.numDeletedRows > 0n) return true
      await tx.deleteFrom('dropped_key').where('key', '=', key).execute()
      return false
    },
    // It belongs to no account: whose key it was may be gone.
    { bulk: true, chain: 'none' },
  )
