import {
  type BackConfig,
  type GlobalBusiness,
  type RolePrivilege,
  type Rule,
  rolePrivileges,
  rule,
} from '@mainline/contract'
import { type Claim, privilegesOf } from './demand.ts'
import { type Evidence, rolesHeld, rolesWith } from './evidence.ts'

/** A missing privilege; `why` is its text. */
export interface Missing {
  readonly why: Rule
  /** For a privilege of a role: the business, and who in it holds the privilege and could be asked. */
  readonly needed?: {
    readonly business: number
    readonly privileges: readonly RolePrivilege[]
    readonly holders: readonly string[]
  }
  /** For an entry that groups grant. */
  readonly entry?: BackConfig | GlobalBusiness
}

/** Each alternative once: both ends of an association may be in the same business. */
export const needsEither = (missing: readonly Missing[]): Missing =>
  [...new Map(missing.map((each) => [each.why[0], each])).values()].reduce((one, other) => {
    const needed = one.needed ?? other.needed
    return { why: rule('needsEither', { one: one.why, other: other.why }), ...(needed && { needed }) }
  })

const maxHolders = 20

/** The users and groups that roles with all of these privileges list in a business. */
function holdersOf(business: number, privileges: readonly RolePrivilege[], { grants, places }: Evidence): string[] {
  const place = places.found.find((each) => each.business === business)
  const names = [...grants.roles]
    .filter(([, bound]) => privileges.every((each) => bound.includes(each)))
    .flatMap(([role]) => String(place?.attributes[role] ?? '').split(','))
  return [...new Set(names)].filter((name) => name !== '').slice(0, maxHolders)
}

export function missingGrant(claim: Claim, evidence: Evidence): Missing {
  const why = reasonFor(claim, evidence)
  if (claim.what === 'entry') return { why, entry: claim.entry }
  if (claim.what !== 'role' && claim.what !== 'everyRole') return { why }
  const { business } = claim
  const privileges = privilegesOf(claim)
  return { why, needed: { business, privileges, holders: holdersOf(business, privileges, evidence) } }
}

/** Names the missing privilege, the place, and who can grant it. */
function reasonFor(claim: Claim, { subject, grants, places }: Evidence): Rule {
  const { user } = subject
  switch (claim.what) {
    case 'role': {
      const { privilege, business } = claim
      const roles = rolesWith(grants, privilege)
      return roles.length === 0
        ? rule('needsBinding', { privilege, business, user })
        : rule('needsRole', { privilege, business, user, roles: roles.join(', ') })
    }
    case 'everyRole': {
      const { business } = claim
      const held = [...rolesHeld(business, subject, grants, places).keys()]
      const lacking = rolePrivileges.filter((each) => !held.some((role) => grants.roles.get(role)?.includes(each)))
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
