import { type Loss, mostListed, type topology } from '@mainline/contract'
import { present } from '../../../common/present.ts'
import type { Actor, Reader } from '../../../storage/index.ts'
import type { Model } from '../../model/index.ts'
import { chainOf } from './chain.ts'
import { findConflicts, type LevelRules, levelOf, type NewLevel, refuseUnfit } from './levels.ts'

/** The dry run of a level's insertion. It refuses what the insertion would refuse, except for wrong identifiers. */
export async function planLevelCreation(
  reader: Reader,
  actor: Actor,
  model: Model,
  level: NewLevel,
  rules: LevelRules,
): Promise<topology.LevelPlan> {
  refuseUnfit(model, level, rules.most)
  const child = present(chainOf(model).find((object) => object.above === level.above))
  const [above, below] = await Promise.all([
    countOf(ofObject(reader, actor, level.above)),
    // The idle pool stays directly below its business.
    countOf(ofObject(reader, actor, child.id).where('built_in', '=', 0)),
  ])
  return { creates: above, moves_count: below }
}

const ofObject = (reader: Reader, actor: Actor, object: string) =>
  reader.selectFrom('node').where('account', '=', actor.account).where('object_id', '=', object)

async function countOf(nodes: ReturnType<typeof ofObject>): Promise<number> {
  const { count } = await nodes.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  return count
}

/** The dry run of a level's removal: instances that move up or are deleted, and name conflicts. Changes nothing. */
export async function planLevelDeletion(reader: Reader, actor: Actor, model: Model, id: string): Promise<Loss> {
  const level = levelOf(model, id)
  const child = present(chainOf(model).find((object) => object.above === level.id))
  const [goes, moves, conflicts] = await Promise.all([
    instances(reader, actor, level.id),
    instances(reader, actor, child.id),
    findConflicts(reader, actor, level.id, child.id),
  ])
  return {
    moves: moves.listed,
    moves_count: moves.count,
    goes: goes.listed,
    count: goes.count,
    conflicts: conflicts.map(({ name, parent, count }) => ({ bk_inst_name: name, parent_name: parent, count })),
    // Hosts stay in their modules.
    hosts: 0,
  }
}

async function instances(reader: Reader, actor: Actor, object: string) {
  const all = ofObject(reader, actor, object).where('built_in', '=', 0)
  const [count, listed] = await Promise.all([
    countOf(all),
    all
      .select(['object_id as bk_obj_id', 'inst_id as bk_inst_id', 'name as bk_inst_name'])
      .orderBy('inst_id')
      .limit(mostListed)
      .execute(),
  ])
  return { count, listed }
}
