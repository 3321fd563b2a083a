import { type RolePrivilege, type Rule, rule } from '@mainline/contract'
import {
  type Claim,
  concerning,
  type Demand,
  demandsOf,
  type JudgedRequest,
  placesListed,
  privilegesOf,
  type Readers,
} from './demand.ts'
import { type AssociationRequest, isAboutAssociation, requestsAtEnds } from './ends.ts'
import { type Evidence, rolesHeld, rolesWith } from './evidence.ts'
import { type Grants, type Group, hasAction, hasEntry, namesInRoles, readGrants, type Subject } from './grants.ts'
import { type Missing, missingGrant, needsEither } from './missing.ts'
import { businessesListing } from './places.ts'

/** The ground for a privilege: a rule, a role or a group; `why` is its text. */
export type Ground = { readonly why: Rule } & (
  | { readonly by: 'rule'; readonly rule: 'administrator' | 'anyone' | 'self' | 'own_businesses' }
  | {
      readonly by: 'role'
      readonly business: number
      readonly roles: readonly string[]
      readonly privileges: readonly RolePrivilege[]
      /** The groups by which the roles list the user; empty if they list the user itself. */
      readonly groups: readonly string[]
    }
  | { readonly by: 'group'; readonly group: Group }
)

/** Allowed when nothing is missing. */
export interface Verdict {
  readonly grounds: readonly Ground[]
  readonly missing: readonly Missing[]
  /** The request lacks information: it would pass the guard, but cannot succeed. */
  readonly unclear: boolean
}

const stranger: Grants = { roles: new Map(), groups: [], level: false, place: undefined }

/** The only implementation of verdicts, used by the guard and by explanations. */
export async function judge(
  readers: Readers,
  admins: readonly string[],
  subject: Subject,
  request: JudgedRequest,
): Promise<Verdict> {
  const { user } = subject
  if (admins.includes(user)) {
    const why = rule('isAdministrator', { user })
    return { grounds: [{ by: 'rule', rule: 'administrator', why }], missing: [], unclear: false }
  }
  return isAboutAssociation(request)
    ? judgeAssociation(readers, subject, request)
    : judgeRequest(readers, subject, request)
}

async function judgeAssociation(readers: Readers, subject: Subject, asked: AssociationRequest): Promise<Verdict> {
  const { of, requests } = await requestsAtEnds(readers.read, subject.account, asked)
  const verdicts = await Promise.all(requests.map((each) => judgeRequest(readers, subject, each)))
  const allowed = of === 'any' ? verdicts.find(({ missing }) => missing.length === 0) : undefined
  if (allowed) return allowed
  const missing = verdicts.flatMap((verdict) => verdict.missing)
  return {
    grounds: verdicts.flatMap(({ grounds }) => grounds),
    missing: of === 'any' ? [needsEither(missing)] : missing,
    unclear: verdicts.some(({ unclear }) => unclear),
  }
}

async function judgeRequest(readers: Readers, subject: Subject, asked: JudgedRequest): Promise<Verdict> {
  // These need no stored grants.
  const open = asked.allow.need === 'nothing' || asked.allow.need === 'administrator'
  const [grants, listed] = open
    ? [stranger, undefined]
    : await Promise.all([
        readGrants(readers.read, subject, concerning(asked)),
        placesListed(readers, subject.account, asked),
      ])
  const places = listed ?? { found: grants.place ? [grants.place] : [], unclear: false }
  const evidence = { readers, subject, grants, places }
  const demands = demandsOf(asked, grants, places)
  const weighed = await Promise.all(demands.map((demand) => weigh(demand, evidence)))
  return {
    grounds: weighed.flatMap((each) => ('by' in each ? [each] : [])),
    missing: weighed.flatMap((each) => ('missing' in each ? [each.missing] : [])),
    unclear: demands.flat().some((claim) => claim.what === 'somewhere'),
  }
}

async function weigh(demand: Demand, evidence: Evidence): Promise<Ground | { missing: Missing }> {
  for (const claim of demand) {
    const ground = await groundFor(claim, evidence)
    if (ground) return ground
  }
  return { missing: needsEither(demand.map((claim) => missingGrant(claim, evidence))) }
}

async function groundFor(claim: Claim, { readers, subject, grants, places }: Evidence): Promise<Ground | undefined> {
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
      const group = grants.groups.find((each) => each.id === claim.group)
      return group && { by: 'group', group, why: rule('isMember', { user, group: group.name }) }
    }
    case 'entry': {
      const group = grants.groups.find((each) => hasEntry(each, claim.entry))
      return group && { by: 'group', group, why: byGroup(user, group, `'${claim.entry}'`) }
    }
    case 'action': {
      const { object, action } = claim
      const group = grants.groups.find((each) => hasAction(each, object, action))
      return group && { by: 'group', group, why: byGroup(user, group, `model_config ${object} '${action}'`) }
    }
    case 'somewhere': {
      const roles = rolesWith(grants, claim.privilege)
      const names = namesInRoles(user, grants.groups)
      const [business] = await businessesListing(readers.heavy, subject.account, names, roles)
      return business === undefined ? undefined : groundOfRoles(business, roles, [claim.privilege], user, [])
    }
    case 'role':
    case 'everyRole': {
      const held = rolesHeld(claim.business, subject, grants, places)
      const privileges = privilegesOf(claim)
      // Of the user's roles, only those that contribute.
      const roles = [...held.keys()].filter((role) => privileges.some((each) => grants.roles.get(role)?.includes(each)))
      const all = privileges.every((each) => roles.some((role) => grants.roles.get(role)?.includes(each)))
      return all ? groundOfRoles(claim.business, roles, privileges, user, groupsBehind(held, roles, user)) : undefined
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
  groups: readonly string[],
): Ground => {
  const held = { user, business, roles: roles.join(', '), privileges: privileges.join(', ') }
  const why =
    groups.length === 0 ? rule('holdsByRole', held) : rule('holdsByRoleOfGroup', { ...held, groups: groups.join(', ') })
  return { by: 'role', business, roles, privileges, groups, why }
}

/** The groups without which the user would not hold these roles. */
function groupsBehind(held: ReadonlyMap<string, readonly string[]>, roles: readonly string[], user: string): string[] {
  const behind = roles.flatMap((role) => {
    const names = held.get(role) ?? []
    return names.includes(user) ? [] : names
  })
  return [...new Set(behind)]
}
