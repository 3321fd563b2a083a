import { Problem, problem, rule } from '@mainline/contract'
import type { Reader, Snapshot, Storage, Tx } from '../../platform/storage/index.ts'
import {
  type Attributes,
  isLevel,
  type Model,
  modelIn,
  modelOf,
  type ObjectModel,
  type Showing,
} from '../model/index.ts'
import {
  createDetached,
  createInstances,
  deleteDetached,
  deleteInstances,
  findDetached,
  type Kind,
  lossOf,
  showLoss,
  updateDetached,
  updateInstance,
} from '../topology/index.ts'

/** What these have beyond their attributes is looked after by operations of their own. */
const elsewhere = ['biz', 'set', 'module', 'host', 'process']

/** The object whose instances these operations look after. */
export function instanceObject(model: Model, id: string): ObjectModel {
  const object = model.objects.get(id)
  if (!object) throw problem('modelNotFound', { why: rule('noObject', { object: id }) })
  if (elsewhere.includes(id)) throw problem('modelNotFound', { why: rule('ownOperations', { object: id }) })
  return object
}

/** The same, when its instances are to change. */
function changeable(model: Model, id: string): ObjectModel {
  const object = instanceObject(model, id)
  if (object.paused) throw problem('modelPaused')
  return object
}

const level = (object: string): Kind => ({
  object,
  builtIn: () => {
    throw new Error(`${object} has a built-in instance`)
  },
  noParent: (above, business) =>
    problem('unknown', { field: 'bk_parent_id', rule: rule('parent', { object: above, business }) }),
})

export async function createOne(tx: Tx, objectId: string, sent: Attributes, showing: Showing): Promise<Snapshot> {
  const object = changeable(await modelIn(tx), objectId)
  if (!isLevel(object)) return createDetached(tx, object, sent, showing)
  const [bizId, parentId] = [readId('bk_biz_id', sent.bk_biz_id), readId('bk_parent_id', sent.bk_parent_id)]
  try {
    const [created] = await createInstances(tx, level(objectId), { bizId, parentId }, [sent], showing)
    return created as Snapshot
  } catch (error) {
    // All that it looks for beside the parent is the business, which elsewhere the path names.
    if (error instanceof Problem && error.kind === 'notFound') throw problem('unknown', { field: 'bk_biz_id' })
    throw error
  }
}

/** An id that is needed on the main line only, so that the body's schema cannot ask for it. */
function readId(field: string, sent: unknown): number {
  if (sent === undefined || sent === null || sent === '') throw problem('unassigned', { field })
  const id = typeof sent === 'string' && /^\d{1,16}$/.test(sent) ? Number(sent) : sent
  if (typeof id !== 'number' || !Number.isInteger(id)) throw problem('notInteger', { field })
  if (id < 1) throw problem('invalid', { field, rule: rule('atLeast', { min: 1 }) })
  if (!Number.isSafeInteger(id)) {
    throw problem('invalid', { field, rule: rule('atMost', { max: Number.MAX_SAFE_INTEGER }) })
  }
  return id
}

export async function updateOne(
  tx: Tx,
  objectId: string,
  id: number,
  { bk_biz_id: _, ...sent }: Attributes,
  showing: Showing,
): Promise<void> {
  const object = changeable(await modelIn(tx), objectId)
  if (!isLevel(object)) return updateDetached(tx, object, id, sent, showing)
  const [bizId] = (await businessesOf(tx, tx.actor.account, objectId, [id])).keys()
  await updateInstance(tx, level(objectId), { bizId: bizId as number, id }, sent, showing)
}

export async function deleteAll(tx: Tx, objectId: string, ids: readonly number[], showing: Showing): Promise<void> {
  const object = changeable(await modelIn(tx), objectId)
  if (!isLevel(object)) return deleteDetached(tx, object, ids, showing)
  for (const [bizId, own] of await businessesOf(tx, tx.actor.account, objectId, ids)) {
    await deleteInstances(tx, level(objectId), { bizId, ids: own }, showing)
  }
}

/** What deleting them would take with it. */
export async function lossOfAll(
  storage: Storage,
  account: string,
  objectId: string,
  ids: readonly number[],
): Promise<Snapshot> {
  const { read } = storage
  const object = changeable(await modelOf(read, account), objectId)
  if (!isLevel(object)) return showLoss([{ nodes: await findDetached(read, account, objectId, ids), hosts: 0 }])
  const businesses = await businessesOf(read, account, objectId, ids)
  return showLoss(
    await Promise.all(
      businesses.entries().map(([bizId, own]) => lossOf(storage, account, level(objectId), { bizId, ids: own })),
    ),
  )
}

/** The instances by their business, in the order in which businesses are held. An instance never changes its business. */
export async function businessesOf(
  reader: Reader,
  account: string,
  object: string,
  ids: readonly number[],
): Promise<Map<number, number[]>> {
  const found = await reader
    .selectFrom('node')
    .select(['inst_id', 'biz_id'])
    .where('account', '=', account)
    .where('object_id', '=', object)
    .where((eb) => reader.dialect.among(eb.ref('inst_id'), ids, 'integer'))
    .orderBy('biz_id')
    .orderBy('inst_id')
    .execute()
  if (found.length < new Set(ids).size) throw problem('notFound')
  const groups = Map.groupBy(found, (row) => row.biz_id)
  return new Map(groups.entries().map(([bizId, rows]) => [bizId, rows.map((row) => row.inst_id)]))
}
