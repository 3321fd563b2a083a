import { type OperationType, operationTypes, problem, rule } from '@mainline/contract'
import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { compile } from '../../platform/condition/compile.ts'
import { type Condition, needsMatching } from '../../platform/condition/condition.ts'
import { meets } from '../../platform/condition/evaluate.ts'
import { parseCondition } from '../../platform/condition/parse.ts'
import { sift } from '../../platform/condition/sift.ts'
import type { Order } from '../../platform/condition/sort.ts'
import type { CommittedReader, LogRecord, Reader, Tables } from '../../platform/storage/index.ts'
import type { Zone } from '../../platform/time.ts'
import { countLog } from './count.ts'
import {
  type AuditFilter,
  auditFields,
  filterColumns,
  filteredLog,
  filteredTally,
  isServed,
  isTallied,
  keysIn,
  passing,
  servedPart,
} from './filter.ts'

/** Records that are read one by one at most, where no index leads to those that are meant. */
const mostTried = 200_000
/** What is rarer than this is not waited for to come by. */
const few = 200

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

export interface AuditSearch extends AuditFilter {
  readonly order: readonly Order[]
  readonly start: number
  readonly limit: number
}

interface Found {
  readonly count: number
  readonly rows: LogRecord[]
}

export async function searchLog(reader: CommittedReader, search: AuditSearch): Promise<Found> {
  if (needsMatching(search.condition)) return matchLog(reader, search)
  const { start, limit, order } = search
  const { filter, count } = await narrowed(reader, search)
  // Looking for what is not there would go through all of the log once more.
  if (start >= count) return { count, rows: [] }
  if (count > mostTried && order[0] && columnName(order[0].field) !== 'op_time') throw tooManyToRead()
  const page = ordered(filteredLog(reader, filter).selectAll(), order)
  return { count, rows: await page.offset(start).limit(limit).execute() }
}

/** The filter with whatever leads to its records without reading all, and how many pass. */
async function narrowed(reader: CommittedReader, { account, businesses, condition }: AuditSearch) {
  const whole: AuditFilter = { account, businesses, condition }
  const keys = keysIn(condition)
  if (keys) {
    const filter = { ...whole, tickets: await ticketsOfKeys(reader, account, keys) }
    return { filter, count: await countRead(filteredLog(reader, filter)) }
  }
  if (!isServed(whole)) await refuseToReadMany(reader, whole)
  const count = await countLog(reader, whole)
  const tickets = count <= few && isTallied(whole) ? await ticketsInSegments(reader, whole) : undefined
  return { filter: tickets ? { ...whole, tickets } : whole, count }
}

const tooManyToRead = () =>
  problem('tooMany', { what: rule('recordsToRead'), limit: mostTried, rule: rule('narrowByTime') })

const countRead = async (query: ReturnType<typeof filteredLog>): Promise<number> =>
  Number((await query.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()).count)

/** So many records would be read one by one that nobody waits for it. */
async function refuseToReadMany(reader: Reader, filter: AuditFilter): Promise<void> {
  const some = filteredLog(reader, servedPart(filter)).select('ticket')
  const found = await reader
    .selectFrom(some.limit(mostTried + 1).as('some'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  if (Number(found.count) > mostTried) throw tooManyToRead()
}

/** Found by the index of keys, or among the few of which a key is a list. */
async function ticketsOfKeys(reader: Reader, account: string, keys: readonly string[]): Promise<number[]> {
  const of = () => reader.selectFrom('log').select('ticket').where('account', '=', account)
  const listed = compile(
    { field: 'ext_key', test: { is: 'listing', names: keys } },
    { table: 'log', fields: auditFields, dialect: reader.dialect },
  )
  const found = await of()
    .where(sql<SqlBool>`ext_key <> ''`)
    .where((eb) => reader.dialect.among(eb.ref('ext_key'), keys, 'text'))
    .union(of().where(sql<SqlBool>`ext_key LIKE '%,%'`).where(listed))
    .limit(mostTried + 1)
    .execute()
  if (found.length > mostTried) throw tooManyToRead()
  return found.map((row) => row.ticket)
}

/**
 * In a long log, what is rare is looked for where it is: in the sealed segments that hold some of it by their tallies, and in what
 * is not tallied yet.
 */
async function ticketsInSegments(reader: Reader, filter: AuditFilter): Promise<number[] | undefined> {
  const { tallied, position, floor } = await reader
    .selectFrom('log_head')
    .select(['tallied', 'position', 'floor'])
    .executeTakeFirstOrThrow()
  if (position - floor < mostTried) return undefined
  const segments = await filteredTally(reader, filter).select('segment').distinct().execute()
  const inside = reader
    .selectFrom('seal')
    .innerJoin('log', (join) =>
      join.onRef('log.position', '>=', 'seal.first_position').onRef('log.position', '<=', 'seal.last_position'),
    )
    .select('log.ticket')
    .where((eb) =>
      reader.dialect.among(
        eb.ref('seal.segment'),
        segments.map((row) => row.segment),
        'integer',
      ),
    )
    .where(passing(reader, filter, true))
  const found = await inside.union(filteredLog(reader, filter, tallied).select('ticket')).execute()
  return found.map((row) => row.ticket)
}

/** Patterns are matched here, on both engines by the same RE2, after SQL has narrowed the rows by the other filters. */
async function matchLog(reader: Reader, search: AuditSearch): Promise<Found> {
  const candidates = await ordered(filteredLog(reader, search).select(filterColumns), search.order)
    .limit(mostTried + 1)
    .execute()
  if (candidates.length > mostTried) throw tooManyToRead()
  const passed = await sift(candidates, (row) =>
    meets({ builtIn: 0, value: (field) => row[columnName(field) as keyof typeof row] }, search.condition, auditFields),
  )
  const tickets = passed.slice(search.start, search.start + search.limit).map((row) => row.ticket)
  if (tickets.length === 0) return { count: passed.length, rows: [] }
  const whole = await reader.selectFrom('log').selectAll().where('ticket', 'in', tickets).execute()
  const byTicket = new Map(whole.map((row) => [row.ticket, row]))
  return { count: passed.length, rows: tickets.flatMap((ticket) => byTicket.get(ticket) ?? []) }
}

function ordered<Row>(query: SelectQueryBuilder<Tables, 'log', Row>, wanted: readonly Order[]) {
  const order = wanted.length > 0 ? wanted : [{ field: 'op_time', descending: true }]
  const sorted = order.reduce(
    (sorting, { field, descending }) => sorting.orderBy(columnOf(field), descending ? 'desc' : 'asc'),
    query,
  )
  // Records of one moment in the order in which they came, seen from the same end.
  return sorted.orderBy('ticket', order[0]?.descending ? 'desc' : 'asc')
}

function columnName(field: string): string {
  const at = auditFields.get(field)?.at
  if (!at || !('column' in at)) throw new Error(`no field ${field}`)
  return at.column
}

const columnOf = (field: string): Expression<SqlBool> => sql.ref(columnName(field))
