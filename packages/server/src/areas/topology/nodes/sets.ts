import { problem, rule, sets } from '@mainline/contract'
import type { Storage, Tx } from '../../../storage/index.ts'
import type { Attributes, Showing } from '../../model/index.ts'
import { createInstances, deleteInstances, type NodeRules, updateInstance } from './instances.ts'
import { lossOf, showLoss } from './loss.ts'
import { asSchema } from './record.ts'

const set: NodeRules = {
  object: 'set',
  builtIn: () => problem('setProtected', { why: rule('internalSet') }),
  noParent: (object, business) =>
    problem('unknown', { field: 'bk_parent_id', rule: rule('parent', { object, business }) }),
}

export async function createSet(
  tx: Tx,
  bizId: number,
  parentId: number,
  sent: Attributes,
  showing: Showing,
): Promise<sets.SetRecord> {
  const [created] = await createSets(tx, bizId, parentId, [sent], showing)
  return asSchema(sets.SetRecord, created)
}

export const createSets = (tx: Tx, bizId: number, parentId: number, sent: readonly Attributes[], showing: Showing) =>
  createInstances(tx, set, { bizId, parentId }, sent, showing)

export const updateSet = (tx: Tx, bizId: number, id: number, sent: Attributes, showing: Showing) =>
  updateInstance(tx, set, { bizId, id }, sent, showing)

export const deleteSets = (tx: Tx, bizId: number, ids: readonly number[], showing: Showing) =>
  deleteInstances(tx, set, { bizId, ids }, showing)

export const lossOfSets = async (storage: Storage, account: string, bizId: number, ids: readonly number[]) =>
  showLoss([await lossOf(storage, account, set, { bizId, ids })])
