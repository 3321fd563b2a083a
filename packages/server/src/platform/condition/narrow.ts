import { type Expression, type SqlBool, sql } from 'kysely'
import type { Reader, Tables } from '../storage/index.ts'
import type { Place } from './compile.ts'
import type { Condition } from './condition.ts'

/** Rows that can be found by a value, in a table made for it, without looking at each. */
export interface Finder {
  readonly table: keyof Tables
  /** The column that names the row. */
  readonly id: string
  readonly where: (alias: string) => Expression<SqlBool>
}

/** One of several finders: a row counts when any of them has it. */
export type Found = Finder | { readonly any: readonly Finder[] }

/** A finder is not asked for more rows than this: beyond, looking at each row in order is as good. */
const bound = 20_000

export interface Narrowing {
  /** How many rows are found at most; undefined when there are too many to tell. */
  readonly atMost: number | undefined
  /** The ids of the rows that all finders have: what stands inside of `IN (...)`. */
  readonly ids: Expression<unknown>
}

const aliasOf = (finder: Finder) => `by_${finder.table}`
const partsOf = (found: Found): readonly Finder[] => ('any' in found ? found.any : [found])

const from = (finder: Finder) => {
  const alias = aliasOf(finder)
  return sql`${sql.table(finder.table)} AS ${sql.table(alias)} WHERE ${finder.where(alias)}`
}

const rowsOf = (found: Found) =>
  sql.join(
    partsOf(found).map(
      (finder) => sql`SELECT ${sql.ref(`${aliasOf(finder)}.${finder.id}`)} AS id FROM ${from(finder)}`,
    ),
    sql` UNION ALL `,
  )

const has = (found: Found, id: Expression<unknown>): Expression<SqlBool> =>
  sql<SqlBool>`(${sql.join(
    partsOf(found).map(
      (finder) => sql`EXISTS (SELECT 1 FROM ${from(finder)} AND ${sql.ref(`${aliasOf(finder)}.${finder.id}`)} = ${id})`,
    ),
    sql` OR `,
  )})`

/**
 * Chooses which finder leads by asking each how many rows it has, up to a bound: neither engine's statistics know how
 * frequent one value is. The others are only probed for what the leading one finds.
 */
export async function narrow(reader: Reader, finders: readonly Found[]): Promise<Narrowing | undefined> {
  if (finders.length === 0) return undefined
  const sizes = await sizesOf(reader, finders)
  const smallest = sizes.indexOf(Math.min(...sizes))
  const lead = finders[smallest] as Found
  const others = finders.filter((finder) => finder !== lead)
  const probes = others.map((finder) => has(finder, sql.ref('lead.id')))
  const condition = probes.length > 0 ? sql` WHERE ${sql.join(probes, sql` AND `)}` : sql``
  const size = sizes[smallest] as number
  return {
    atMost: size > bound ? undefined : size,
    ids: sql`SELECT DISTINCT lead.id AS id FROM (${rowsOf(lead)}) AS lead${condition}`,
  }
}

/** Rows that are known one by one. */
export const idsAmong = ({ dialect }: Reader, ids: readonly number[]): Expression<unknown> =>
  sql`SELECT host.id FROM host WHERE ${dialect.among(sql.ref('host.id'), ids, 'integer')}`

async function sizesOf(reader: Reader, finders: readonly Found[]): Promise<number[]> {
  const sizes = finders.map((finder, index) => {
    const bounded = sql`SELECT 1 FROM (${rowsOf(finder)}) AS found LIMIT ${sql.lit(bound + 1)}`
    return sql<number>`(SELECT count(*) FROM (${bounded}) AS bounded)`.as(`size_${index}`)
  })
  const row = (await reader.selectNoFrom(sizes).executeTakeFirstOrThrow()) as Record<string, number>
  return finders.map((_, index) => row[`size_${index}`] as number)
}

/** Everything that must hold, with what it can be found by. */
export function findersOf(
  condition: Condition,
  place: Place,
  finderOf: (leaf: Leaf, place: Place) => Finder | undefined,
): Found[] {
  if ('all' in condition) return condition.all.flatMap((part) => findersOf(part, place, finderOf))
  if ('not' in condition) return []
  if ('any' in condition) {
    const parts = condition.any.map((part) => ('field' in part ? finderOf(part, place) : undefined))
    const known = parts.filter((part) => part !== undefined)
    return known.length > 0 && known.length === parts.length ? [{ any: known }] : []
  }
  const finder = finderOf(condition, place)
  return finder ? [finder] : []
}

export type Leaf = Extract<Condition, { field: string }>
