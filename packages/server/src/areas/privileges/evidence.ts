import type { RolePrivilege } from '@mainline/contract'
import type { Readers } from './demand.ts'
import { type Grants, namesInRoles, rolesListing, type Subject } from './grants.ts'
import type { Places } from './places.ts'

/** The facts that a verdict is based on. */
export interface Evidence {
  readonly readers: Readers
  readonly subject: Subject
  readonly grants: Grants
  readonly places: Places
}

/** The roles that have a privilege. */
export const rolesWith = ({ roles }: Grants, privilege: RolePrivilege): string[] =>
  [...roles].filter(([, bound]) => bound.includes(privilege)).map(([role]) => role)

export function rolesHeld(business: number, { user }: Subject, grants: Grants, places: Places): Map<string, string[]> {
  const place = places.found.find((each) => each.business === business)
  return place ? rolesListing(place, grants.roles.keys(), namesInRoles(user, grants.groups)) : new Map()
}
