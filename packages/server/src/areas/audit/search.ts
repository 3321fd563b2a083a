import { operationTypes, problem, rule } from '@mainline/contract'
import { type Expression, type SqlBool, sql } from 'kysely'
import { compile } from '../../platform/condition/compile.ts'
import { type Condition, type Fields, needsMatching } from '../../platform/condition/condition.ts'
import { meets } from '../../platform/condition/evaluate.ts'
import { parseCondition } from '../../platform/condition/parse.ts'
import type { Order } from '../../platform/condition/sort.ts'
import type { LogTable, Reader } from '../../platform/storage/index.ts'
import type { Zone } from '../../platform/time.ts'

/** What the log may be filtered and sorted by, under the names of the interface. */
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
  ['bk_supplier_account', { type: 'text', at: { column: 'account' } }],
])

/** Kinds with an op_target of their own; instances of anything else are an `object`. */
export const namedTargets = [
  'biz',
  'host',
  'process',
  'set',
  'module',
  'userapi',
  'usergroup',
  'privilege',
  'model',
  'subscription',
]

/** Reads the condition of get_operation_log: its own words for targets, types and times, and the common rules for the rest. */
export function readAuditCondition(given: Record<string, unknown>, zone: Zone): Condition {
  const { op_target: target, op_type: type, op_time: time, ...rest } = given
  const common = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== ''))
  return {
    all: [
      parseCondition(common, { fields: auditFields, zone, text: 'whole' }),
      ...(target === undefined || target === '' ? [] : [targetCondition(target, zone)]),
      ...(type === undefined || type === '' ? [] : [typeCondition(type, zone)]),
      ...(time === undefined || time === '' || time === null ? [] : [timeCondition(time, zone)]),
    ],
  }
}

function targetCondition(target: unknown, zone: Zone): Condition {
  if (target !== 'object') return parseCondition({ op_target: target }, { fields: auditFields, zone, text: 'whole' })
  return { not: { field: 'op_target', test: { is: 'among', values: namedTargets } } }
}

/** `add`, 1 and "1" are one; a word that is none of ours matches nothing. */
function typeCondition(type: unknown, zone: Zone): Condition {
  if (typeof type === 'object') {
    const numbers = (operand: unknown): unknown =>
      Array.isArray(operand) ? operand.map(typeNumber) : typeNumber(operand)
    const entries = Object.entries(type ?? {}).map(([operator, operand]) => [operator, numbers(operand)])
    return parseCondition({ op_type: Object.fromEntries(entries) }, { fields: auditFields, zone, text: 'whole' })
  }
  return { field: 'op_type', test: { is: 'among', values: [typeNumber(type)] } }
}

const noSuchType = 0
function typeNumber(type: unknown): number {
  if (typeof type === 'string' && Object.hasOwn(operationTypes, type)) {
    return operationTypes[type as keyof typeof operationTypes]
  }
  const number = Number(type)
  return Number.isSafeInteger(number) ? number : noSuchType
}

function timeCondition(time: unknown, zone: Zone): Condition {
  const wrong = () => problem('invalid', { field: 'op_time', rule: rule('timePair') })
  if (!Array.isArray(time)) throw wrong()
  if (time.length === 0) return { all: [] }
  const spans = time.map((text) => (typeof text === 'string' ? zone.read(text) : undefined))
  const [from, to] = spans
  if (spans.length !== 2 || !from || !to) throw wrong()
  return {
    all: [
      { field: 'op_time', test: { is: '>=', value: from.from } },
      { field: 'op_time', test: { is: '<=', value: to.to } },
    ],
  }
}

export interface AuditSearch {
  readonly account: string
  /** Undefined: all of them. */
  readonly businesses: readonly number[] | undefined
  readonly condition: Condition
  readonly order: readonly Order[]
  readonly start: number
  readonly limit: number
}

export async function searchLog(reader: Reader, search: AuditSearch): Promise<{ count: number; rows: LogTable[] }> {
  const place = { table: 'log', fields: auditFields, dialect: reader.dialect }
  const filtered = reader
    .selectFrom('log')
    .where('account', '=', search.account)
    .where(compile(search.condition, place))
    .$if(search.businesses !== undefined, (query) =>
      query.where((eb) => reader.dialect.among(eb.ref('biz_id'), search.businesses ?? [], 'integer')),
    )
  let ordered = filtered.selectAll()
  const order = search.order.length > 0 ? search.order : [{ field: 'op_time', descending: true }]
  for (const { field, descending } of order) {
    ordered = ordered.orderBy(columnOf(field), descending ? 'desc' : 'asc')
  }
  // Records of one moment in the order in which they came, seen from the same end.
  ordered = ordered.orderBy('ticket', order[0]?.descending ? 'desc' : 'asc')

  if (needsMatching(search.condition)) {
    const rows = (await ordered.execute()).filter((row) =>
      meets({ builtIn: 0, value: (field) => row[columnName(field) as keyof LogTable] }, search.condition, auditFields),
    )
    return { count: rows.length, rows: rows.slice(search.start, search.start + search.limit) }
  }
  const [{ count }, rows] = await Promise.all([
    filtered.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow(),
    ordered.offset(search.start).limit(search.limit).execute(),
  ])
  return { count, rows }
}

function columnName(field: string): string {
  const at = auditFields.get(field)?.at
  if (!at || !('column' in at)) throw new Error(`no field ${field}`)
  return at.column
}

const columnOf = (field: string): Expression<SqlBool> => sql.ref(columnName(field))
