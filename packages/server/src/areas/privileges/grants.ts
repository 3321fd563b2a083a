import type { BackConfig, GlobalBusiness, ModelAction, RolePrivilege } from '@mainline/contract'
import { sql } from 'kysely'
import {
  type Actor,
  attributesIn,
  cached,
  isCommitted,
  preparedShared,
  type Reader,
  systemUser,
} from '../../storage/index.ts'

/** The user whose privileges are checked. */
export type Subject = Pick<Actor, 'user' | 'account'>

/** The privileges of a group. */
export interface Given {
  readonly global_busi: readonly GlobalBusiness[]
  readonly back_config: readonly BackConfig[]
  /** By classification and object. The classification is ignored when an object is looked up, since it may have changed. */
  readonly model_config: Readonly<Record<string, Readonly<Record<string, readonly ModelAction[]>>>>
}

export const nothingGiven: Given = { global_busi: [], back_config: [], model_config: {} }

export interface Group {
  readonly id: string
  readonly name: string
  readonly given: Given
}

/** A business that is not archived, with the users that its roles name. */
export interface BusinessRoles {
  readonly business: number
  readonly pool: boolean
  readonly attributes: Readonly<Record<string, unknown>>
}

/** Everything that a verdict on a user is based on. */
export interface Grants {
  /** The roles of businesses, with the privileges bound to them. */
  readonly roles: ReadonlyMap<string, readonly RolePrivilege[]>
  /** The user's groups, in order of creation. */
  readonly groups: readonly Group[]
  /** Whether the object in question is a level of the main line. */
  readonly level: boolean
  /** The business in question, if it exists. */
  readonly place: BusinessRoles | undefined
}

/** What a verdict may depend on besides the user. 0 and '' mean none. */
export interface Concerning {
  readonly object?: string
  readonly business?: number
}

type Kind = 'role' | 'group' | 'level' | 'business' | 'pool'

/** One statement, in which every part uses an index: its cost does not grow with groups or businesses. */
const grantRows = preparedShared((reader, { account, user, object, business }: Subject & Required<Concerning>) =>
  reader
    .selectFrom('attribute')
    .leftJoin('role_binding', (join) =>
      join
        .onRef('role_binding.account', '=', 'attribute.account')
        .onRef('role_binding.object_id', '=', 'attribute.object_id')
        .onRef('role_binding.attribute_id', '=', 'attribute.attribute_id'),
    )
    .where('attribute.account', '=', account)
    .where('attribute.object_id', '=', sql.lit('biz'))
    .where('attribute.type', '=', sql.lit('objuser'))
    .select((eb) => [
      sql<Kind>`'role'`.as('kind'),
      'attribute.position as place',
      'attribute.attribute_id as id',
      'attribute.name',
      eb.fn.coalesce('role_binding.privileges', sql<string>`'[]'`).as('given'),
    ])
    .unionAll(
      reader
        .selectFrom('group_member')
        .innerJoin('user_group', 'user_group.id', 'group_member.user_group')
        .where('group_member.account', '=', account)
        .where('group_member.user_name', '=', user)
        .select([
          sql<Kind>`'group'`.as('kind'),
          'user_group.id as place',
          'user_group.group_id as id',
          'user_group.name',
          'user_group.privileges as given',
        ]),
    )
    .unionAll(
      reader
        .selectFrom('object')
        .where('account', '=', account)
        .where('object_id', '=', object)
        .where('above', 'is not', null)
        .where('preset', '=', sql.lit(0))
        .select([
          sql<Kind>`'level'`.as('kind'),
          'id as place',
          'object_id as id',
          'name',
          sql<string>`'null'`.as('given'),
        ]),
    )
    .unionAll(
      reader
        .selectFrom('business')
        .innerJoin('node', 'node.id', 'business.node')
        .where('business.account', '=', account)
        .where('business.biz_id', '=', business)
        .where('business.living_name', 'is not', null)
        .select([
          sql<Kind>`CASE node.built_in WHEN 1 THEN 'pool' ELSE 'business' END`.as('kind'),
          'business.biz_id as place',
          sql<string>`''`.as('id'),
          sql<string>`''`.as('name'),
          sql<string>`CAST(node.attributes AS text)`.as('given'),
        ]),
    ),
)

/** Cached until the next commit if this process sees every commit; always read inside a transaction. */
export async function readGrants(
  reader: Reader,
  { account, user }: Subject,
  { object = '', business = 0 }: Concerning = {},
): Promise<Grants> {
  const concerned = { account, user, object, business }
  if (!isCommitted(reader)) return loadGrants(reader, concerned)
  const key = `standing ${JSON.stringify([account, user, object, business])}`
  return cached(reader, key, reader.generation(), () => loadGrants(reader, concerned))
}

async function loadGrants(reader: Reader, concerned: Subject & Required<Concerning>): Promise<Grants> {
  const rows = await grantRows(reader, concerned)
  const parts = Map.groupBy(
    rows.toSorted((one, other) => one.place - other.place),
    (row) => row.kind,
  )
  const [place] = [...(parts.get('business') ?? []), ...(parts.get('pool') ?? [])]
  const { business } = concerned
  return {
    roles: new Map(parts.get('role')?.map((row) => [row.id, JSON.parse(row.given)])),
    groups: parts.get('group')?.map(({ id, name, given }) => ({ id, name, given: JSON.parse(given) })) ?? [],
    level: parts.has('level'),
    place: place && { business, pool: place.kind === 'pool', attributes: attributesIn({ attributes: place.given }) },
  }
}

/** A role attribute is a comma list of users, and of groups of users as '@' and the name of the group. */
const groupSign = '@'

/** The names under which roles list a user: its own, and those of its groups. */
export function namesInRoles(user: string, groups: readonly Group[]): string[] {
  if (user === systemUser) return []
  // A user called '@ops' must not pass for the members of the group.
  const own = user.startsWith(groupSign) ? [] : [user]
  return [...own, ...groups.map(({ name }) => groupSign + name)].filter((name) => !name.includes(','))
}

/** The roles of the business that list one of the names, and the names that they list. */
export function rolesListing(
  { attributes }: BusinessRoles,
  roles: Iterable<string>,
  names: readonly string[],
): Map<string, string[]> {
  const listing = new Map<string, string[]>()
  for (const role of roles) {
    const listed = attributes[role]
    if (typeof listed !== 'string') continue
    const all = listed.split(',')
    const found = names.filter((name) => all.includes(name))
    if (found.length > 0) listing.set(role, found)
  }
  return listing
}

/** Whether a group grants an entry. */
export const hasEntry = ({ given }: Group, entry: BackConfig | GlobalBusiness): boolean =>
  [...given.global_busi, ...given.back_config].includes(entry)

/** Whether a group grants an action on the instances of an object. */
export const hasAction = ({ given }: Group, object: string, action: ModelAction): boolean =>
  Object.values(given.model_config).some(
    (objects) => Object.hasOwn(objects, object) && objects[object]?.includes(action),
  )
