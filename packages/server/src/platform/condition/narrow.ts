// Which rows a condition can be met by at all, found by value: so that only those are looked at.
import { type Expression, type SqlBool, sql } from 'kysely'
import type { Reader } from '../storage/index.ts'
import { compile, type Place } from './compile.ts'
import type { Condition, Field, Leaf, Test } from './condition.ts'
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

/** Rows that an index finds, or one of several: where any of them will do. */
export type Finding = Finder | { readonly any: readonly Finder[] }

/** How else a row can be found: by an index of its own. */
type OwnFinder = (leaf: Leaf) => Finder | undefined

/**
 * One for every indexed field that whatever is found must pass tests of, and one for every list of alternatives that can
 * all be found: nothing that stands under `not`.
 */
export function findersOf(condition: Condition, place: Place, own: OwnFinder = () => undefined): Finding[] {
  const found: Finding[] = []
  const whole = new Map<Index, Test[]>()
  for (const part of demanded(condition)) {
    if ('any' in part) {
      const each = part.any.map((leaf) => ('field' in leaf ? finderOfLeaf(leaf, place, own) : undefined))
      const known = each.filter((finder) => finder !== undefined)
      if (known.length > 0 && known.length === each.length) found.push({ any: known })
      continue
    }
    const index = place.fields.get(part.field)?.index
    // All that is asked of a whole value holds for one and the same row; of a list each member has a row of its own.
    if (index && isFindable(part, place) && part.test.is !== 'listing') {
      whole.set(index, [...(whole.get(index) ?? []), part.test])
      continue
    }
    const finder = finderOfLeaf(part, place, own)
    if (finder) found.push(finder)
  }
  return [...found, ...[...whole].map(([index, tests]) => finderOf(index, tests, place))]
}

type Index = NonNullable<Field['index']>

function demanded(condition: Condition): (Leaf | Extract<Condition, { any: unknown }>)[] {
  if ('all' in condition) return condition.all.flatMap(demanded)
  return 'not' in condition ? [] : [condition]
}

function finderOfLeaf(leaf: Leaf, place: Place, own: OwnFinder): Finder | undefined {
  const index = place.fields.get(leaf.field)?.index
  if (!index || !isFindable(leaf, place)) return own(leaf)
  const { test } = leaf
  return finderOf(index, [test.is === 'listing' ? { is: 'among', values: test.names } : test], place)
}

const kinds: readonly Test['is'][] = ['among', 'listing', '<', '<=', '>', '>=']

/** Of what is unset nothing is kept, nor of what built-in rows are also called. */
function isFindable({ field, test }: Leaf, { fields }: Place): boolean {
  const { type, alsoCalled = [] } = fields.get(field) ?? {}
  return (
    kinds.includes(test.is) &&
    !passes(type === 'text' ? '' : null, test) &&
    !alsoCalled.some((alias) => passes(alias.name, test))
  )
}

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
export async function narrow(reader: Reader, finders: readonly Finding[]): Promise<Narrowing | undefined> {
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

const partsOf = (finding: Finding): readonly Finder[] => ('any' in finding ? finding.any : [finding])

/** Where a finder looks, under the name `alias`. */
const rowsOf = ({ table, where }: Finder, alias: string) =>
  sql`${sql.table(table)} AS ${sql.table(alias)} WHERE ${where(alias)}`

const sizeOf = (finding: Finding) => {
  const sizes = partsOf(finding).map(
    (finder) =>
      sql`(SELECT count(*) FROM (SELECT 1 FROM ${rowsOf(finder, 'each_row')} LIMIT ${sql.lit(counted)}) AS counted)`,
  )
  return sql<number>`${sql.join(sizes, sql` + `)}`
}

function idsOf(lead: Finding, others: readonly Finding[]): Expression<unknown> {
  const found = partsOf(lead).map((finder) => {
    const id = sql.ref(`lead.${finder.id}`)
    const probes = others.map((other) => sql` AND ${probeOf(other, id)}`)
    return sql`SELECT ${id} FROM ${rowsOf(finder, 'lead')}${sql.join(probes, sql``)}`
  })
  return sql.join(found, sql` UNION ALL `)
}

/** The offset keeps PostgreSQL from turning a probe into a join with all that the other finder has. */
function probeOf(finding: Finding, id: Expression<unknown>): Expression<SqlBool> {
  const probes = partsOf(finding).map(
    (finder) =>
      sql`EXISTS (SELECT 1 FROM ${rowsOf(finder, 'other')} AND ${sql.ref(`other.${finder.id}`)} = ${id} LIMIT 1 OFFSET 0)`,
  )
  return sql<SqlBool>`(${sql.join(probes, sql` OR `)})`
}

/**
 * A condition as a mere test of rows that are found otherwise. Without it both engines would rather go through all rows of a
 * business: an equality on an indexed column looks selective to them.
 */
export const asTest = (condition: Expression<SqlBool>): Expression<SqlBool> => sql<SqlBool>`(${condition}) IS TRUE`
