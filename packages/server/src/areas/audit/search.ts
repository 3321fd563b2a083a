import { operationTypes, problem, rule } from '@mainline/contract'
import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { isKeyOf } from '../../common/keys.ts'
import { readOwnJson } from '../../common/own-json.ts'
import type { Zone } from '../../common/time.ts'
import { type Condition, everything, needsMatching } from '../../condition/condition.ts'
import { parseCondition } from '../../condition/parse.ts'
import { sift } from '../../condition/sift.ts'
import type { Order } from '../../condition/sort.ts'
import { searchByPattern } from '../../matching/index.ts'
import {
  inColumn,
  type LogRecord,
  type Reader,
  type Sized,
  slicesBySize,
  smallText,
  type Tables,
  textBytes,
} from '../../storage/index.ts'
import { countLog, type LogStorage } from './count.ts'
import {
  type AuditFilter,
  auditFields,
  filterColumns,
  filteredLog,
  filteredTally,
  isServed,
  isTallied,
  passing,
  servedPart,
} from './filter.ts'
import { locate, maxScannedRecords, tooManyToRead } from './locate.ts'

/** Up to so many matches are located by their segments instead of by scanning in order. */
const maxLocatedRecords = 200

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
  'history',
]

/** Parses the condition of get_operation_log, which has its own terms for targets, types, times and addresses. */
export function readAuditCondition(given: Record<string, unknown>, zone: Zone): Condition {
  const { inst_name: _, ...others } = given
  return parseCondition(inCommonWords(others), { fields: auditFields, zone, text: 'whole' })
}

/** The name in a condition, which names an instance rather than a field of records. */
export function readAuditName(given: Record<string, unknown>): string | undefined {
  const { inst_name: name } = given
  if (name === undefined || name === null || name === '') return undefined
  if (typeof name !== 'string') throw problem('notString', { field: 'inst_name' })
  return name
}

/** The condition in the common form. Empty fields are no filter. */
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

/** `add`, 1 and "1" are the same type; an unknown word matches nothing. */
function typeNumber(type: unknown): unknown {
  if (typeof type !== 'string' || /^\d+$/.test(type)) return type
  const noSuchType = 0
  return isKeyOf(operationTypes, type) ? operationTypes[type] : noSuchType
}

function timePair(times: unknown): unknown {
  if (Array.isArray(times) && times.length === 0) return undefined
  if (!Array.isArray(times) || times.length !== 2) {
    throw problem('invalid', { field: 'op_time', rule: rule('timePair') })
  }
  return { $gte: times[0], $lte: times[1] }
}

export interface AuditSearch extends AuditFilter {
  /** The name of an instance that all records must be about. */
  readonly name: string | undefined
  readonly order: readonly Order[]
  readonly start: number
  readonly limit: number
}

/** A record as it is shown. */
export type AuditRecord = Pick<LogRecord, (typeof shownColumns)[number] | 'content'>

/** A record of a page, without its content if that is large. */
export interface FoundRecord extends Omit<AuditRecord, 'content'>, Sized {
  readonly content: string | null
}

interface Found {
  readonly count: number
  readonly rows: FoundRecord[]
}

const shownColumns = [...filterColumns, 'position'] as const

export async function searchLog(storage: LogStorage, search: AuditSearch): Promise<Found> {
  const { heavy: reader } = storage
  const { start, limit, order } = search
  const { filter, count } = await matching(storage, search)
  // No row can match, and looking for one would scan the whole log.
  if (start >= count) return { count, rows: [] }
  if (count > maxScannedRecords && order[0] && columnName(order[0].field) !== 'op_time') throw tooManyToRead()
  const page = ordered(shown(filteredLog(reader, filter)), order)
  return { count, rows: await page.offset(start).limit(limit).execute() }
}

const shown = (query: ReturnType<typeof filteredLog>) =>
  query.select([...shownColumns, smallText('log.content').as('content'), textBytes('log.content').as('bytes')])

/** The records of a page with their contents, large ones a few at a time. */
export async function* withContents(reader: Reader, rows: readonly FoundRecord[]): AsyncGenerator<AuditRecord> {
  for (const slice of slicesBySize(rows)) {
    const large = slice.filter(({ content }) => content === null).map(({ ticket }) => ticket)
    const read = await contentsOf(reader, large)
    for (const { bytes: _, ...row } of slice) {
      const content = row.content ?? read.get(row.ticket)
      // Retention may have removed it since the page was read.
      if (content !== undefined) yield { ...row, content }
    }
  }
}

async function contentsOf(reader: Reader, tickets: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (tickets.length === 0) return new Map()
  const rows = await reader
    .selectFrom('log')
    .select(['ticket', 'content'])
    .where((eb) => reader.dialect.among(eb.ref('ticket'), tickets, 'integer'))
    .execute()
  return new Map(rows.map(({ ticket, content }) => [ticket, content]))
}

