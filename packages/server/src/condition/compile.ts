import { type Expression, expressionBuilder, type OrderByItemBuilder, type SqlBool, sql } from 'kysely'
import type { Span } from '../common/time.ts'
import type { Dialect } from '../storage/dialect.ts'
import {
  type Condition,
  type Field,
  type Fields,
  isStoredAsText,
  needsMatching,
  type Scalar,
  type Test,
} from './condition.ts'
import { passes } from './evaluate.ts'
import type { Order } from './sort.ts'

export interface Place {
  /** The table or alias of the columns. */
  readonly table: string
  readonly fields: Fields
  readonly dialect: Dialect
}

const eb = expressionBuilder<Record<string, never>, never>()
const yes = sql<SqlBool>`1 = 1`
const no = sql<SqlBool>`1 = 0`

/** The condition as SQL. Patterns become "any row": the caller applies them to the rows that the rest has selected. */
export function compile(condition: Condition, place: Place): Expression<SqlBool> {
  if ('all' in condition)
    return condition.all.length === 0 ? yes : eb.and(condition.all.map((part) => compile(part, place)))
  if ('any' in condition)
    return condition.any.length === 0 ? no : eb.or(condition.any.map((part) => compile(part, place)))
  // Negating "any row" would give no row.
  if ('not' in condition) return needsMatching(condition.not) ? yes : eb.not(compile(condition.not, place))

  const field = fieldOf(condition.field, place)
  const stored = testSql(condition.test, field, place)
  const aliases = (field.alsoCalled ?? []).filter((alias) => passes(alias.name, condition.test))
  if (aliases.length === 0 || condition.test.is === 'matching') return stored
  const builtIn = sql.ref(`${place.table}.built_in`)
  return eb.or([stored, ...aliases.map((alias) => sql<SqlBool>`${builtIn} = ${sql.lit(alias.builtIn)}`)])
}

/** The expression of a field's value, for conditions and sorting. */
export function valueSql(field: Field, { table, dialect }: Place): Expression<unknown> {
  if ('column' in field.at) {
    const column = sql.ref(`${field.at.table ?? table}.${field.at.column}`)
    return field.unset === undefined ? column : sql`NULLIF(${column}, ${dialect.number(field.unset, 'integer')})`
  }
  const attributes = sql.ref(`${table}.attributes`)
  if (isStoredAsText(field.type)) return dialect.jsonText(attributes, field.at.attribute)
  if (field.type === 'boolean') return dialect.jsonFlag(attributes, field.at.attribute)
  return dialect.jsonNumber(attributes, field.at.attribute)
}

/** The sort expressions in order: unset values come first, or last when descending. */
export const orderSql = (order: readonly Order[], place: Place) =>
  order.map(({ field, descending }) => ({
    value: valueSql(fieldOf(field, place), place),
    as: (by: OrderByItemBuilder) => (descending ? by.desc().nullsLast() : by.asc().nullsFirst()),
  }))

function fieldOf(name: string, { fields }: Place): Field {
  const field = fields.get(name)
  if (!field) throw new Error(`no field ${name}`)
  return field
}

function testSql(test: Test, field: Field, place: Place): Expression<SqlBool> {
  const value = valueSql(field, place)
  const { dialect } = place
  // A column is NOT NULL unless a number stands for unset; a JSON value that is no text reads ''.
  const isText = isStoredAsText(field.type)
  const nullable = !isText && (!('column' in field.at) || field.unset !== undefined)
  const known = (expression: Expression<SqlBool>) => {
    if (nullable) return sql<SqlBool>`(${value} IS NOT NULL AND ${expression})`
    // Only `text` reads as the empty text while unset.
    if (isText && field.type !== 'text' && passes('', test)) return sql<SqlBool>`(${value} <> '' AND ${expression})`
    return expression
  }
  switch (test.is) {
    case 'unset':
      if (nullable) return sql<SqlBool>`${value} IS NULL`
      return isText ? sql<SqlBool>`${value} = ''` : no
    case 'among':
      return known(amongSql(value, test.values, field, dialect))
    case 'containing':
      return dialect.contains(value as Expression<string>, test.part)
    case 'listing':
      return listingSql(value as Expression<string>, test.names, dialect)
    case 'within':
      return known(withinSql(value, test.spans, dialect))
    case 'matching':
      return yes
    default:
      return known(sql<SqlBool>`${value} ${sql.raw(test.is)} ${bound(test.value, field, dialect)}`)
  }
}

function amongSql(value: Expression<unknown>, values: readonly Scalar[], field: Field, dialect: Dialect) {
  const plain = values.map((each) => (typeof each === 'boolean' ? Number(each) : each))
  const [only] = plain
  if (plain.length === 1 && only !== undefined) return sql<SqlBool>`${value} = ${bound(only, field, dialect)}`
  return dialect.among(value, plain, listType(field))
}

/** One parameter for any number of names: neither engine accepts a chain of thousands of terms. */
function listingSql(value: Expression<string>, names: readonly string[], dialect: Dialect): Expression<SqlBool> {
  const [only] = names
  if (names.length === 1) return dialect.contains(sql<string>`',' || ${value} || ','`, `,${only},`)
  const isNamed = dialect.among(sql.ref('member.value'), names, 'text')
  return sql<SqlBool>`EXISTS (SELECT 1 FROM ${dialect.members(value)} WHERE ${isNamed})`
}

/** As above. A span covers a whole second or one millisecond, so membership is sufficient. */
function withinSql(value: Expression<unknown>, spans: readonly Span[], dialect: Dialect): Expression<SqlBool> {
  const [only] = spans
  if (only && spans.length === 1) {
    const [from, to] = [dialect.number(only.from, 'integer'), dialect.number(only.to, 'integer')]
    return sql<SqlBool>`${value} BETWEEN ${from} AND ${to}`
  }
  const starts = (whole: boolean) => spans.filter(({ from, to }) => from < to === whole).map(({ from }) => from)
  const second = sql`${value} - ${value} % 1000`
  return eb.or([dialect.among(value, starts(false), 'integer'), dialect.among(second, starts(true), 'integer')])
}

const listType = (field: Field) =>
  isStoredAsText(field.type) ? 'text' : field.type === 'float' || !('column' in field.at) ? 'float' : 'integer'

const bound = (value: string | number, field: Field, dialect: Dialect) =>
  typeof value === 'string' ? sql`${value}` : dialect.number(value, listType(field) === 'integer' ? 'integer' : 'float')
