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

/** A LIMIT with a cast: SQLite re-plans a statement on every run if its limit is a bare parameter. */
export const bounding = (rows: number) => sql<number>`cast(${rows} as bigint)`

/** All SQL that differs between the two engines, so that no other query checks which one it runs on. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres'
  readonly adapter: () => DialectAdapter
  readonly compiler: () => QueryCompiler
  /** Replacements for the type placeholders of migrations. */
  readonly types: Record<'big' | 'real' | 'text' | 'json' | 'id', string>
  readonly placeholder: (number: number) => string
  /** Between columns and VALUES of an INSERT with ids that are otherwise drawn by the table. */
  readonly givenIds: string
  /** Suffix of CREATE TABLE: SQLite enforces column types only in STRICT tables. */
  readonly tableSuffix: string
  /** A text attribute inside a JSON column; '' when it is missing or of another type. */
  readonly jsonText: (column: Expression<unknown>, key: string) => Expression<string>
  /** A number inside a JSON column; NULL when it is missing or of another type, which a former attribute of that name may have left. */
  readonly jsonNumber: (column: Expression<unknown>, key: string) => Expression<number | null>
  /** Whatever value is inside a JSON column, as JSON; NULL when it is missing. */
  readonly jsonValue: (column: Expression<unknown>, key: string) => Expression<unknown>
  /** A boolean inside a JSON column as 1 or 0; NULL when it is missing or of another type. */
  readonly jsonFlag: (column: Expression<unknown>, key: string) => Expression<number | null>
  /** The members of a comma list as rows, for FROM: `member`, with the column `value`. */
  readonly members: (list: Expression<string>) => Expression<unknown>
  readonly contains: (text: Expression<string>, part: string) => Expression<SqlBool>
  /** Lower case of A to Z only, which both engines do alike. */
  readonly small: (text: Expression<string>) => Expression<string>
  /** Aggregates rows into one JSON object, so that thousands of numbers are transferred as one value. */
  readonly objectText: (key: Expression<unknown>, value: Expression<number>) => AliasableExpression<string>
  /** Aggregates rows into the text of one JSON array of arrays, in this order. */
  readonly arraysText: (
    values: readonly Expression<unknown>[],
    order: Expression<unknown>,
  ) => AliasableExpression<string>
  /** Aggregates numbers into the text of one JSON array, in any order. */
  readonly numbersText: (value: Expression<number>) => AliasableExpression<string>
  readonly number: (value: number, type: 'integer' | 'float') => Expression<number>
  /** IN with the whole list as one bound value. */
  readonly among: (
    value: Expression<unknown>,
    list: readonly (string | number)[],
    type: 'text' | 'integer' | 'float',
  ) => Expression<SqlBool>
  /** As `among`, with a list from `listOf` that is bound later. */
  readonly amongBound: (
    value: Expression<unknown>,
    list: Expression<unknown>,
    type: 'text' | 'integer' | 'float',
  ) => Expression<SqlBool>
  readonly listOf: (list: readonly (string | number)[]) => unknown
  /** The options after EXPLAIN. */
  readonly explaining: RawBuilder<unknown> | undefined
  /** A single-column subquery for IN that the planner must evaluate first, whatever it estimates. */
  readonly foundFirst: (query: Expression<unknown>) => Expression<unknown>
  /** The database's clock: milliseconds since 1970. */
  readonly now: AliasableExpression<number>
  /** The number of the running transaction, by which its end can be awaited on another connection; unset where that is not needed. */
  readonly transactionId: AliasableExpression<string | null>
  /** Whether rows can be locked; otherwise a writer locks the whole database. */
  readonly locksRows: boolean
  /** Whether log positions are drawn inside the change: free with a single writer, a global lock with many. */
  readonly numbersInChange: boolean
}

const key = (name: string) => {
  if (!/^\w+$/.test(name)) throw new Error(`not an attribute name: ${name}`)
  return name
}

