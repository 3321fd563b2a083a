import { type BodyOf, defaultLimit, problem, type queries } from '@mainline/contract'
import type { SelectQueryBuilder } from 'kysely'
import type { Zone } from '../../../common/time.ts'
import { compile, orderSql } from '../../../condition/compile.ts'
import { type Condition, type Fields, fieldsIn, needsMatching } from '../../../condition/condition.ts'
import { parseCondition } from '../../../condition/parse.ts'
import { sift } from '../../../condition/sift.ts'
import { readSort } from '../../../condition/sort.ts'
import {
  prepared,
  type Reader,
  type Sized,
  slicesBySize,
  smallText,
  type Tables,
  textBytes,
} from '../../../storage/index.ts'

export type QueryRow = Tables['custom_query']

/** A query of a page, without its definition if that is large. */
export interface FoundQuery extends Omit<QueryRow, 'info'>, Sized {
  readonly info: string | null
}

const columns = [
  'id',
  'account',
  'business',
  'biz_id',
  'name',
  'creator',
  'create_time',
  'modifier',
  'last_time',
] as const
const shownColumns = [...columns, 'revision', smallText('info').as('info'), textBytes('info').as('bytes')] as const

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

/** The query, if it belongs to this business. */
export async function findQuery(reader: Reader, business: number, id: string): Promise<QueryRow> {
  const [found] = await queryCalled(reader, { business, id })
  if (!found) throw problem('notFound')
  return found
}

/** The query, if it belongs to this account. */
export const queryOf = (reader: Reader, account: string, id: string): Promise<QueryRow | undefined> =>
  reader.selectFrom('custom_query').selectAll().where('id', '=', id).where('account', '=', account).executeTakeFirst()

/** A name matches by substring, other fields by equality. */
const readCondition = (given: Record<string, unknown>, zone: Zone): Condition =>
  parseCondition(given, { fields: queryFields, zone, text: ['name'] })

export async function searchQueries(
  reader: Reader,
  business: number,
  body: BodyOf<typeof queries.searchQuery>,
  zone: Zone,
): Promise<{ count: number; rows: FoundQuery[] }> {
  const condition = readCondition(body.condition ?? {}, zone)
  const place = { table: 'custom_query', fields: queryFields, dialect: reader.dialect }
  const { start = 0, limit = defaultLimit } = body
  const filtered = reader.selectFrom('custom_query').where('business', '=', business).where(compile(condition, place))
  const inOrder = orderSql(readSort(body.sort, queryFields), place)
  const sorted = <Row>(query: SelectQueryBuilder<Tables, 'custom_query', Row>) =>
    inOrder
      .reduce((sorting, { value, as }) => sorting.orderBy(value, as), query)
      .orderBy('create_time')
      .orderBy('id')

  if (needsMatching(condition)) {
    const found = await sorted(filtered.select(['id', textBytes('info').as('bytes')])).execute()
    const ids = await matching(reader, found, condition)
    const page = reader
      .selectFrom('custom_query')
      .where((eb) => reader.dialect.among(eb.ref('id'), ids.slice(start, start + limit), 'text'))
    const rows = start < ids.length ? await sorted(page.select(shownColumns)).execute() : []
    return { count: ids.length, rows }
  }
  const [{ count }, rows] = await Promise.all([
    filtered.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow(),
    sorted(filtered.select(shownColumns)).limit(limit).offset(start).execute(),
  ])
  return { count, rows }
}

/** Queries that are read together, if their definitions are small. */
const matchedTogether = 1_000

/** Of these queries, those that meet the condition. Definitions are read only where it names them, a few at a time. */
async function matching(
  reader: Reader,
  found: readonly ({ readonly id: string } & Sized)[],
  condition: Condition,
): Promise<string[]> {
  const isByInfo = fieldsIn(condition).includes('info')
  const weighed = found.map(({ id, bytes }) => ({ id, bytes: isByInfo ? bytes : 0 }))
  const ids: string[] = []
  for (const slice of slicesBySize(weighed, matchedTogether)) {
    const sought = slice.map(({ id }) => id)
    const rows = await reader
      .selectFrom('custom_query')
      .select([...columns, isByInfo ? 'info' : smallText('info').as('info')])
      .where((eb) => reader.dialect.among(eb.ref('id'), sought, 'text'))
      .execute()
    const byId = new Map(rows.map((row) => [row.id, row]))
    const passed = await sift(
      sought.flatMap((id) => byId.get(id) ?? []),
      {
        condition,
        fields: queryFields,
        view: (row) => ({ builtIn: 0, value: (field) => row[columnOf(field)] }),
      },
    )
    ids.push(...passed.map(({ id }) => id))
  }
  return ids
}

/** The queries of a page with their definitions, large ones a few at a time. */
export async function* withDefinitions(reader: Reader, rows: readonly FoundQuery[]): AsyncGenerator<QueryRow> {
  for (const slice of slicesBySize(rows)) {
    const large = slice.filter(({ info }) => info === null).map(({ id }) => id)
    const read = large.length === 0 ? [] : await definitionsOf(reader, large)
    for (const { bytes: _, ...row } of slice) {
      const info = row.info ?? read.find(({ id }) => id === row.id)?.info
      // It may have been deleted since the page was read.
      if (info !== undefined) yield { ...row, info }
    }
  }
}

const definitionsOf = (reader: Reader, ids: readonly string[]) =>
  reader
    .selectFrom('custom_query')
    .select(['id', 'info'])
    .where((eb) => reader.dialect.among(eb.ref('id'), ids, 'text'))
    .execute()

function columnOf(field: string): (typeof columns)[number] | 'info' {
  const at = queryFields.get(field)?.at
  if (!at || !('column' in at)) throw new Error(`no field ${field}`)
  return at.column as (typeof columns)[number] | 'info'
}
