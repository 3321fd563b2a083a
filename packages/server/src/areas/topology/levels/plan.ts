import { type Loss, mostListed } from '@mainline/contract'
import { present } from '../../../common/present.ts'
import type { Actor, Reader } from '../../../storage/index.ts'
import type { Model } from '../../model/index.ts'
import { chainOf } from './chain.ts'
import { findConflicts, levelOf } from './levels.ts'

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
  const all = reader
    .selectFrom('node')
    .where('account', '=', actor.account)
    .where('object_id', '=', object)
    .where('built_in', '=', 0)
  const [{ count }, listed] = await Promise.all([
    all.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow(),
    all
      .select(['object_id as bk_obj_id', 'inst_id as bk_inst_id', 'name as bk_inst_name'])
      .orderBy('inst_id')
      .limit(mostListed)
      .execute(),
  ])
  return { count, listed }
}
