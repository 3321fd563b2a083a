import {
  type AliasableExpression,
  type DialectAdapter,
  type Expression,
  PostgresAdapter,
  PostgresQueryCompiler,
  type QueryCompiler,
  type RawBuilder,
  type SqlBool,
  SqliteAdapter,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import type { Writer } from './handles.ts'
import { preparedChange } from './prepared.ts'

/** SQLite plans a statement anew, every time, whose limit is a bare parameter. */
export const bounding = (rows: number) => sql<number>`cast(${rows} as bigint)`

export type IdKind = 'biz' | 'set' | 'module' | 'inst' | 'host' | 'value' | 'subscription'

/** Everything that differs between the two engines, so that no query elsewhere asks which one it runs on. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres'
  readonly adapter: () => DialectAdapter
  readonly compiler: () => QueryCompiler
  /** What a migration's placeholders become. */
  readonly types: Record<'big' | 'real' | 'text' | 'json' | 'id', string>
  /** Stands for the bound value of that number. */
  readonly placeholder: (number: number) => string
  /** Ends a CREATE TABLE: SQLite checks types only when told to. */
  readonly tableSuffix: string
  /** A text attribute inside a JSON column; '' when it is missing or something else. */
  readonly jsonText: (column: Expression<unknown>, key: string) => Expression<string>
  /** A number inside a JSON column; NULL when it is missing or something else, whatever an older attribute of the name left there. */
  readonly jsonNumber: (column: Expression<unknown>, key: string) => Expression<number | null>
  /** A boolean inside a JSON column as 1 or 0; NULL when it is missing or something else. */
  readonly jsonFlag: (column: Expression<unknown>, key: string) => Expression<number | null>
  /** The members of a comma list as rows, for FROM: `member`, with the column `value`. */
  readonly members: (list: Expression<string>) => Expression<unknown>
  readonly contains: (text: Expression<string>, part: string) => Expression<SqlBool>
  /** With A to Z made small: as much as both engines do alike. */
  readonly small: (text: Expression<string>) => Expression<string>
  /** Aggregates rows into the text of one JSON object: thousands of numbers then travel as one value. */
  readonly objectText: (key: Expression<unknown>, value: Expression<number>) => AliasableExpression<string>
  /** Aggregates rows into the text of one JSON array of arrays, in this order. */
  readonly arraysText: (
    values: readonly Expression<unknown>[],
    order: Expression<unknown>,
  ) => AliasableExpression<string>
  readonly number: (value: number, type: 'integer' | 'float') => Expression<number>
  /** Membership as one bound value, however many there are. */
  readonly among: (
    value: Expression<unknown>,
    list: readonly (string | number)[],
    type: 'text' | 'integer' | 'float',
  ) => Expression<SqlBool>
  /** The same with a list that is bound later, as `listOf` gives it. */
  readonly amongBound: (
    value: Expression<unknown>,
    list: Expression<unknown>,
    type: 'text' | 'integer' | 'float',
  ) => Expression<SqlBool>
  readonly listOf: (list: readonly (string | number)[]) => unknown
  /** What stands behind EXPLAIN so that it tells the plan. */
  readonly explaining: RawBuilder<unknown> | undefined
  /** What a query of one column finds, for IN: found first, however much the engine expects of it. */
  readonly foundFirst: (query: Expression<unknown>) => Expression<unknown>
  /** The database's own clock, in milliseconds. */
  readonly now: AliasableExpression<number>
  /** Whether rows can be locked, or the whole database is, by whoever writes. */
  readonly locksRows: boolean
  /** Whether log positions are drawn inside the change: free where one writes at a time, a lock on everyone elsewhere. */
  readonly numbersAtOnce: boolean
  readonly drawIds: (writer: Writer, kind: IdKind, count: number) => Promise<number[]>
}

const key = (name: string) => {
  if (!/^\w+$/.test(name)) throw new Error(`not an attribute name: ${name}`)
  return name
}

const raiseSequence = preparedChange((writer, { kind, count }: { kind: IdKind; count: number }) =>
  writer
    .updateTable('sequence')
    .set((eb) => ({ value: eb('value', '+', count) }))
    .where('kind', '=', kind)
    .returning('value'),
)

const nextValues = preparedChange((writer, { sequence, count }: { sequence: string; count: number }) =>
  writer
    .selectFrom(sql<{ n: number }>`generate_series(1, ${count}::int)`.as('n'))
    .select(sql<number>`nextval(${sequence})`.as('id')),
)

const lastOf = (last: number, count: number) => Array.from({ length: count }, (_, index) => last - count + 1 + index)

