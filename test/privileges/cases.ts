import {
  type Allow,
  backConfigs,
  byGroup,
  globalBusinesses,
  inBusiness,
  inBusinessOfBody,
  modelActions,
  ofBusiness,
  ofHosts,
  ofInstances,
  placingHosts,
  type RolePrivilege,
  rolePrivileges,
} from '@mainline/contract'
import { type Entry, none, type Person, people, type World } from './world.ts'

/** A request of an endpoint as far as its verdict depends on it, and who may make it. */
export interface Case {
  readonly how: string
  readonly params?: Record<string, unknown>
  readonly body?: unknown
  /** The same as a query of explain_privilege; absent if the request lacks the information for an explanation. */
  readonly about?: Record<string, unknown>
  /** What `role` has and `otherRoles` lacks. */
  readonly privilege?: RolePrivilege
  /** What `otherGroups` lacks. */
  readonly entry?: Entry
  readonly allowed: readonly Person[]
}

const roleHolders: Person[] = ['role', 'maintainer', 'administrator']
const groupHolders: Person[] = ['group', 'administrator']
/** `elsewhere` holds everything in another business; a user without one group entry or one role has the others. */
const anywhere: Person[] = [...roleHolders, 'elsewhere']
const administrators: Person[] = ['administrator']

type Cases = { [Need in Allow['need']]: (allow: Extract<Allow, { need: Need }>, world: World) => Case[] }

