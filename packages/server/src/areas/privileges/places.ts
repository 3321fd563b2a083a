import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import type { Reader } from '../../platform/storage/index.ts'
import type { Place, Subject } from './standing.ts'

/** Where a request would do something. */
export interface Places {
  readonly found: readonly Place[]
  /** Something is named that stands nowhere, or nothing is: then the rest of the request decides what is wrong with it. */
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

const placeOf = ({ biz_id, built_in, attributes }: PlaceRow): Place => ({
  business: biz_id,
  pool: built_in === 1,
  attributes: JSON.parse(attributes),
})

type Counted = { business: number | null; named: number }

/** The businesses of what a list of ids names, in one statement however many there are. */
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
  const standing = rows.reduce((sum, row) => sum + row.named, 0)
  return { found: rows.map(placeOf), unclear: standing === 0 || standing < new Set(ids).size }
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

/** The businesses where one of the roles names the user. It looks at every business of the account: for the heavy reader. */
export async function businessesNaming(
  reader: Reader,
  { account, user }: Subject,
  roles: readonly string[],
): Promise<number[]> {
  if (user.includes(',') || roles.length === 0) return []
  const holders = (role: string) => reader.dialect.jsonText(sql.ref('node.attributes'), role)
  const named = roles.map(
    (role): Expression<SqlBool> => reader.dialect.contains(sql<string>`',' || ${holders(role)} || ','`, `,${user},`),
  )
  const rows = await selectPlaces(reader, account)
    .where(expressionBuilder<Record<string, never>, never>().or(named))
    .execute()
  return rows.map((row) => row.biz_id)
}
