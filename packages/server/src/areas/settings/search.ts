import { type BodyOf, defaultLimit, type favourites } from '@mainline/contract'
import { present } from '../../common/present.ts'
import type { Zone } from '../../common/time.ts'
import { compile, type Place, valueSql } from '../../condition/compile.ts'
import { type Field, type Fields, needsMatching } from '../../condition/condition.ts'
import { parseCondition } from '../../condition/parse.ts'
import { sift } from '../../condition/sift.ts'
import { readSort } from '../../condition/sort.ts'
import type { Actor, Reader } from '../../storage/index.ts'
import { type Favourite, selectFavourites } from './favourites.ts'

/** The fields for filters and sorting, under the names of the interface. */
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

/** Ordered by creation unless sorted; a user has few of them. */
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
    ordered = ordered.orderBy(valueSql(present(fields.get(field)), place), descending ? 'desc' : 'asc')
  }
  ordered = ordered.orderBy('id')

  if (needsMatching(condition)) {
    const value = (row: Favourite) => (field: string) => row[columns[field as keyof typeof columns].at.column]
    const view = (row: Favourite) => ({ builtIn: 0, value: value(row) })
    const rows = await sift(await ordered.execute(), { condition, fields, view })
    return { count: rows.length, rows: rows.slice(start, start + limit) }
  }
  const [{ count }, rows] = await Promise.all([
    matching.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow(),
    ordered.offset(start).limit(limit).execute(),
  ])
  return { count, rows }
}
