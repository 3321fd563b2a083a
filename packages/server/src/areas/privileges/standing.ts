import type { BackConfig, GlobalBusiness, ModelAction, RolePrivilege } from '@mainline/contract'
import { sql } from 'kysely'
import {
  type Actor,
  cached,
  isCommitted,
  preparedShared,
  type Reader,
  systemUser,
} from '../../platform/storage/index.ts'

/** Who is judged. */
export type Subject = Pick<Actor, 'user' | 'account'>

/** What a group gives its members. */
export interface Given {
  readonly global_busi: readonly GlobalBusiness[]
  readonly back_config: readonly BackConfig[]
  /** By classification and object. An object is found whatever classification it is in now. */
  readonly model_config: Readonly<Record<string, Readonly<Record<string, readonly ModelAction[]>>>>
}

export const nothingGiven: Given = { global_busi: [], back_config: [], model_config: {} }

export interface Group {
  readonly id: string
  readonly name: string
  readonly given: Given
}

/** A living business as privileges see it: whom its roles name. */
export interface Place {
  readonly business: number
  readonly pool: boolean
  readonly attributes: Readonly<Record<string, unknown>>
}

/** What the account gives the user, and where it is to count. */
export interface Standing {
  /** Every role that businesses of the account have, and what is bound to it. */
  readonly roles: ReadonlyMap<string, readonly RolePrivilege[]>
  /** The groups that name the user, in order of creation. */
  readonly groups: readonly Group[]
  /** Whether the object that was asked about is a level of the main line. */
  readonly level: boolean
  /** The business that was asked about, if it is there. */
  readonly place: Place | undefined
}

/** What the verdict may depend on beside the user. Nothing has the id 0 or the name ''. */
export interface Concerning {
  readonly object?: string
  readonly business?: number
}

type Kind = 'role' | 'group' | 'level' | 'business' | 'pool'

/** One statement, and every part of it finds its rows by an index: it grows with neither groups nor businesses. */
const standingRows = preparedShared((reader, { account, user, object, business }: Subject & Required<Concerning>) =>
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
      'attribute.name as name',
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
          'user_group.name as name',
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

/** Cached until the next commit, where one process sees every commit; inside a transaction it is always read. */
export async function readStanding(
  reader: Reader,
  { account, user }: Subject,
  { object = '', business = 0 }: Concerning = {},
): Promise<Standing> {
  const concerned = { account, user, object, business }
  if (!isCommitted(reader)) return loadStanding(reader, concerned)
  const key = `standing ${JSON.stringify([account, user, object, business])}`
  return cached(reader, key, reader.generation?.(), () => loadStanding(reader, concerned))
}

async function loadStanding(reader: Reader, concerned: Subject & Required<Concerning>): Promise<Standing> {
  const rows = await standingRows(reader, concerned)
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
    place: place && { business, pool: place.kind === 'pool', attributes: JSON.parse(place.given) },
  }
}

/** The roles of the business that name the user. A role is a comma list of names. */
export const rolesNaming = ({ attributes }: Place, roles: Iterable<string>, user: string): string[] =>
  [...roles].filter((role) => {
    const names = attributes[role]
    return typeof names === 'string' && user !== systemUser && names.split(',').includes(user)
  })

/** Whether a group gives an entry. */
export const hasEntry = ({ given }: Group, entry: BackConfig | GlobalBusiness): boolean =>
  [...given.global_busi, ...given.back_config].includes(entry)

/** Whether a group gives an action on the instances of an object. */
export const hasAction = ({ given }: Group, object: string, action: ModelAction): boolean =>
  Object.values(given.model_config).some(
    (objects) => Object.hasOwn(objects, object) && objects[object]?.includes(action),
  )
