import { type OperationType, operationTypes, problem, rule } from '@mainline/contract'
import { type Expression, type SqlBool, sql } from 'kysely'
import { compile } from '../../platform/condition/compile.ts'
import { type Condition, type Fields, needsMatching } from '../../platform/condition/condition.ts'
import { meets } from '../../platform/condition/evaluate.ts'
import { parseCondition } from '../../platform/condition/parse.ts'
import { sift } from '../../platform/condition/sift.ts'
import type { Order } from '../../platform/condition/sort.ts'
import type { LogRecord, Reader } from '../../platform/storage/index.ts'
import type { Zone } from '../../platform/time.ts'
import { queryEvent } from '../feed/index.ts'

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

/** Reads the condition of get_operation_log, which has words of its own for targets, types, times and addresses. */
export function readAuditCondition(given: Record<string, unknown>, zone: Zone): Condition {
  return parseCondition(inCommonWords(given), { fields: auditFields, zone, text: 'whole' })
}

/** The same condition in the words of all the others. What is left empty is no filter. */
function inCommonWords(given: unknown): unknown {
  if (!isObject(given)) return given
  const isFilter = ([, value]: [string, unknown]) => value !== undefined && value !== null && value !== ''
  const entries = Object.entries(given)
    .filter(isFilter)
    .map(([field, value]): [string, unknown] => [field, commonValue(field, value)])
  return Object.fromEntries(entries.filter(isFilter))
}

function commonValue(field: string, value: unknown): unknown {
  switch (field) {
    case '$or':
    case '$and':
      return Array.isArray(value) ? value.map(inCommonWords) : value
    case 'op_target':
      return value === 'object' ? { $nin: namedTargets } : value
    case 'op_type':
      return isObject(value) ? Object.fromEntries(Object.entries(value).map(typeOperand)) : typeNumber(value)
    case 'op_time':
      return isObject(value) ? value : timePair(value)
    case 'ext_key':
      return typeof value === 'string' ? { $in: value.split(',').filter((ip) => ip.trim() !== '') } : value
    default:
      return value
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const typeOperand = ([operator, operand]: [string, unknown]): [string, unknown] => [
  operator,
  Array.isArray(operand) ? operand.map(typeNumber) : typeNumber(operand),
]

/** `add`, 1 and "1" are one; a word that is none of ours matches nothing. */
function typeNumber(type: unknown): unknown {
  if (typeof type !== 'string' || /^\d+$/.test(type)) return type
  const noSuchType = 0
  return Object.hasOwn(operationTypes, type) ? operationTypes[type as OperationType] : noSuchType
}

function timePair(times: unknown): unknown {
  if (Array.isArray(times) && times.length === 0) return undefined
  if (!Array.isArray(times) || times.length !== 2) {
    throw problem('invalid', { field: 'op_time', rule: rule('timePair') })
  }
  return { $gte: times[0], $lte: times[1] }
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

export async function searchLog(reader: Reader, search: AuditSearch): Promise<{ count: number; rows: LogRecord[] }> {
  const place = { table: 'log', fields: auditFields, dialect: reader.dialect }
  const filtered = reader
    .selectFrom('log')
    .where('account', '=', search.account)
    // Hosts that enter and leave the results of queries: what has caused it is shown.
    .where(sql<SqlBool>`substr(object_id, 1, ${sql.lit(queryEvent('').length)}) <> ${sql.lit(queryEvent(''))}`)
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
    const rows = await sift(await ordered.execute(), (row) =>
      meets({ builtIn: 0, value: (field) => row[columnName(field) as keyof LogRecord] }, search.condition, auditFields),
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
