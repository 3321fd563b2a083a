import { type BodyOf, defaultLimit, type favourites } from '@mainline/contract'
import { compile, type Place, valueSql } from '../../platform/condition/compile.ts'
import { type Field, type Fields, needsMatching } from '../../platform/condition/condition.ts'
import { meets } from '../../platform/condition/evaluate.ts'
import { parseCondition } from '../../platform/condition/parse.ts'
import { sift } from '../../platform/condition/sift.ts'
import { readSort } from '../../platform/condition/sort.ts'
import type { Actor, Reader } from '../../platform/storage/index.ts'
import type { Zone } from '../../platform/time.ts'
import { type Favourite, selectFavourites } from './favourites.ts'

/** What favourites may be filtered and sorted by, under the names of the interface. */
const columns = {
  id: { type: 'text', at: { column: 'favourite_id' } },
  name: { type: 'text', at: { column: 'name' } },
  info: { type: 'text', at: { column: 'info' } },
  query_params: { type: 'text', at: { column: 'query_params' } },
  is_default: { type: 'integer', at: { column: 'is_default' } },
  count: { type: 'integer', at: { column: 'uses' } },
  user: { type: 'text', at: { column: 'owner' } },
  create_time: { type: 'instant', at: { column: 'create_time' } },
  last_time: { type: 'instant', at: { column: 'last_time' } },
} as const satisfies Record<string, Field>
const fields: Fields = new Map(Object.entries(columns))

/** In the order in which they were made, unless they are sorted. There are never many of them. */
export async function searchFavourites(
  reader: Reader,
  actor: Actor,
  { condition: sent, start = 0, limit = defaultLimit, sort }: BodyOf<typeof favourites.searchFavourite>,
  zone: Zone,
): Promise<{ count: number; rows: Favourite[] }> {
  const condition = parseCondition(sent ?? {}, { fields, zone, text: 'whole' })
  const place: Place = { table: 'favourite', fields, dialect: reader.dialect }
  const matching = selectFavourites(reader, actor).where(compile(condition, place))
  let ordered = matching.selectAll()
  for (const { field, descending } of readSort(sort, fields)) {
    ordered = ordered.orderBy(valueSql(fields.get(field) as Field, place), descending ? 'desc' : 'asc')
  }
  ordered = ordered.orderBy('id')

  if (needsMatching(condition)) {
    const value = (row: Favourite) => (field: string) => row[columns[field as keyof typeof columns].at.column]
    const rows = await sift(await ordered.execute(), (row) =>
      meets({ builtIn: 0, value: value(row) }, condition, fields),
    )
    return { count: rows.length, rows: rows.slice(start, start + limit) }
  }
  const [{ count }, rows] = await Promise.all([
    matching.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow(),
    ordered.offset(start).limit(limit).execute(),
  ])
  return { count, rows }
}
