import { type RolePrivilege, type Rule, rolePrivileges, rule } from '@mainline/contract'
import {
  type Asked,
  type Claim,
  concerning,
  type Demand,
  demandsOf,
  placesListed,
  privilegesOf,
  type Readers,
} from './demand.ts'
import { businessesNaming, type Places } from './places.ts'
import { type Group, hasAction, hasEntry, readStanding, rolesNaming, type Standing, type Subject } from './standing.ts'

/** What something is held through, and the same in a sentence. */
export type Ground = { readonly why: Rule } & (
  | { readonly by: 'rule'; readonly rule: 'administrator' | 'anyone' | 'self' | 'own_businesses' }
  | {
      readonly by: 'role'
      readonly business: number
      readonly roles: readonly string[]
      readonly privileges: readonly RolePrivilege[]
    }
  | { readonly by: 'group'; readonly group: Group }
)

/** Allowed when nothing is missing. */
export interface Verdict {
  readonly grounds: readonly Ground[]
  readonly missing: readonly Rule[]
  /** What was judged does not say enough: it could be allowed, and could not be done. */
  readonly unclear: boolean
}

/** What is known about the one who is judged. */
interface Evidence {
  readonly readers: Readers
  readonly subject: Subject
  readonly standing: Standing
  readonly places: Places
}

const stranger: Standing = { roles: new Map(), groups: [], level: false, place: undefined }

/** The one judgement: the guard acts on it, explanations are made from it. */
export async function judge(
  readers: Readers,
  admins: readonly string[],
  subject: Subject,
  asked: Asked,
): Promise<Verdict> {
  const { user, account } = subject
  if (admins.includes(user)) {
    const why = rule('isAdministrator', { user })
    return { grounds: [{ by: 'rule', rule: 'administrator', why }], missing: [], unclear: false }
  }
  // Nothing that is kept bears on these.
  const open = asked.allow.need === 'nothing' || asked.allow.need === 'administrator'
  const [standing, listed] = open
    ? [stranger, undefined]
    : await Promise.all([readStanding(readers.read, subject, concerning(asked)), placesListed(readers, account, asked)])
  const places = listed ?? { found: standing.place ? [standing.place] : [], unclear: false }
  const evidence = { readers, subject, standing, places }
  const demands = demandsOf(asked, standing, places)
  const weighed = await Promise.all(demands.map((demand) => weigh(demand, evidence)))
  return {
    grounds: weighed.flatMap((each) => ('by' in each ? [each] : [])),
    missing: weighed.flatMap((each) => ('missing' in each ? [each.missing] : [])),
    unclear: demands.flat().some((claim) => claim.what === 'somewhere'),
  }
}

async function weigh(demand: Demand, evidence: Evidence): Promise<Ground | { missing: Rule }> {
  for (const claim of demand) {
    const ground = await groundFor(claim, evidence)
    if (ground) return ground
  }
  const [first, ...rest] = demand.map((claim) => lack(claim, evidence)) as [Rule, ...Rule[]]
  return { missing: rest.reduce((one, other) => rule('needsEither', { one, other }), first) }
}

async function groundFor(claim: Claim, { readers, subject, standing, places }: Evidence): Promise<Ground | undefined> {
  const { user } = subject
  switch (claim.what) {
    case 'nothing':
      return { by: 'rule', rule: 'anyone', why: rule('openToAll') }
    case 'ownBusinesses':
      return { by: 'rule', rule: 'own_businesses', why: rule('seesOwn', { user }) }
    case 'administrator':
      return undefined
    case 'self':
      return claim.user === user ? { by: 'rule', rule: 'self', why: rule('isOneself', { user }) } : undefined
    case 'member': {
      const group = standing.groups.find((each) => each.id === claim.group)
      return group && { by: 'group', group, why: rule('isMember', { user, group: group.name }) }
    }
    case 'entry': {
      const group = standing.groups.find((each) => hasEntry(each, claim.entry))
      return group && { by: 'group', group, why: byGroup(user, group, `'${claim.entry}'`) }
    }
    case 'action': {
      const { object, action } = claim
      const group = standing.groups.find((each) => hasAction(each, object, action))
      return group && { by: 'group', group, why: byGroup(user, group, `model_config ${object} '${action}'`) }
    }
    case 'somewhere': {
      const roles = rolesWith(standing, claim.privilege)
      const [business] = await businessesNaming(readers.heavy, subject, roles)
      return business === undefined ? undefined : groundOfRoles(business, roles, [claim.privilege], user)
    }
    case 'role':
    case 'everyRole': {
      const naming = rolesHeld(claim.business, subject, standing, places)
      const privileges = privilegesOf(claim)
      // Of several roles that name the user, those that are needed.
      const roles = naming.filter((role) => privileges.some((each) => standing.roles.get(role)?.includes(each)))
      const all = privileges.every((each) => roles.some((role) => standing.roles.get(role)?.includes(each)))
      return all ? groundOfRoles(claim.business, roles, privileges, user) : undefined
    }
  }
}

const byGroup = (user: string, group: Group, what: string): Rule =>
  rule('holdsByGroup', { user, group: group.name, what })

const groundOfRoles = (
  business: number,
  roles: readonly string[],
  privileges: readonly RolePrivilege[],
  user: string,
): Ground => ({
  by: 'role',
  business,
  roles,
  privileges,
  why: rule('holdsByRole', { user, business, roles: roles.join(', '), privileges: privileges.join(', ') }),
})

/** The roles that a privilege is bound to. */
const rolesWith = ({ roles }: Standing, privilege: RolePrivilege): string[] =>
  [...roles].filter(([, bound]) => bound.includes(privilege)).map(([role]) => role)

function rolesHeld(business: number, { user }: Subject, standing: Standing, places: Places): string[] {
  const place = places.found.find((each) => each.business === business)
  return place ? rolesNaming(place, standing.roles.keys(), user) : []
}

/** What is missing, where, and how it could be had. */
function lack(claim: Claim, { subject, standing, places }: Evidence): Rule {
  const { user } = subject
  switch (claim.what) {
    case 'role': {
      const { privilege, business } = claim
      const roles = rolesWith(standing, privilege)
      return roles.length === 0
        ? rule('needsBinding', { privilege, business, user })
        : rule('needsRole', { privilege, business, user, roles: roles.join(', ') })
    }
    case 'everyRole': {
      const { business } = claim
      const naming = rolesHeld(business, subject, standing, places)
      const lacking = rolePrivileges.filter((each) => !naming.some((role) => standing.roles.get(role)?.includes(each)))
      return rule('needsAll', { business, user, privileges: rolePrivileges.join(', '), missing: lacking.join(', ') })
    }
    case 'somewhere':
      return rule('needsSomewhere', { privilege: claim.privilege, user })
    case 'entry':
      return rule('needsGroup', { entry: claim.entry, user })
    case 'action':
      return rule('needsAction', { action: claim.action, object: claim.object, user })
    case 'self':
      return rule('onlyOneself', { user: claim.user })
    case 'member':
      return rule('onlyMembers')
    case 'administrator':
    case 'nothing':
    case 'ownBusinesses':
      return rule('administratorOnly')
  }
}
