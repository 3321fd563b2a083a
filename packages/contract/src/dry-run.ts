import Type from 'typebox'
import { Success } from './vocabulary.ts'

/** The query of an operation that can tell what it would do. */
export const dryRun = { dry_run: 'true tells what would be deleted and changes nothing' }

export const mostListed = 1_000

const Planned = Type.Object({ bk_obj_id: Type.String(), bk_inst_id: Type.Integer(), bk_inst_name: Type.String() })

/** What a deletion would do, told before it is done. */
export const Loss = Type.Object({
  moves: Type.Array(Planned, {
    description: `instances that would move to another parent, at most ${mostListed} of them`,
  }),
  moves_count: Type.Integer({ description: 'how many instances would move' }),
  goes: Type.Array(Planned, {
    description: `instances that would be deleted, from the top down, at most ${mostListed} of them`,
  }),
  count: Type.Integer({ description: 'how many instances would be deleted' }),
  conflicts: Type.Array(
    Type.Object({ bk_inst_name: Type.String(), parent_name: Type.String(), count: Type.Integer() }),
    { description: 'names that would clash under one parent; the deletion is refused unless there are none' },
  ),
  hosts: Type.Integer({ description: 'how many hosts stand in the way; the deletion is refused unless it is 0' }),
})

/** What a deletion answers, done or only tried. */
export const Deleted = Type.Union([Success, Loss])