/** Kysely serialises statements on SQLite because it assumes a single connection; ours may be several threads. */
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
  givenIds: '',
  tableSuffix: ' STRICT',
  jsonText: (column, name) => {
    const path = sql.lit(`$.${key(name)}`)
    return sql`CASE json_type(${column}, ${path}) WHEN 'text' THEN ${column} ->> ${path} ELSE '' END`
  },
  jsonNumber: (column, name) => {
    const path = sql.lit(`$.${key(name)}`)
    // SQLite prints doubles beyond 2^53 as integers of a slightly different value.
    return sql`CASE WHEN json_type(${column}, ${path}) IN ('integer', 'real') THEN CAST(${column} ->> ${path} AS REAL) END`
  },
  jsonValue: (column, name) => sql`${column} -> ${sql.lit(`$.${key(name)}`)}`,
  jsonFlag: (column, name) => {
    const path = sql.lit(`$.${key(name)}`)
    return sql`CASE json_type(${column}, ${path}) WHEN 'true' THEN 1 WHEN 'false' THEN 0 END`
  },
  // Commas are not escaped in JSON, so replacing them after quoting turns the list into a JSON array.
  members: (list) => sql`json_each('[' || replace(json_quote(${list}), ',', '","') || ']') AS member`,
  contains: (text, part) => sql`instr(${text}, ${part}) > 0`,
  small: (text) => sql`lower(${text})`,
  objectText: (name, value) => sql<string>`json_group_object(${name}, ${value})`,
  arraysText: (values, order) => sql<string>`json_group_array(json_array(${sql.join(values)}) ORDER BY ${order})`,
  numbersText: (value) => sql<string>`json_group_array(${value})`,
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
  transactionId: sql<null>`NULL`,
  locksRows: false,
  numbersInChange: true,
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
  givenIds: ' OVERRIDING SYSTEM VALUE',
  tableSuffix: '',
  jsonText: (column, name) => {
    const literal = sql.lit(key(name))
    return sql`(CASE jsonb_typeof(${column} -> ${literal}) WHEN 'string' THEN ${column} ->> ${literal} ELSE '' END COLLATE "C")`
  },
  jsonNumber: (column, name) => {
    const literal = sql.lit(key(name))
    return sql`CASE jsonb_typeof(${column} -> ${literal}) WHEN 'number' THEN (${column} ->> ${literal})::float8 END`
  },
  jsonValue: (column, name) => sql`${column} -> ${sql.lit(key(name))}`,
  jsonFlag: (column, name) => {
    const literal = sql.lit(key(name))
    return sql`CASE jsonb_typeof(${column} -> ${literal}) WHEN 'boolean' THEN (${column} ->> ${literal})::boolean::int END`
  },
  members: (list) => sql`unnest(string_to_array(${list}, ',')) AS member(value)`,
  contains: (text, part) => sql`strpos(${text}, ${part}) > 0`,
  small: (text) => sql`lower(${text} COLLATE "C")`,
  objectText: (name, value) => sql<string>`json_object_agg(${name}, ${value})::text`,
  arraysText: (values, order) => sql<string>`json_agg(json_build_array(${sql.join(values)}) ORDER BY ${order})::text`,
  numbersText: (value) => sql<string>`json_agg(${value})::text`,
  number: (value, type) => (type === 'integer' ? sql`${value}::bigint` : sql`${value}::float8`),
  among: (value, list, type) => postgresDialect.amongBound(value, sql`${list}`, type),
  amongBound: (value, list, type) => {
    const array = { text: sql`${list}::text[]`, integer: sql`${list}::bigint[]`, float: sql`${list}::float8[]` }[type]
    return sql`${value} = ANY(${array})`
  },
  listOf: (list) => list,
  explaining: undefined,
  // PostgreSQL may reorder a semi-join on a wrong estimate; it estimates few rows for an array, and so evaluates it first.
  foundFirst: (query) => sql`(SELECT unnest(ARRAY(${query})))`,
  now: sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
  transactionId: sql<string>`pg_current_xact_id()::text`,
  locksRows: true,
  numbersInChange: false,
}
