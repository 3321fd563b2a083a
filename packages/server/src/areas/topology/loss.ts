import { mostListed } from '@mainline/contract'
import type { Reader, Snapshot, Storage } from '../../platform/storage/index.ts'
import { modelAt } from '../model/index.ts'
import { findBusiness } from './hold.ts'
import { findDoomed, type Kind, type Named, withAllBelow } from './instances.ts'
import type { Node } from './nodes.ts'

/** What deleting these instances would take with it. Refused as the deletion would be, except that hosts are only counted. */
export async function lossOf(
  { read, heavy }: Storage,
  account: string,
  kind: Kind,
  { bizId, ...which }: Named & { bizId: number },
): Promise<Doomed> {
  const { node: business, modelVersion } = await findBusiness(read, account, bizId)
  const model = await modelAt(read, account, modelVersion)
  const nodes = await findDoomed(read, kind, business, which)
  const levels = await withAllBelow(heavy, model, kind.object, nodes)
  return { nodes: levels.flat(), hosts: await hostsIn(heavy, levels.flat()) }
}

export interface Doomed {
  readonly nodes: readonly Node[]
  readonly hosts: number
}

/** As it is answered. */
export function showLoss(doomed: readonly Doomed[]): Snapshot {
  const nodes = doomed.flatMap((each) => each.nodes)
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
    hosts: doomed.reduce((sum, { hosts }) => sum + hosts, 0),
  }
}

/** A host may stand in several modules, all of them of one business. */
async function hostsIn(reader: Reader, nodes: readonly Node[]): Promise<number> {
  const modules = nodes.filter((node) => node.object_id === 'module').map((node) => node.id)
  const { count } = await reader
    .selectFrom('placement')
    .select((eb) => eb.fn.count<number>('host').distinct().as('count'))
    .where((eb) => reader.dialect.among(eb.ref('module'), modules, 'integer'))
    .executeTakeFirstOrThrow()
  return count
}