/** Kysely would let one statement at a time into a SQLite it takes for a single connection; ours may be several threads. */
class ThreadedSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  adapter: () => new ThreadedSqliteAdapter(),
  compiler: () => new SqliteQueryCompiler(),
  types: { big: 'INTEGER', real: 'REAL', text: 'TEXT', json: 'TEXT', id: 'INTEGER PRIMARY KEY AUTOINCREMENT' },
  placeholder: () => '?',
  tableSuffix: ' STRICT',
  jsonText: (column, name) => {
    const path = sql.lit(`$.${key(name)}`)
    return sql`CASE json_type(${column}, ${path}) WHEN 'text' THEN ${column} ->> ${path} ELSE '' END`
  },
  jsonNumber: (column, name) => {
    const path = sql.lit(`$.${key(name)}`)
    // A double beyond 2^53 is written as an integer that it does not quite equal.
    return sql`CASE WHEN json_type(${column}, ${path}) IN ('integer', 'real') THEN CAST(${column} ->> ${path} AS REAL) END`
  },
  jsonFlag: (column, name) => {
    const path = sql.lit(`$.${key(name)}`)
    return sql`CASE json_type(${column}, ${path}) WHEN 'true' THEN 1 WHEN 'false' THEN 0 END`
  },
  // A comma needs no escape in JSON, so what separates members can become what separates strings.
  members: (list) => sql`json_each('[' || replace(json_quote(${list}), ',', '","') || ']') AS member`,
  contains: (text, part) => sql`instr(${text}, ${part}) > 0`,
  small: (text) => sql`lower(${text})`,
  objectText: (name, value) => sql<string>`json_group_object(${name}, ${value})`,
  arraysText: (values, order) => sql<string>`json_group_array(json_array(${sql.join(values)}) ORDER BY ${order})`,
  number: (value) => sql`${value}`,
  among: (value, list, type) => sqliteDialect.amongBound(value, sql`${sqliteDialect.listOf(list)}`, type),
  amongBound: (value, list, type) => {
    const member = type === 'float' ? sql`CAST(value AS REAL)` : sql`value`
    return sql`${value} IN (SELECT ${member} FROM json_each(${list}))`
  },
  listOf: (list) => JSON.stringify(list),
  explaining: sql`QUERY PLAN`,
  foundFirst: (query) => sql`(${query})`,
  now: sql<number>`CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
  locksRows: false,
  numbersAtOnce: true,
  drawIds: async (writer, kind, count) => {
    const [drawn] = await raiseSequence(writer, { kind, count })
    const value = drawn?.value ?? 0
    return lastOf(value, count)
  },
}

export const postgresDialect: Dialect = {
  name: 'postgres',
  adapter: () => new PostgresAdapter(),
  compiler: () => new PostgresQueryCompiler(),
  types: {
    big: 'bigint',
    real: 'double precision',
    text: 'text COLLATE "C"',
    json: 'jsonb',
    id: 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  },
  placeholder: (number) => `$${number}`,
  tableSuffix: '',
  jsonText: (column, name) => {
    const literal = sql.lit(key(name))
    return sql`(CASE jsonb_typeof(${column} -> ${literal}) WHEN 'string' THEN ${column} ->> ${literal} ELSE '' END COLLATE "C")`
  },
  jsonNumber: (column, name) => {
    const literal = sql.lit(key(name))
    return sql`CASE jsonb_typeof(${column} -> ${literal}) WHEN 'number' THEN (${column} ->> ${literal})::float8 END`
  },
  jsonFlag: (column, name) => {
    const literal = sql.lit(key(name))
    return sql`CASE jsonb_typeof(${column} -> ${literal}) WHEN 'boolean' THEN (${column} ->> ${literal})::boolean::int END`
  },
  members: (list) => sql`unnest(string_to_array(${list}, ',')) AS member(value)`,
  contains: (text, part) => sql`strpos(${text}, ${part}) > 0`,
  small: (text) => sql`lower(${text} COLLATE "C")`,
  objectText: (name, value) => sql<string>`json_object_agg(${name}, ${value})::text`,
  arraysText: (values, order) => sql<string>`json_agg(json_build_array(${sql.join(values)}) ORDER BY ${order})::text`,
  number: (value, type) => (type === 'integer' ? sql`${value}::bigint` : sql`${value}::float8`),
  among: (value, list, type) => postgresDialect.amongBound(value, sql`${list}`, type),
  amongBound: (value, list, type) => {
    const array = { text: sql`${list}::text[]`, integer: sql`${list}::bigint[]`, float: sql`${list}::float8[]` }[type]
    return sql`${value} = ANY(${array})`
  },
  listOf: (list) => list,
  explaining: undefined,
  // A semi-join would be turned around where its guess is wrong; of an array it expects little.
  foundFirst: (query) => sql`(SELECT unnest(ARRAY(${query})))`,
  now: sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
  locksRows: true,
  numbersAtOnce: false,
  drawIds: async (writer, kind, count) => {
    const drawn = await nextValues(writer, { sequence: `${kind}_id`, count })
    return drawn.map((row) => row.id)
  },
}
