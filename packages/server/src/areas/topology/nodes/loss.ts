import { type Loss, mostListed } from '@mainline/contract'
import type { Reader, Storage } from '../../../storage/index.ts'
import { modelAt } from '../../model/index.ts'
import { findBusiness } from '../businesses/hold.ts'
import { findDeletable, type NodeRules, type NodeSelection, withAllBelow } from './instances.ts'
import type { Node } from './nodes.ts'

/** The dry run of a deletion: fails like the deletion itself, except that hosts are only counted. */
export async function lossOf(
  { read, heavy }: Storage,
  account: string,
  kind: NodeRules,
  { bizId, ...which }: NodeSelection & { bizId: number },
): Promise<Deletable> {
  const { node: business, modelVersion } = await findBusiness(read, account, bizId)
  const model = await modelAt(read, account, modelVersion)
  const nodes = await findDeletable(read, kind, business, which)
  const levels = await withAllBelow(heavy, model, kind.object, nodes)
  return { nodes: levels.flat(), hosts: await hostsIn(heavy, levels.flat()) }
}

export interface Deletable {
  readonly nodes: readonly Node[]
  readonly hosts: number
}

/** The counts of the response. */
export function showLoss(targets: readonly Deletable[]): Loss {
  const nodes = targets.flatMap((each) => each.nodes)
  return {
    moves: [],
    moves_count: 0,
    goes: nodes.slice(0, mostListed).map(({ object_id, inst_id, name }) => ({
      bk_obj_id: object_id,
      bk_inst_id: inst_id,
      bk_inst_name: name,
    })),
    count: nodes.length,
    conflicts: [],
    hosts: targets.reduce((sum, { hosts }) => sum + hosts, 0),
  }
}

/** Counts a host once, though it may be in several modules. */
async function hostsIn(reader: Reader, nodes: readonly Node[]): Promise<number> {
  const modules = nodes.filter((node) => node.object_id === 'module').map((node) => node.id)
  const { count } = await reader
    .selectFrom('placement')
    .select((eb) => eb.fn.count<number>('host').distinct().as('count'))
    .where((eb) => reader.dialect.among(eb.ref('module'), modules, 'integer'))
    .executeTakeFirstOrThrow()
  return count
}
