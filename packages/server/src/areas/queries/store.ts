import { type BodyOf, defaultLimit, problem, type queries } from '@mainline/contract'
import { compile, orderSql } from '../../platform/condition/compile.ts'
import { type Condition, type Fields, needsMatching } from '../../platform/condition/condition.ts'
import { meets } from '../../platform/condition/evaluate.ts'
import { parseCondition } from '../../platform/condition/parse.ts'
import { sift } from '../../platform/condition/sift.ts'
import { readSort } from '../../platform/condition/sort.ts'
import { prepared, type Reader, type Tables } from '../../platform/storage/index.ts'
import type { Zone } from '../../platform/time.ts'

export type QueryRow = Tables['custom_query']

const queryFields: Fields = new Map([
  ['id', { type: 'text', at: { column: 'id' } }],
  ['name', { type: 'text', at: { column: 'name' } }],
  ['bk_biz_id', { type: 'integer', at: { column: 'biz_id' } }],
  ['info', { type: 'text', at: { column: 'info' } }],
  ['create_user', { type: 'text', at: { column: 'creator' } }],
  ['create_time', { type: 'instant', at: { column: 'create_time' } }],
  ['modify_user', { type: 'text', at: { column: 'modifier' } }],
  ['last_time', { type: 'instant', at: { column: 'last_time' }, unset: 0 }],
])

const queryCalled = prepared((reader, { business, id }: { business: number; id: string }) =>
  reader.selectFrom('custom_query').selectAll().where('business', '=', business).where('id', '=', id),
)

/** The query, when it is one of this business. */
export async function findQuery(reader: Reader, business: number, id: string): Promise<QueryRow> {
  const [found] = await queryCalled(reader, { business, id })
  if (!found) throw problem('notFound')
  return found
}

/** The query, when it is one of this account. */
export const queryOf = (reader: Reader, account: string, id: string): Promise<QueryRow | undefined> =>
  reader.selectFrom('custom_query').selectAll().where('id', '=', id).where('account', '=', account).executeTakeFirst()

/** A name matches by any part of it, everything else as it is. */
const readCondition = (given: Record<string, unknown>, zone: Zone): Condition =>
  parseCondition(given, { fields: queryFields, zone, text: ['name'] })

export async function searchQueries(
  reader: Reader,
  business: number,
  body: BodyOf<typeof queries.searchQuery>,
  zone: Zone,
): Promise<{ count: number; rows: QueryRow[] }> {
  const condition = readCondition(body.condition ?? {}, zone)
  const place = { table: 'custom_query', fields: queryFields, dialect: reader.dialect }
  const { start = 0, limit = defaultLimit } = body
  const filtered = reader.selectFrom('custom_query').where('business', '=', business).where(compile(condition, place))
  let ordered = filtered.selectAll()
  for (const { value, as } of orderSql(readSort(body.sort, queryFields), place)) ordered = ordered.orderBy(value, as)
  ordered = ordered.orderBy('create_time').orderBy('id')

  if (needsMatching(condition)) {
    const rows = await sift(await ordered.execute(), (row) =>
      meets({ builtIn: 0, value: (field) => row[columnOf(field)] }, condition, queryFields),
    )
    return { count: rows.length, rows: rows.slice(start, start + limit) }
  }
  const [{ count }, rows] = await Promise.all([
    filtered.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow(),
    ordered.limit(limit).offset(start).execute(),
  ])
  return { count, rows }
}

function columnOf(field: string): keyof QueryRow {
  const at = queryFields.get(field)?.at
  if (!at || !('column' in at)) throw new Error(`no field ${field}`)
  return at.column as keyof QueryRow
}
