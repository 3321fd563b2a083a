// Which rows a condition can be met by at all, found by value: so that only those are looked at.
import { type Expression, type SqlBool, sql } from 'kysely'
import type { Reader } from '../storage/index.ts'
import { compile, type Place } from './compile.ts'
import type { Condition, Field, Test } from './condition.ts'
import { passes } from './evaluate.ts'

/** Rows that an index finds. A list may hold one twice. */
export interface Finder {
  /** The table that the index belongs to, and its column that holds the id of the row meant. */
  readonly table: string
  readonly id: string
  readonly where: (alias: string) => Expression<SqlBool>
}

/** How far a finder's rows are counted: below, looking at each is cheap; beyond, what leads is only the best there is. */
const counted = 20_000
/** Each further one costs a probe for every row of the one that leads; what it would have ruled out is tested anyway. */
const mostFinders = 8

/** One for every test on an indexed field that whatever is found has passed: none that stands under `not` or `any`. */
export function findersOf(condition: Condition, place: Place): Finder[] {
  if ('all' in condition) return condition.all.flatMap((part) => findersOf(part, place))
  if (!('field' in condition)) return []
  const field = place.fields.get(condition.field)
  const test = field && findable(condition.test, field)
  if (!field?.index || !test) return []
  const { key, column } = field.index
  // Values stand in one of the two columns, and the other is pinned: so the whole key of the index is known.
  const [type, pinned] = column === 'text' ? (['text', 'number = 0'] as const) : (['float', "text = ''"] as const)
  return [
    {
      table: 'attribute_value',
      id: 'instance',
      where: (alias) => {
        const kept = new Map<string, Field>([['value', { type, at: { column } }]])
        const value = compile({ field: 'value', test }, { ...place, table: alias, fields: kept })
        return sql<SqlBool>`${sql.ref(`${alias}.key`)} = ${place.dialect.number(key, 'integer')} AND ${sql.raw(`${alias}.${pinned}`)} AND ${value}`
      },
    },
  ]
}

/** The test as what is kept can answer it: members of a list have rows of their own, what is unset has none. */
function findable(test: Test, field: Field): Test | undefined {
  if (passes(field.type === 'text' ? '' : null, test)) return undefined
  if (field.alsoCalled?.some((alias) => passes(alias.name, test))) return undefined
  switch (test.is) {
    case 'listing':
      return { is: 'among', values: test.names }
    case 'among':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return test
    default:
      return undefined
  }
}

export interface Narrowing {
  /** Undefined when it is more than is worth counting. */
  readonly atMost: number | undefined
  /** `table.id IN ${ids}`, beside the whole condition. */
  readonly ids: Expression<unknown>
}

/**
 * The finder with the fewest rows leads, and the others are probed for each of its rows: no list of a frequent value is ever
 * made. Which that is has to be asked: neither engine's statistics know how frequent a value is.
 */
export async function narrow(reader: Reader, finders: readonly Finder[]): Promise<Narrowing | undefined> {
  const asked = finders.slice(0, mostFinders)
  if (asked.length === 0) return undefined
  const row: Record<string, unknown> = await reader
    .selectNoFrom(asked.map((finder, index) => sizeOf(finder).as(`size${index}`)))
    .executeTakeFirstOrThrow()
  const sized = asked
    .map((finder, index) => ({ finder, size: Number(row[`size${index}`]) }))
    .sort((a, b) => a.size - b.size)
  const [lead, ...others] = sized as [(typeof sized)[number], ...typeof sized]
  return {
    atMost: lead.size < counted ? lead.size : undefined,
    ids: idsOf(
      lead.finder,
      others.map(({ finder }) => finder),
    ),
  }
}

const sizeOf = ({ table, where }: Finder) =>
  sql<number>`(SELECT count(*) FROM (SELECT 1 FROM ${sql.table(table)} AS each_row WHERE ${where('each_row')} LIMIT ${sql.lit(counted)}) AS counted)`

/** The offset keeps PostgreSQL from turning a probe into a join with all that the other finder has. */
function idsOf(lead: Finder, others: readonly Finder[]): Expression<unknown> {
  const id = sql.ref(`lead.${lead.id}`)
  const probes = others.map(
    (other) =>
      sql` AND EXISTS (SELECT 1 FROM ${sql.table(other.table)} AS other WHERE ${other.where('other')} AND ${sql.ref(`other.${other.id}`)} = ${id} LIMIT 1 OFFSET 0)`,
  )
  const all = sql.join(probes, sql``)
  return sql`(SELECT ${id} FROM ${sql.table(lead.table)} AS lead WHERE ${lead.where('lead')}${all})`
}

/**
 * A condition as a mere test of rows that are found otherwise. Without it both engines would rather go through all rows of a
 * business: an equality on an indexed column looks selective to them.
 */
export const asTest = (condition: Expression<SqlBool>): Expression<SqlBool> => sql<SqlBool>`(${condition}) IS TRUE`
