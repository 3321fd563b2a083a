import {
  type Allow,
  type BackConfig,
  type GlobalBusiness,
  type ModelAction,
  type RolePrivilege,
  rolePrivileges,
} from '@mainline/contract'
import type { Reader } from '../../storage/index.ts'
import type { Concerning, Grants } from './grants.ts'
import { nowhere, type Places, placesOfHosts, placesOfInstances } from './places.ts'

/** A privilege that a caller may hold. */
export type Claim =
  | { readonly what: 'role'; readonly privilege: RolePrivilege; readonly business: number }
  /** All privileges that can be bound to a role. */
  | { readonly what: 'everyRole'; readonly business: number }
  /** In any business, if the request does not tell which one is meant. */
  | { readonly what: 'somewhere'; readonly privilege: RolePrivilege }
  | { readonly what: 'entry'; readonly entry: BackConfig | GlobalBusiness }
  | { readonly what: 'action'; readonly object: string; readonly action: ModelAction }
  | { readonly what: 'self'; readonly user: string }
  | { readonly what: 'member'; readonly group: string }
  | { readonly what: 'administrator' | 'nothing' | 'ownBusinesses' }

/** Alternatives, of which one is sufficient. */
export type Demand = readonly [Claim, ...Claim[]]

/** A request as the guard sees it; its body has not been validated. */
export interface JudgedRequest {
  readonly allow: Allow
  readonly params: Readonly<Record<string, unknown>>
  readonly body: unknown
  /** The instances are of an object of the main line, levels or not. */
  readonly onMainLine?: boolean
}

/** Larger sets of ids are looked up by the heavy reader. */
const maxIdsOnEventLoop = 200
/** The limit of a list of instances; longer lists are refused by body validation. */
const maxInstances = 200

export interface Readers {
  readonly read: Reader
  readonly heavy: Reader
}

/** The object or business that the request names by a single id or name. */
export function concerning({ allow, params, body }: JudgedRequest): Concerning {
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

/** The businesses of the hosts or instances in the request; undefined if it names none. */
export async function placesListed(
  { read, heavy }: Readers,
  account: string,
  asked: JudgedRequest,
): Promise<Places | undefined> {
  const { allow, params, body } = asked
  if (allow.need === 'hosts') {
    const ids = hostIds(valueIn(body, 'bk_host_id'))
    return ids.length === 0 ? nowhere : placesOfHosts(ids.length > maxIdsOnEventLoop ? heavy : read, account, ids)
  }
  if (allow.need === 'instances' && (allow.action === 'update' || allow.action === 'delete')) {
    const ids = instanceIds(params, body)
    return ids.length === 0 ? nowhere : placesOfInstances(read, account, String(params.bk_obj_id), ids)
  }
  return undefined
}

/** The demands of a request, all of which must be met. */
export function demandsOf(
  { allow, params, body, onMainLine }: JudgedRequest,
  grants: Grants,
  places: Places,
): readonly Demand[] {
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
      const namesRoles = business !== undefined && sent.some((key) => grants.roles.has(key))
      return namesRoles ? [any, [{ what: 'everyRole', business }]] : [any]
    }
    case 'placing': {
      const business = readId(valueIn(body, 'bk_biz_id'))
      if (business === undefined || grants.place?.pool) return [[resource]]
      return [[inBusiness('hosttrans', business), resource]]
    }
    case 'settling':
      return [[grants.place?.pool ? resource : inBusiness('hosttrans', readId(params.bk_biz_id))]]
    case 'hosts':
      return inPlaces(places, allow.privilege, resource)
    case 'association':
      throw new Error('an association is judged by its ends')
    case 'instances': {
      const { action } = allow
      if (!grants.level && !onMainLine) return [[{ what: 'action', object: String(params.bk_obj_id), action }]]
      if (action === 'search') return [[{ what: 'nothing' }]]
      if (action !== 'create') return inPlaces(places, 'topoupdate')
      return [[inBusiness('topoupdate', readId(valueIn(body, 'bk_biz_id')))]]
    }
  }
}

const inBusiness = (privilege: RolePrivilege, business: number | undefined): Claim =>
  business === undefined ? { what: 'somewhere', privilege } : { what: 'role', privilege, business }

/** The privilege in every place; the resource pool has no roles, so there `inPool` is required instead. */
function inPlaces({ found, unclear }: Places, privilege: RolePrivilege, inPool?: Claim): Demand[] {
  const demands = found.map(
    ({ pool, business }): Demand => [pool && inPool ? inPool : { what: 'role', privilege, business }],
  )
  if (!unclear) return demands
  return [...demands, [{ what: 'somewhere', privilege }, ...(inPool ? [inPool] : [])]]
}

/** The role privileges of a claim. */
export const privilegesOf = (claim: Claim): readonly RolePrivilege[] =>
  claim.what === 'everyRole' ? rolePrivileges : claim.what === 'role' ? [claim.privilege] : []

const valueIn = (body: unknown, key: string): unknown =>
  typeof body === 'object' && body !== null && Object.hasOwn(body, key)
    ? (body as Record<string, unknown>)[key]
    : undefined

/** Lenient, since the body is validated later: accepts everything that a handler could accept as an id. */
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

function instanceIds(params: JudgedRequest['params'], body: unknown): number[] {
  const listed = valueIn(valueIn(body, 'delete'), 'inst_ids')
  const sent =
    params.bk_inst_id === undefined && Array.isArray(listed) ? listed.slice(0, maxInstances) : [params.bk_inst_id]
  return sent.flatMap((id) => readId(id) ?? [])
}
