import Type, { type Static } from 'typebox'
import { Success } from './vocabulary.ts'

/** The query parameter of operations with a dry run. */
export const dryRun = { dry_run: 'true tells what would be deleted and changes nothing' }

export const mostListed = 1_000

const Planned = Type.Object({ bk_obj_id: Type.String(), bk_inst_id: Type.Integer(), bk_inst_name: Type.String() })

/** The effect of a deletion, computed by a dry run. */
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
    { description: 'names that would be duplicated under one parent; the deletion is rejected unless there are none' },
  ),
  hosts: Type.Integer({ description: 'number of hosts that prevent the deletion; it is rejected unless this is 0' }),
})
export type Loss = Static<typeof Loss>

/** The answer of a deletion or its dry run. */
export const Deleted = Type.Union([Success, Loss])
