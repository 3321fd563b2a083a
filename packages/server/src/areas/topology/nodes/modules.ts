import { modules, problem, rule } from '@mainline/contract'
import type { Storage, Tx } from '../../../storage/index.ts'
import type { Attributes, Showing } from '../../model/index.ts'
import { createInstances, deleteInstances, type NodeRules, updateInstance } from './instances.ts'
import { lossOf, showLoss } from './loss.ts'
import { asSchema } from './record.ts'

/** The path names the set: "no relevant data" if it does not exist. */
const module: NodeRules = {
  object: 'module',
  builtIn: () => problem('setProtected', { why: rule('internalModule') }),
  noParent: () => problem('notFound'),
}

export interface SetOf {
  readonly bizId: number
  readonly setId: number
}

export async function createModule(
  tx: Tx,
  { bizId, setId }: SetOf,
  sent: Attributes,
  showing: Showing,
): Promise<modules.ModuleRecord> {
  const [created] = await createModules(tx, { bizId, setId }, [sent], showing)
  return asSchema(modules.ModuleRecord, created)
}

export const createModules = (tx: Tx, { bizId, setId }: SetOf, sent: readonly Attributes[], showing: Showing) =>
  createInstances(tx, module, { bizId, parentId: setId }, sent, showing)

export const updateModule = (tx: Tx, { bizId, setId }: SetOf, id: number, sent: Attributes, showing: Showing) =>
  updateInstance(tx, module, { bizId, id, parentId: setId }, sent, showing)

export const deleteModule = (tx: Tx, { bizId, setId }: SetOf, id: number, showing: Showing) =>
  deleteInstances(tx, module, { bizId, ids: [id], parentId: setId }, showing)

export const moduleLoss = async (storage: Storage, account: string, { bizId, setId }: SetOf, id: number) =>
  showLoss([await lossOf(storage, account, module, { bizId, ids: [id], parentId: setId })])
