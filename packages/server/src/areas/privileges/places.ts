import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import { attributesIn, prepared, type Reader } from '../../storage/index.ts'
import type { BusinessRoles } from './grants.ts'

/** The businesses that a request affects. */
export interface Places {
  readonly found: readonly BusinessRoles[]
  /** A named instance does not exist, or none is named; validation of the rest of the request reports that. */
  readonly unclear: boolean
}

export const nowhere: Places = { found: [], unclear: true }

const selectPlaces = (reader: Reader, account: string) =>
  reader
    .selectFrom('business')
    .innerJoin('node', 'node.id', 'business.node')
    .select(['business.biz_id', 'node.built_in', 'node.attributes'])
    .where('business.account', '=', account)
    .where('business.living_name', 'is not', null)

type PlaceRow = { biz_id: number; built_in: number; attributes: string }

const placeOf = (row: PlaceRow): BusinessRoles => ({
  business: row.biz_id,
  pool: row.built_in === 1,
  attributes: attributesIn(row),
})

type Counted = { business: number | null; named: number }

/** The businesses of a list of ids, in one statement. */
async function placesOf(
  reader: Reader,
  account: string,
  ids: readonly number[],
  named: Expression<Counted>,
): Promise<Places> {
  const rows = await selectPlaces(reader, account)
    .innerJoin(sql<Counted>`(${named})`.as('counted'), 'counted.business', 'business.node')
    .select('counted.named')
    .orderBy('business.biz_id')
    .execute()
  const grants = rows.reduce((sum, row) => sum + row.named, 0)
  return { found: rows.map(placeOf), unclear: grants === 0 || grants < new Set(ids).size }
}

export const placesOfHosts = (reader: Reader, account: string, ids: readonly number[]): Promise<Places> =>
  placesOf(
    reader,
    account,
    ids,
    reader
      .selectFrom('host')
      .where('account', '=', account)
      .where((eb) => reader.dialect.among(eb.ref('host_id'), ids, 'integer'))
      .groupBy('business')
      .select((eb) => ['business', eb.fn.countAll<number>().as('named')]),
  )

export const placesOfInstances = (
  reader: Reader,
  account: string,
  object: string,
  ids: readonly number[],
): Promise<Places> =>
  placesOf(
    reader,
    account,
    ids,
    reader
      .selectFrom('node')
      .where('account', '=', account)
      .where('object_id', '=', object)
      .where((eb) => reader.dialect.among(eb.ref('inst_id'), ids, 'integer'))
      .groupBy('business')
      .select((eb) => ['business', eb.fn.countAll<number>().as('named')]),
  )

interface InRoles {
  readonly account: string
  readonly names: unknown
  readonly roles: unknown
}

/** Roles that are searchable attributes (the default), whose holders are found by an index. */
const rolesKept = prepared((reader, { account }: { account: string }) =>
  reader
    .selectFrom('attribute')
    .select('attribute_id')
    .where('account', '=', account)
    .where('object_id', '=', sql.lit('biz'))
    .where('searchable', '<>', sql.lit(0))
    .where('filled', '=', sql.lit(1)),
)

const keptNames = prepared((reader, { account, names, roles }: InRoles) =>
  reader
    .selectFrom('attribute')
    .innerJoin('attribute_value', 'attribute_value.key', 'attribute.searchable')
    .innerJoin('business', 'business.node', 'attribute_value.instance')
    .select('business.biz_id')
    .where('attribute.account', '=', account)
    .where('attribute.object_id', '=', sql.lit('biz'))
    .where((eb) => reader.dialect.amongBound(eb.ref('attribute.attribute_id'), sql`${roles}`, 'text'))
    .where((eb) => reader.dialect.amongBound(eb.ref('attribute_value.text'), sql`${names}`, 'text'))
    .where('business.living_name', 'is not', null),
)

/** The businesses in which one of the roles lists one of the names. The cost does not grow with other businesses. */
export async function businessesListing(
  reader: Reader,
  account: string,
  names: readonly string[],
  roles: readonly string[],
): Promise<number[]> {
  if (names.length === 0 || roles.length === 0) return []
  const known = new Set((await rolesKept(reader, { account })).map((row) => row.attribute_id))
  const [kept, others] = [roles.filter((role) => known.has(role)), roles.filter((role) => !known.has(role))]
  const rows = [
    ...(await keptNames(reader, { account, names: reader.dialect.listOf(names), roles: reader.dialect.listOf(kept) })),
    ...(others.length > 0 ? await readThrough(reader, account, names, others) : []),
  ]
  return [...new Set(rows.map((row) => row.biz_id))].sort((one, other) => one - other)
}

/** Scans all businesses of the account, for roles that are not (or not yet) searchable. */
function readThrough(
  reader: Reader,
  account: string,
  names: readonly string[],
  roles: readonly string[],
): Promise<PlaceRow[]> {
  const holders = (role: string) => reader.dialect.jsonText(sql.ref('node.attributes'), role)
  const listed = roles.flatMap((role) =>
    names.map(
      (name): Expression<SqlBool> => reader.dialect.contains(sql<string>`',' || ${holders(role)} || ','`, `,${name},`),
    ),
  )
  return selectPlaces(reader, account).where(expressionBuilder<Record<string, never>, never>().or(listed)).execute()
}
