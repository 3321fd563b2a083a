import { mostListed } from '@mainline/contract'
import type { Actor, Reader } from '../../platform/storage/index.ts'
import type { Model, ObjectModel } from '../model/index.ts'
import { chainOf } from './chain.ts'
import { findConflicts, levelOf } from './levels.ts'

/** What taking a level out would do: who would move up, who would go, and which names would clash. Changes nothing. */
export async function planLevelDeletion(reader: Reader, actor: Actor, model: Model, id: string) {
  const level = levelOf(model, id)
  const child = chainOf(model).find((object) => object.above === level.id) as ObjectModel
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
    // They go with the module they are in, wherever that moves.
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
