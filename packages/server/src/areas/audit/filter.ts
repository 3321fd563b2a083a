import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import { compile } from '../../condition/compile.ts'
import { type Condition, type Fields, fieldsIn, type Leaf } from '../../condition/condition.ts'
import type { Reader } from '../../storage/index.ts'
import { queryEvent } from '../events/feed/index.ts'

/** The fields for filters and sorting, under the names of the interface. */
export const auditFields: Fields = new Map([
  ['bk_biz_id', { type: 'integer', at: { column: 'biz_id' } }],
  ['inst_id', { type: 'integer', at: { column: 'inst_id' } }],
  ['op_target', { type: 'text', at: { column: 'object_id' } }],
  ['bk_obj_id', { type: 'text', at: { column: 'object_id' } }],
  ['op_type', { type: 'integer', at: { column: 'operation' } }],
  ['op_desc', { type: 'text', at: { column: 'description' } }],
  ['operator', { type: 'text', at: { column: 'operator' } }],
  ['op_time', { type: 'instant', at: { column: 'op_time' } }],
  ['create_time', { type: 'instant', at: { column: 'op_time' } }],
  ['ext_key', { type: 'text', at: { column: 'ext_key' }, isList: true }],
  ['request_id', { type: 'text', at: { column: 'request_id' } }],
  ['txn_id', { type: 'text', at: { column: 'txn_id' } }],
  ['op_reason', { type: 'text', at: { column: 'reason' } }],
  ['revision', { type: 'integer', at: { column: 'revision' } }],
  ['bk_supplier_account', { type: 'text', at: { column: 'account' } }],
])

/** The columns of these fields, and the record's number. */
export const filterColumns = [
  'ticket',
  'account',
  'biz_id',
  'inst_id',
  'object_id',
  'operation',
  'description',
  'operator',
  'op_time',
  'ext_key',
  'request_id',
  'txn_id',
  'reason',
  'revision',
] as const

/** Which records the caller asks for and may see. */
export interface AuditFilter {
  readonly account: string
  /** Undefined: all of them. */
  readonly businesses: readonly number[] | undefined
  readonly condition: Condition
  /** If set, only these tickets are considered. */
  readonly tickets?: readonly number[]
}

/** The fields by which sealed segments are tallied. */
const talliedFields = new Set(['bk_biz_id', 'op_target', 'bk_obj_id', 'op_type', 'operator', 'bk_supplier_account'])
export const isTallied = ({ condition }: AuditFilter) => fieldsIn(condition).every((field) => talliedFields.has(field))

/** Whether an index or a tally serves the filter, so that the log need not be scanned. */
export function isServed(filter: AuditFilter): boolean {
  const [objects, others] = [['op_target', 'bk_obj_id'], fieldsIn(filter.condition)]
  const ofInstance = conjuncts(filter.condition).some(
    ({ field, test }) => objects.includes(field) && test.is === 'among',
  )
  const served = (field: string) =>
    talliedFields.has(field) || field === 'op_time' || field === 'create_time' || (field === 'inst_id' && ofInstance)
  return others.every(served)
}

/** The conditions that every record must match, as a list. */
export const conjuncts = (condition: Condition): Leaf[] =>
  'all' in condition ? condition.all.flatMap(conjuncts) : 'field' in condition ? [condition] : []

/** The part of a condition that indexes serve: it matches a superset of the records. */
export const servedPart = (filter: AuditFilter): AuditFilter => ({
  ...filter,
  condition: { all: conjuncts(filter.condition).filter((condition) => isServed({ ...filter, condition })) },
})

/** The keys of which a record must have one; undefined if the condition does not restrict them. */
export function keysIn(condition: Condition): readonly string[] | undefined {
  if ('all' in condition) return condition.all.map(keysIn).find((keys) => keys !== undefined)
  if ('any' in condition) {
    const each = condition.any.map(keysIn)
    return each.length > 0 && each.every((keys) => keys !== undefined) ? each.flat() : undefined
  }
  if ('not' in condition || condition.field !== 'ext_key') return undefined
  const { test } = condition
  return test.is === 'listing' ? test.names : test.is === 'among' ? test.values.map(String) : undefined
}

/** The tallies of matching records, for filters by tallied fields. */
export function filteredTally(reader: Reader, { account, businesses, condition }: AuditFilter) {
  return reader
    .selectFrom('log_tally')
    .where('account', '=', account)
    .where(isShown)
    .where(compile(condition, { table: 'log_tally', fields: auditFields, dialect: reader.dialect }))
    .$if(businesses !== undefined, (query) =>
      query.where((eb) => reader.dialect.among(eb.ref('biz_id'), businesses ?? [], 'integer')),
    )
}

/** Events of hosts that enter or leave a query's result are hidden: the change that caused them is shown. */
const isShown = sql<SqlBool>`substr(object_id, 1, ${sql.lit(queryEvent('').length)}) <> ${sql.lit(queryEvent(''))}`

/** Whether a row of the log matches. For rows that another index has found, `|| ''` keeps the planner from using the account's index. */
export function passing(
  reader: Reader,
  filter: AuditFilter,
  isFoundByOtherIndex = filter.tickets !== undefined,
): Expression<SqlBool> {
  const { account, businesses, condition, tickets } = filter
  const { dialect } = reader
  const among = (column: string, values: readonly number[] | undefined) =>
    values === undefined ? [] : [dialect.among(sql.ref(`log.${column}`), values, 'integer')]
  return expressionBuilder<Record<string, never>, never>().and([
    isFoundByOtherIndex ? sql<SqlBool>`log.account || '' = ${account}` : sql<SqlBool>`log.account = ${account}`,
    isShown,
    compile(condition, { table: 'log', fields: auditFields, dialect }),
    ...among('biz_id', businesses),
    ...among('ticket', tickets),
  ])
}

/** The matching records; with `after`, only those behind that position. */
export const filteredLog = (reader: Reader, filter: AuditFilter, after = 0) =>
  (after === 0 ? reader.selectFrom('log') : newer(reader, after)).where(passing(reader, filter))

/** The limit is never reached; it makes the planner use the index on position instead of one on the filter. */
const newer = (reader: Reader, after: number) =>
  reader.selectFrom(
    reader
      .selectFrom('log')
      .select(filterColumns)
      .where((eb) => eb.or([eb('position', '>', after), eb('position', 'is', null)]))
      .limit(Number.MAX_SAFE_INTEGER)
      .as('log'),
  ) as unknown as ReturnType<typeof reader.selectFrom<'log'>>
