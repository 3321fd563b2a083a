import {
  type Allow,
  type BackConfig,
  type GlobalBusiness,
  type ModelAction,
  type RolePrivilege,
  rolePrivileges,
} from '@mainline/contract'
import type { Reader } from '../../platform/storage/index.ts'
import { nowhere, type Places, placesOfHosts, placesOfInstances } from './places.ts'
import type { Concerning, Standing } from './standing.ts'

/** One thing that can be held. */
export type Claim =
  | { readonly what: 'role'; readonly privilege: RolePrivilege; readonly business: number }
  /** All that can be bound to a role. */
  | { readonly what: 'everyRole'; readonly business: number }
  /** Where it is not clear which business is meant: in whichever. */
  | { readonly what: 'somewhere'; readonly privilege: RolePrivilege }
  | { readonly what: 'entry'; readonly entry: BackConfig | GlobalBusiness }
  | { readonly what: 'action'; readonly object: string; readonly action: ModelAction }
  | { readonly what: 'self'; readonly user: string }
  | { readonly what: 'member'; readonly group: string }
  | { readonly what: 'administrator' | 'nothing' | 'ownBusinesses' }

/** Any one of these will do. */
export type Demand = readonly [Claim, ...Claim[]]

/** A request as the guard sees it: before its body has been checked. */
export interface Asked {
  readonly allow: Allow
  readonly params: Readonly<Record<string, unknown>>
  readonly body: unknown
}

/** More ids than this are looked up by the heavy reader. */
const few = 200
/** A list of instances may hold so many; longer ones are refused with the body. */
const mostInstances = 200

export interface Readers {
  readonly read: Reader
  readonly heavy: Reader
}

/** What the verdict depends on beside the user, as far as the request says it by one id or name. */
export function concerning({ allow, params, body }: Asked): Concerning {
  const inBusiness = (sent: unknown) => ({ business: readId(sent) ?? 0 })
  switch (allow.need) {
    case 'role':
      return inBusiness(allow.in === 'body' ? valueIn(body, allow.business) : params[allow.business])
    case 'business':
    case 'settling':
      return inBusiness(params.bk_biz_id)
    case 'placing':
      return inBusiness(valueIn(body, 'bk_biz_id'))
    case 'instances':
      return { object: String(params.bk_obj_id), ...inBusiness(valueIn(body, 'bk_biz_id')) }
    default:
      return {}
  }
}

/** Where the hosts or instances stand that the request names; undefined where it is not about such. */
export async function placesListed(
  { read, heavy }: Readers,
  account: string,
  asked: Asked,
): Promise<Places | undefined> {
  const { allow, params, body } = asked
  if (allow.need === 'hosts') {
    const ids = hostIds(valueIn(body, 'bk_host_id'))
    return ids.length === 0 ? nowhere : placesOfHosts(ids.length > few ? heavy : read, account, ids)
  }
  if (allow.need === 'instances' && (allow.action === 'update' || allow.action === 'delete')) {
    const ids = instanceIds(params, body)
    return ids.length === 0 ? nowhere : placesOfInstances(read, account, String(params.bk_obj_id), ids)
  }
  return undefined
}

/** What the caller must hold: every one of these. */
export function demandsOf({ allow, params, body }: Asked, standing: Standing, places: Places): readonly Demand[] {
  const resource: Claim = { what: 'entry', entry: 'resource' }
  switch (allow.need) {
    case 'nothing':
    case 'administrator':
      return [[{ what: allow.need }]]
    case 'group':
      return [[{ what: 'entry', entry: allow.entry }]]
    case 'auditedBusiness':
      return [[{ what: 'entry', entry: 'audit' }, { what: 'ownBusinesses' }]]
    case 'self':
      return [[{ what: 'self', user: String(params[allow.user]) }]]
    case 'member':
      return [[{ what: 'member', group: String(params[allow.group]) }]]
    case 'role': {
      const sent = allow.in === 'body' ? valueIn(body, allow.business) : params[allow.business]
      return [[inBusiness(allow.privilege, readId(sent))]]
    }
    case 'business': {
      const business = readId(params.bk_biz_id)
      const sent = typeof body === 'object' && body !== null ? Object.keys(body) : []
      const any: Demand = [inBusiness('topoupdate', business)]
      const namesRoles = business !== undefined && sent.some((key) => standing.roles.has(key))
      return namesRoles ? [any, [{ what: 'everyRole', business }]] : [any]
    }
    case 'placing': {
      const business = readId(valueIn(body, 'bk_biz_id'))
      if (business === undefined || standing.place?.pool) return [[resource]]
      return [[inBusiness('hosttrans', business), resource]]
    }
    case 'settling':
      return [[standing.place?.pool ? resource : inBusiness('hosttrans', readId(params.bk_biz_id))]]
    case 'hosts':
      return inPlaces(places, allow.privilege, resource)
    case 'instances': {
      const { action } = allow
      if (!standing.level) return [[{ what: 'action', object: String(params.bk_obj_id), action }]]
      if (action === 'search') return [[{ what: 'nothing' }]]
      if (action !== 'create') return inPlaces(places, 'topoupdate')
      return [[inBusiness('topoupdate', readId(valueIn(body, 'bk_biz_id')))]]
    }
  }
}

const inBusiness = (privilege: RolePrivilege, business: number | undefined): Claim =>
  business === undefined ? { what: 'somewhere', privilege } : { what: 'role', privilege, business }

/** The privilege in every one of the places; in the pool, where nobody has a role, what stands for it. */
function inPlaces({ found, unclear }: Places, privilege: RolePrivilege, inPool?: Claim): Demand[] {
  const demands = found.map(
    ({ pool, business }): Demand => [pool && inPool ? inPool : { what: 'role', privilege, business }],
  )
  if (!unclear) return demands
  return [...demands, [{ what: 'somewhere', privilege }, ...(inPool ? [inPool] : [])]]
}

/** Privileges that make up a claim on roles. */
export const privilegesOf = (claim: Claim): readonly RolePrivilege[] =>
  claim.what === 'everyRole' ? rolePrivileges : claim.what === 'role' ? [claim.privilege] : []

const valueIn = (body: unknown, key: string): unknown =>
  typeof body === 'object' && body !== null && Object.hasOwn(body, key)
    ? (body as Record<string, unknown>)[key]
    : undefined

/** Lenient, since the body is checked later: whatever a handler could take for an id is taken for it here. */
function readId(sent: unknown): number | undefined {
  const id = typeof sent === 'string' ? Number(sent.trim()) : sent
  return typeof id === 'number' && Number.isSafeInteger(id) && id >= 1 ? id : undefined
}

/** `bk_host_id` as clients send it: a number, a comma list, or an array of either. */
export function hostIds(sent: unknown): number[] {
  const parts = Array.isArray(sent) ? sent : typeof sent === 'string' ? sent.split(',') : [sent]
  return parts.flatMap((part) =>
    typeof part === 'string' && part.includes(',') ? hostIds(part) : (readId(part) ?? []),
  )
}

function instanceIds(params: Asked['params'], body: unknown): number[] {
  const listed = valueIn(valueIn(body, 'delete'), 'inst_ids')
  const sent =
    params.bk_inst_id === undefined && Array.isArray(listed) ? listed.slice(0, mostInstances) : [params.bk_inst_id]
  return sent.flatMap((id) => readId(id) ?? [])
}
