// Candidate rows of a condition, found by indexed values, so that only these are examined.

import { type Expression, type SqlBool, sql } from 'kysely'
import { first } from '../common/present.ts'
import type { Reader } from '../storage/index.ts'
import { compile, type Place } from './compile.ts'
import type { Condition, Field, Leaf, Test } from './condition.ts'
import { passes } from './evaluate.ts'

/** Rows that an index finds, possibly with duplicates. */
export interface Finder {
  /** The table of the index, and its column with the id of the row. */
  readonly table: string
  readonly id: string
  readonly where: (alias: string) => Expression<SqlBool>
}

/** The limit up to which a finder's rows are counted: below, examining each is cheap; above, the exact number does not matter. */
const counted = 20_000
/** Each further finder costs a probe per candidate; the rows that it would exclude fail the condition anyway. */
const mostFinders = 8

/** Rows found by an index, or by one of several alternatives. */
export type Finding = Finder | { readonly any: readonly Finder[] }

/** Additional ways to find a row, by an index of its own. */
type OwnFinder = (leaf: Leaf) => Finder | undefined

/** A finder for every indexed field with a required test, and for every list of alternatives that all have one; none for tests under `not`. */
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
    // All tests of a whole value apply to the same index row; each member of a list has its own row.
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

/** Unset values are not indexed, nor are other names of built-in rows. */
function isFindable({ field, test }: Leaf, { fields }: Place): boolean {
  const { type, alsoCalled = [] } = fields.get(field) ?? {}
  return (
    kinds.includes(test.is) &&
    !passes(type === 'text' ? '' : null, test) &&
    !alsoCalled.some((alias) => passes(alias.name, test))
  )
}

function finderOf({ key, column }: Index, tests: readonly Test[], place: Place): Finder {
  // A value is in one of the two columns and the other is fixed, so that the whole index is used.
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
  /** Undefined above the limit of counting. */
  readonly atMost: number | undefined
  /** `table.id IN ${ids}`, in addition to the whole condition. */
  readonly ids: Expression<unknown>
}

/**
 * Starts with the finder with the fewest rows, and probes the others for each of these: long lists of frequent values are never built. The numbers
 * have to be counted: the statistics of neither engine contain frequencies of single values.
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
  const lead = first(sized)
  const others = sized.slice(1)
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

/** The table of a finder, under the name `alias`. */
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

/** OFFSET keeps PostgreSQL from turning a probe into a join with all rows of the other finder. */
function probeOf(finding: Finding, id: Expression<unknown>): Expression<SqlBool> {
  const probes = partsOf(finding).map(
    (finder) =>
      sql`EXISTS (SELECT 1 FROM ${rowsOf(finder, 'other')} AND ${sql.ref(`other.${finder.id}`)} = ${id} LIMIT 1 OFFSET 0)`,
  )
  return sql<SqlBool>`(${sql.join(probes, sql` OR `)})`
}

/**
 * Makes a condition a mere filter of candidates. Without it both engines would scan all rows of a business: they estimate an equality on an indexed
 * column as selective.
 */
export const asTest = (condition: Expression<SqlBool>): Expression<SqlBool> => sql<SqlBool>`(${condition}) IS TRUE`
