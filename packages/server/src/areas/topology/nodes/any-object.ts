import { instances, type Loss, Problem, problem, rule } from '@mainline/contract'
import { present } from '../../../common/present.ts'
import type { Actor, Reader, Storage, Tx } from '../../../storage/index.ts'
import {
  type Attributes,
  isLevel,
  type Model,
  modelIn,
  modelOf,
  type ObjectModel,
  type Showing,
} from '../../model/index.ts'
import type { MissingDeleteGrant } from '../../privileges/index.ts'
import { createDetached, deleteDetached, dependentsIn, findDetached, updateDetached } from './detached.ts'
import { createInstances, deleteInstances, type NodeRules, updateInstance } from './instances.ts'
import { lossOf, showLoss } from './loss.ts'
import { asSchema } from './record.ts'

/** Objects whose instances have operations of their own. */
const ownOperations = ['biz', 'set', 'module', 'host', 'process']

/** The object, if its instances have no operations of their own. */
export function instanceObject(model: Model, id: string): ObjectModel {
  const object = model.objects.get(id)
  if (!object) throw problem('modelNotFound', { why: rule('noObject', { object: id }) })
  if (ownOperations.includes(id)) throw problem('modelNotFound', { why: rule('ownOperations', { object: id }) })
  return object
}

/** The same for writes: the object must not be paused. */
function changeable(model: Model, id: string): ObjectModel {
  const object = instanceObject(model, id)
  if (object.paused) throw problem('modelPaused')
  return object
}

const level = (object: string): NodeRules => ({
  object,
  builtIn: () => {
    throw new Error(`${object} has a built-in instance`)
  },
  noParent: (above, business) =>
    problem('unknown', { field: 'bk_parent_id', rule: rule('parent', { object: above, business }) }),
})

export async function createOne(
  tx: Tx,
  objectId: string,
  sent: Attributes,
  showing: Showing,
): Promise<instances.InstanceRecord> {
  const object = changeable(await modelIn(tx), objectId)
  if (!isLevel(object)) return createDetached(tx, object, sent, showing)
  const [bizId, parentId] = [readId('bk_biz_id', sent.bk_biz_id), readId('bk_parent_id', sent.bk_parent_id)]
  try {
    const [created] = await createInstances(tx, level(objectId), { bizId, parentId }, [sent], showing)
    return asSchema(instances.InstanceRecord, created)
  } catch (error) {
    // Here the business is named by the body, not by the path.
    if (error instanceof Problem && error.kind === 'notFound') throw problem('unknown', { field: 'bk_biz_id' })
    throw error
  }
}

/** A parent id: required on the main line only, so the schema of the body cannot require it. */
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
  const [bizId] = (await idsByBusiness(tx, tx.actor.account, objectId, [id])).keys()
  await updateInstance(tx, level(objectId), { bizId: present(bizId), id }, sent, showing)
}

export async function deleteAll(
  tx: Tx,
  objectId: string,
  ids: readonly number[],
  showing: Showing,
  lacks: MissingDeleteGrant,
): Promise<void> {
  const object = changeable(await modelIn(tx), objectId)
  if (!isLevel(object)) return deleteDetached(tx, object, ids, showing, lacks)
  for (const [bizId, own] of await idsByBusiness(tx, tx.actor.account, objectId, ids)) {
    await deleteInstances(tx, level(objectId), { bizId, ids: own }, showing)
  }
}

/** The dry run of their deletion. */
export async function lossOfAll(
  storage: Storage,
  actor: Actor,
  objectId: string,
  ids: readonly number[],
  lacks: MissingDeleteGrant,
): Promise<Loss> {
  const { read } = storage
  const { account } = actor
  const object = changeable(await modelOf(read, account), objectId)
  if (!isLevel(object)) {
    const nodes = await findDetached(read, account, objectId, ids)
    const { dependents } = await dependentsIn(read, actor, nodes, lacks)
    return showLoss([{ nodes: [...nodes, ...dependents], hosts: 0 }])
  }
  const businesses = await idsByBusiness(read, account, objectId, ids)
  return showLoss(
    await Promise.all(
      businesses.entries().map(([bizId, own]) => lossOf(storage, account, level(objectId), { bizId, ids: own })),
    ),
  )
}

/** The instances by business, in locking order. An instance never changes its business. */
export async function idsByBusiness(
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
