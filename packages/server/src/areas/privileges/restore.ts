// Groups that return under their old ids, or get former values back.
import { problem } from '@mainline/contract'
import { readOwnJson } from '../../common/own-json.ts'
import { insertMany, refuse, type Tx } from '../../storage/index.ts'
import { giveGroup } from './given.ts'
import { type GroupRow, insertMembers, showGroup, updateGroup } from './groups.ts'

/** A group with its grants parsed. */
export interface StoredGroup extends Omit<GroupRow, 'privileges'> {
  readonly privileges: Readonly<Record<string, unknown>>
}

interface StoredGrants {
  readonly global_busi: string[]
  readonly back_config: string[]
  readonly model_config: Record<string, Record<string, string[]>>
}

/** A copy of what this program has stored. */
const givenIn = ({ privileges }: StoredGroup) => readOwnJson<StoredGrants>(JSON.stringify(privileges))

/** Inserts and records a group that was deleted, with its members and grants. */
export async function restoreGroup(tx: Tx, { privileges, ...group }: StoredGroup): Promise<void> {
  tx.demandExclusive()
  const row = { ...group, privileges: JSON.stringify(privileges), account: tx.actor.account }
  await refuse(insertMany(tx, 'user_group', [row], { givenIds: true }), {
    user_group_name: () => problem('duplicate', { what: 'group_name' }),
  })
  await insertMembers(
    tx,
    group.id,
    group.user_list.split(';').filter((user) => user !== ''),
  )
  tx.record({
    operation: 'add',
    object: 'usergroup',
    instance: group.id,
    business: 0,
    description: 'create user group',
    revision: group.revision,
    before: null,
    after: { ...showGroup(group), ...privileges },
    events: [],
  })
}

/** Gives a group its former name, members and grants. */
export async function rewriteGroup(tx: Tx, group: StoredGroup): Promise<void> {
  const { group_id, name, user_list } = group
  await updateGroup(tx, group_id, { group_name: name, user_list })
  const { global_busi, back_config, model_config } = givenIn(group)
  await giveGroup(tx, group_id, { sys_config: { global_busi, back_config }, model_config })
}
