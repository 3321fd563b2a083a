import { type Endpoint, privileges, problem } from '@mainline/contract'
import { handle, type Request, type Route } from '../../platform/http/route.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { type Question, showVerdict, verdictOn } from './explain.ts'
import { everything, giveGroup, showGiven, union } from './given.ts'
import { createGroup, deleteGroup, findGroup, isLong, searchGroups, showGroup, updateGroup } from './groups.ts'
import { bindRole, boundTo } from './roles.ts'
import { readStanding } from './standing.ts'

/** `operations` are all that the service has: any of them can be asked about. */
export function privilegeRoutes(
  storage: Storage,
  admins: readonly string[],
  operations: () => readonly Endpoint[],
): Route[] {
  const { read, heavy, change } = storage
  const nothing = async (changing: Promise<void>) => {
    await changing
    return null
  }

  return [
    handle(privileges.getRolePrivilege, ({ actor, params }) => boundTo(read, actor.account, params)),
    handle(privileges.bindRolePrivilege, ({ actor, params, body }) =>
      nothing(change(actor, (tx) => bindRole(tx, params, body))),
    ),

    handle(privileges.createUserGroup, ({ actor, body }) =>
      nothing(change(actor, (tx) => createGroup(tx, body), { bulk: isLong(body.user_list) })),
    ),
    handle(
      privileges.updateUserGroup,
      // What it takes away may be long, too.
      ({ actor, params, body }) =>
        nothing(change(actor, (tx) => updateGroup(tx, params.group_id, body), { bulk: true })),
      ({ actor, params }) => findGroup(read, actor.account, params.group_id),
    ),
    handle(privileges.searchUserGroup, async ({ actor, body }) =>
      (await searchGroups(heavy, actor.account, body)).map(showGroup),
    ),
    handle(privileges.deleteUserGroup, ({ actor, params }) =>
      nothing(change(actor, (tx) => deleteGroup(tx, params.bk_group_id), { bulk: true })),
    ),

    handle(privileges.searchGroupPrivilege, async ({ actor, params }) => {
      const group = await findGroup(read, actor.account, params.group_id)
      return { group_id: group.group_id, ...showGiven(actor.account, JSON.parse(group.privileges)) }
    }),
    handle(privileges.getUserPrivilege, async ({ actor, params }) => {
      const { groups } = await readStanding(read, { account: actor.account, user: params.user_name })
      const isAdministrator = admins.includes(params.user_name)
      const given = isAdministrator ? await everything(read, actor.account) : union(groups)
      const first = groups[0]?.id ?? ''
      const ids = groups.map((group) => group.id)
      return { bk_group_id: first, group_id: first, groups: ids, ...showGiven(actor.account, given) }
    }),
    handle(
      privileges.updateGroupPrivilege,
      ({ actor, params, body }) => nothing(change(actor, (tx) => giveGroup(tx, params.group_id, body))),
      ({ actor, params }) => findGroup(read, actor.account, params.group_id),
    ),

    handle(privileges.explainPrivilege, async ({ actor, params, query }) => {
      const question = readQuestion(query)
      const subject = { account: actor.account, user: params.user_name }
      const verdict = await verdictOn(storage, admins, operations(), subject, question)
      const { operation } = question
      return { user_name: params.user_name, operation, ...showVerdict(verdict, actor.language) }
    }),
  ]
}

/** What stands behind the question mark; what is sent twice is a list, and no question. */
function readQuestion({ operation, ...about }: Request['query']): Question {
  if (operation === undefined || operation === '') throw problem('unassigned', { field: 'operation' })
  for (const [field, value] of Object.entries({ operation, ...about })) {
    if (typeof value !== 'string') throw problem('notString', { field })
  }
  return { operation, about }
}