/** The filter, narrowed by an index or by tallies if one applies, and the number of matches. Patterns are matched already. */
export async function matching(
  storage: LogStorage,
  search: AuditSearch,
): Promise<{ filter: AuditFilter; count: number }> {
  const { heavy: reader } = storage
  const { account, businesses, condition } = search
  const whole: AuditFilter = { account, businesses, condition }
  const located = await locate(reader, search)
  const filter = located ? { ...whole, tickets: located } : whole
  if (needsMatching(condition)) {
    const tickets = await searchByPattern(() => matchLog(reader, filter))
    return { filter: { account, businesses, condition: everything, tickets }, count: tickets.length }
  }
  if (located) return { filter, count: await countRead(filteredLog(reader, filter)) }
  if (!isServed(whole)) await refuseToReadMany(reader, whole)
  const count = await countLog(storage, whole)
  const tickets = count <= maxLocatedRecords && isTallied(whole) ? await ticketsInSegments(reader, whole) : undefined
  return { filter: tickets ? { ...whole, tickets } : whole, count }
}

const countRead = async (query: ReturnType<typeof filteredLog>): Promise<number> =>
  Number((await query.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()).count)

/** Refuses a search that would have to scan too many records. */
async function refuseToReadMany(reader: Reader, filter: AuditFilter): Promise<void> {
  const some = filteredLog(reader, servedPart(filter)).select('ticket')
  const found = await reader
    .selectFrom(some.limit(maxScannedRecords + 1).as('some'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  if (Number(found.count) > maxScannedRecords) throw tooManyToRead()
}

/**
 * In a long log, rare records are located first: in the sealed segments whose tallies contain some, and in the segments that are not
 * tallied yet.
 */
async function ticketsInSegments(reader: Reader, filter: AuditFilter): Promise<number[] | undefined> {
  const { tallied, position, floor } = await reader
    .selectFrom('log_head')
    .select(['tallied', 'position', 'floor'])
    .executeTakeFirstOrThrow()
  if (position - floor < maxScannedRecords) return undefined
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

/** Matches patterns here, with the same RE2 on both engines, after SQL has applied the other filters. */
async function matchLog(reader: Reader, search: AuditFilter): Promise<number[]> {
  const { condition } = search
  const { dialect } = reader
  const candidates = await candidateTickets(reader, search)
  const tickets: number[] = []
  const view = (row: Pick<LogRecord, (typeof filterColumns)[number]>) => ({
    builtIn: 0,
    value: (field: string) => inColumn(row, columnName(field)),
  })
  for (let first = 0; first < candidates.length; first += recordsPerStep) {
    const rows = await reader
      .selectFrom('log')
      .select(filterColumns)
      .where((eb) => dialect.among(eb.ref('ticket'), candidates.slice(first, first + recordsPerStep), 'integer'))
      .execute()
    for (const { ticket } of await sift(rows, { condition, fields: auditFields, view })) tickets.push(ticket)
  }
  return tickets
}

/** Records read per step for pattern matching: all together could take hundreds of megabytes. */
const recordsPerStep = 1_000

/** The records that match everything but the patterns, as one value: transferring as many rows takes longer than finding them. */
async function candidateTickets(reader: Reader, search: AuditFilter): Promise<number[]> {
  const ticket = sql.ref<number>('some.ticket')
  const { found } = await reader
    .selectFrom(
      filteredLog(reader, search)
        .select('ticket')
        .limit(maxScannedRecords + 1)
        .as('some'),
    )
    .select(reader.dialect.arraysText([ticket], ticket).as('found'))
    .executeTakeFirstOrThrow()
  const tickets = readOwnJson<[number][]>(found ?? '[]').map(([each]) => each)
  if (tickets.length > maxScannedRecords) throw tooManyToRead()
  return tickets
}

function ordered<Row>(query: SelectQueryBuilder<Tables, 'log', Row>, wanted: readonly Order[]) {
  const order = wanted.length > 0 ? wanted : [{ field: 'op_time', descending: true }]
  const sorted = order.reduce(
    (sorting, { field, descending }) => sorting.orderBy(columnOf(field), descending ? 'desc' : 'asc'),
    query,
  )
  // Records with the same time are ordered by ticket, in the same direction.
  return sorted.orderBy('ticket', order[0]?.descending ? 'desc' : 'asc')
}

function columnName(field: string): string {
  const at = auditFields.get(field)?.at
  if (!at || !('column' in at)) throw new Error(`no field ${field}`)
  return at.column
}

const columnOf = (field: string): Expression<SqlBool> => sql.ref(columnName(field))