/** The cases of each kind of `allow`. A new kind does not compile before it has cases here. */
const cases: Cases = {
  nothing: () => [{ how: 'anyhow', about: {}, allowed: people }],
  auditedBusiness: () => [{ how: 'anyhow', about: {}, allowed: people }],
  administrator: () => [{ how: 'anyhow', about: {}, allowed: administrators }],
  group: ({ entry }) => [{ how: 'anyhow', about: {}, entry, allowed: groupHolders }],
  role: ({ privilege, business: name, in: place }, { business }) => {
    const naming = (id: number) => ({ [name]: id })
    const where = (id: number) => (place === 'body' ? { body: naming(id) } : { params: naming(id) })
    return [
      { how: 'in a business', ...where(business), about: naming(business), privilege, allowed: roleHolders },
      { how: 'in no business', ...where(none), about: naming(none), privilege, allowed: administrators },
      ...(place === 'body' ? [{ how: 'naming no business', body: {}, privilege, allowed: anywhere }] : []),
    ]
  },
  business: (_, { business }) => {
    const one = { params: { bk_biz_id: business }, privilege: 'topoupdate' } as const
    const role = { bk_biz_tester: 7 }
    return [
      { how: 'its attributes', ...one, body: {}, about: one.params, allowed: roleHolders },
      {
        how: 'its roles',
        ...one,
        body: role,
        about: { ...one.params, ...role },
        allowed: ['maintainer', 'administrator'],
      },
    ]
  },
  // One host of each list does not exist, so that a permitted request changes nothing.
  hosts: ({ privilege }, { host, otherHost, poolHost }) => {
    const of = (bk_host_id: unknown) => ({ body: { bk_host_id }, privilege, entry: 'resource' as const })
    return [
      { how: 'of a business', ...of(`${host},${none}`), about: { bk_host_id: host }, allowed: roleHolders },
      { how: 'of the pool', ...of([poolHost, none]), about: { bk_host_id: poolHost }, allowed: groupHolders },
      {
        how: 'of two businesses',
        ...of([host, otherHost, none]),
        about: { bk_host_id: `${otherHost},${host}` },
        allowed: administrators,
      },
      {
        how: 'of a business and the pool',
        ...of([host, String(poolHost), none]),
        about: { bk_host_id: `${host},${poolHost}` },
        allowed: administrators,
      },
      { how: 'of nowhere', ...of(none), allowed: [...anywhere, 'group'] },
      { how: 'naming none', body: {}, privilege, entry: 'resource', allowed: [...anywhere, 'group'] },
    ]
  },
  placing: (_, { business, pool }) => {
    const to = (bk_biz_id: number) => ({
      body: { bk_biz_id },
      about: { bk_biz_id },
      privilege: 'hosttrans' as const,
      entry: 'resource' as const,
    })
    return [
      { how: 'to a business', ...to(business), allowed: [...roleHolders, 'group'] },
      { how: 'to the pool by its id', ...to(pool), allowed: groupHolders },
      { how: 'to no business', ...to(none), allowed: groupHolders },
      { how: 'to the pool', body: {}, about: {}, privilege: 'hosttrans', entry: 'resource', allowed: groupHolders },
    ]
  },
  settling: (_, { business, pool }) => {
    const into = (bk_biz_id: number) => ({
      params: { bk_biz_id },
      about: { bk_biz_id },
      privilege: 'hosttrans' as const,
      entry: 'resource' as const,
    })
    return [
      { how: 'into a business', ...into(business), allowed: roleHolders },
      { how: 'into the pool', ...into(pool), allowed: groupHolders },
      { how: 'into no business', ...into(none), allowed: administrators },
    ]
  },
  instances: ({ action }, { business, level, instance, object }) => {
    const of = (bk_obj_id: string, bk_inst_id: number) => ({
      params: { bk_obj_id, bk_inst_id },
      body: { bk_biz_id: business, delete: { inst_ids: [bk_inst_id] } },
      about: { bk_obj_id, bk_inst_id, bk_biz_id: business },
      privilege: 'topoupdate' as const,
      entry: action,
    })
    return [
      { how: 'of a level', ...of(level, instance), allowed: action === 'search' ? people : roleHolders },
      { how: 'of an object', ...of(object, none), allowed: groupHolders },
      { how: 'of no object', ...of('nosuch', none), allowed: administrators },
    ]
  },
  // The target does not exist, so that a permitted request associates nothing.
  association: ({ in: place }, { host, level, instance, object }) => {
    // One that exists could be removed once only: see `associations/rights.test.ts`.
    if (place === 'path') return [{ how: 'of nothing', params: { association_id: none }, allowed: people }]
    const between = (source: string, target: string, bk_inst_id: number) => {
      const named = { bk_obj_asst_id: `${source}_connect_${target}`, bk_inst_id }
      return { body: { ...named, bk_asst_inst_id: none }, about: named }
    }
    return [
      { how: 'from a host', ...between('host', 'set', host), privilege: 'hostupdate', allowed: roleHolders },
      { how: 'from a level', ...between(level, 'set', instance), privilege: 'topoupdate', allowed: roleHolders },
      { how: 'from an object', ...between(object, 'set', none), entry: 'update', allowed: groupHolders },
      { how: 'to an object', ...between(object, object, none), entry: 'search', allowed: groupHolders },
      {
        how: 'from a host to an object',
        ...between('host', object, host),
        privilege: 'hostupdate',
        allowed: administrators,
      },
      { how: 'from nothing', body: between('nosuch', 'set', none).body, allowed: people },
    ]
  },
  self: ({ user }) => [
    { how: 'about another', params: { [user]: 'another' }, about: { [user]: 'another' }, allowed: administrators },
  ],
  member: ({ group: name }, { group }) => [
    { how: 'of a group', params: { [name]: group }, about: { [name]: group }, allowed: groupHolders },
    { how: 'of no group', params: { [name]: 'nosuch' }, about: { [name]: 'nosuch' }, allowed: administrators },
  ],
}

export const casesOf = (allow: Allow, world: World): Case[] =>
  (cases[allow.need] as (allow: Allow, world: World) => Case[])(allow, world)

/** Kinds of `allow` that may be used by no operation. */
export const kinds: Allow[] = [
  ...rolePrivileges.flatMap((privilege) => [inBusiness(privilege), inBusinessOfBody(privilege, 'biz')]),
  ...rolePrivileges.map(ofHosts),
  ...[...globalBusinesses, ...backConfigs].map(byGroup),
  ...modelActions.map(ofInstances),
  placingHosts,
  ofBusiness,
]
