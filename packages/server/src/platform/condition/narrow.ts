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

/** One for every indexed field that whatever is found must pass tests of: nothing that stands under `not` or `any`. */
export function findersOf(condition: Condition, place: Place): Finder[] {
  const members: Finder[] = []
  const whole = new Map<Index, Test[]>()
  for (const { field: name, test } of demanded(condition)) {
    const field = place.fields.get(name)
    if (!field?.index || !isFindable(test, field)) continue
    // Each member of a list has a row of its own; all that is asked of a whole value holds for one and the same row.
    if (test.is === 'listing') members.push(finderOf(field.index, [{ is: 'among', values: test.names }], place))
    else whole.set(field.index, [...(whole.get(field.index) ?? []), test])
  }
  return [...members, ...[...whole].map(([index, tests]) => finderOf(index, tests, place))]
}

type Index = NonNullable<Field['index']>
type Leaf = Extract<Condition, { field: string }>

function demanded(condition: Condition): Leaf[] {
  if ('all' in condition) return condition.all.flatMap(demanded)
  return 'field' in condition ? [condition] : []
}

const kinds: readonly Test['is'][] = ['among', 'listing', '<', '<=', '>', '>=']

/** Of what is unset nothing is kept, nor of what built-in rows are also called. */
const isFindable = (test: Test, { type, alsoCalled = [] }: Field) =>
  kinds.includes(test.is) &&
  !passes(type === 'text' ? '' : null, test) &&
  !alsoCalled.some((alias) => passes(alias.name, test))

function finderOf({ key, column }: Index, tests: readonly Test[], place: Place): Finder {
  // Values stand in one of the two columns, and the other is pinned: so all of the index is used.
  const [type, pinned] = column === 'text' ? (['text', 'number = 0'] as const) : (['float', "text = ''"] as const)
  const fields = new Map<string, Field>([['value', { type, at: { column } }]])
  const condition = { all: tests.map((test) => ({ field: 'value', test })) }
  return {
    table: 'attribute_value',
    id: 'instance',
    where: (alias) => {
      const own = sql`${sql.ref(`${alias}.key`)} = ${place.dialect.number(key, 'integer')} AND ${sql.raw(`${alias}.${pinned}`)}`
      return sql<SqlBool>`${own} AND ${compile(condition, { ...place, table: alias, fields })}`
    },
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
    ids: reader.dialect.foundFirst(
      idsOf(
        lead.finder,
        others.map(({ finder }) => finder),
      ),
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
  return sql`SELECT ${id} FROM ${sql.table(lead.table)} AS lead WHERE ${lead.where('lead')}${all}`
}

/**
 * A condition as a mere test of rows that are found otherwise. Without it both engines would rather go through all rows of a
 * business: an equality on an indexed column looks selective to them.
 */
export const asTest = (condition: Expression<SqlBool>): Expression<SqlBool> => sql<SqlBool>`(${condition}) IS TRUE`
