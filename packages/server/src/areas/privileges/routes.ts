import { type Endpoint, privileges, problem } from '@mainline/contract'
import { Versioned } from '../../http/page.ts'
import { handle, type Request, type Route } from '../../http/route.ts'
import type { Storage } from '../../storage/index.ts'
import { type Question, showVerdict, verdictOn } from './explain.ts'
import { allGrants, giveGroup, showGiven, union } from './given.ts'
import { readGrants } from './grants.ts'
import { createGroup, deleteGroup, findGroup, isLong, searchGroups, showGroup, updateGroup } from './groups.ts'
import { bindRole, boundTo } from './roles.ts'

/** `operations`: all endpoints of the service, for which verdicts can be explained. */
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
      // The previous list may be long, too.
      ({ actor, params, body }) =>
        nothing(change(actor, (tx) => updateGroup(tx, params.group_id, body), { bulk: true })),
      ({ actor, params }) => findGroup(read, actor.account, params.group_id),
    ),
    handle(privileges.searchUserGroup, async ({ actor, body }) =>
      (await searchGroups(heavy, actor.account, body)).map((row) => ({
        ...showGroup(row),
        ...(body.fields?.includes('bk_revision') && { bk_revision: row.revision }),
      })),
    ),
    handle(privileges.deleteUserGroup, ({ actor, params }) =>
      nothing(change(actor, (tx) => deleteGroup(tx, params.bk_group_id), { bulk: true })),
    ),

    handle(privileges.searchGroupPrivilege, async ({ actor, params }) => {
      const group = await findGroup(read, actor.account, params.group_id)
      const given = showGiven(actor.account, JSON.parse(group.privileges))
      return new Versioned({ group_id: group.group_id, ...given }, group.revision)
    }),
    handle(privileges.getUserPrivilege, async ({ actor, params }) => {
      const { groups } = await readGrants(read, { account: actor.account, user: params.user_name })
      const isAdministrator = admins.includes(params.user_name)
      const given = isAdministrator ? await allGrants(read, actor.account) : union(groups)
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

/** Reads the query parameters; a repeated parameter is an array and refused. */
function readQuestion({ operation, ...about }: Request['query']): Question {
  if (operation === undefined || operation === '') throw problem('unassigned', { field: 'operation' })
  for (const [field, value] of Object.entries({ operation, ...about })) {
    if (typeof value !== 'string') throw problem('notString', { field })
  }
  return { operation, about }
}
