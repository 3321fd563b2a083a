// The audit log by change: one row for all records of a transaction.
import { audit, type DataOf, type Language, operationTypes, problem } from '@mainline/contract'
import { sql } from 'kysely'
import type { Zone } from '../../common/time.ts'
import { type LogRecord, type Reader, type Storage, smallText } from '../../storage/index.ts'
import { contentOf, isRecord, nameIn, records as recordsIn } from '../history/recorded/index.ts'
import { type Model, modelOf } from '../model/index.ts'
import { type AuditFilter, filteredLog } from './filter.ts'
import { maxScannedRecords, tooManyToRead } from './locate.ts'
import { phrase } from './phrases.ts'
import { type AuditSearch, matching } from './search.ts'
import { type CountedRecords, sentenceOf } from './sentences.ts'

type Changes = DataOf<typeof audit.getOperationLog>
type ChangeRow = Changes['info'][number]

/** Newest matching records that are grouped for a page; all of them if they do not hold so many changes. */
const windows = [20_000, maxScannedRecords]
/** Records of a change that are read for its sentence. */
const maxExamined = 50

/** The changes that have a matching record, newest first. Their rows cover all of their records that the caller may read. */
export async function searchChanges(
  storage: Storage,
  search: AuditSearch,
  language: Language,
  zone: Zone,
): Promise<Changes> {
  const { start, limit, order } = search
  if (order.some(({ field }) => field !== 'op_time' && field !== 'create_time')) {
    throw problem('unknown', { field: 'sort' })
  }
  const { heavy } = storage
  const { filter, count: matches } = await matching(storage, search)
  const isAscending = order[0]?.descending === false
  for (const window of windows) {
    const { count, txns } = await pageOfChanges(heavy, filter, { window, start, limit, isAscending })
    if (count < start + limit && matches > window) continue
    return { count, info: await describe(heavy, search, txns, language, zone) }
  }
  throw tooManyToRead()
}

interface Grouping {
  readonly window: number
  readonly start: number
  readonly limit: number
  readonly isAscending: boolean
}

async function pageOfChanges(reader: Reader, filter: AuditFilter, { window, start, limit, isAscending }: Grouping) {
  const direction = isAscending ? 'asc' : 'desc'
  const newest = filteredLog(reader, filter)
    .select(['log.txn_id', 'log.ticket'])
    .orderBy('log.op_time', direction)
    .orderBy('log.ticket', direction)
    .limit(window)
    .as('newest')
  const rows = await reader
    .selectFrom(newest)
    .select(['txn_id', sql<number>`count(*) OVER ()`.as('count')])
    .groupBy('txn_id')
    .orderBy((eb) => eb.fn.max('ticket'), direction)
    .offset(start)
    .limit(limit)
    .execute()
  const count = rows[0] ? Number(rows[0].count) : await countChanges(reader, filter, window)
  return { count, txns: rows.map(({ txn_id }) => txn_id) }
}

/** For a page behind the last change. */
async function countChanges(reader: Reader, filter: AuditFilter, window: number): Promise<number> {
  const some = filteredLog(reader, filter).select('log.txn_id').orderBy('log.op_time', 'desc').limit(window).as('some')
  const { count } = await reader
    .selectFrom(some)
    .select((eb) => eb.fn.count<number>('txn_id').distinct().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

const ofChanges = (reader: Reader, { account, businesses }: AuditFilter, txns: readonly string[]) =>
  reader
    .selectFrom('log')
    .where((eb) => reader.dialect.among(eb.ref('txn_id'), txns, 'text'))
    // Not by the index on accounts.
    .where(sql`account || ''`, '=', account)
    .where((eb) => eb.not(eb('object_id', 'like', 'customquery:%')))
    .$if(businesses !== undefined, (query) =>
      query.where((eb) => reader.dialect.among(eb.ref('biz_id'), businesses ?? [], 'integer')),
    )

async function describe(
  reader: Reader,
  search: AuditSearch,
  txns: readonly string[],
  language: Language,
  zone: Zone,
): Promise<ChangeRow[]> {
  if (txns.length === 0) return []
  const counts = await ofChanges(reader, search, txns)
    .select(['txn_id', 'object_id', 'operation'])
    .select((eb) => [eb.fn.countAll<number>().as('records'), eb.fn.min('ordinal').as('first')])
    .groupBy(['txn_id', 'object_id', 'operation'])
    .execute()
  const examined = await firstRecordsOf(reader, search, txns)
  const model = await modelOf(reader, search.account)
  const [countsOf, recordsOf] = [Map.groupBy(counts, (row) => row.txn_id), Map.groupBy(examined, (row) => row.txn_id)]
  return txns.flatMap((txn): ChangeRow[] => {
    const first = recordsOf.get(txn) ?? []
    const groups = (countsOf.get(txn) ?? [])
      .map((row) => ({ ...row, records: Number(row.records), first: Number(row.first) }))
      .toSorted((one, other) => one.first - other.first)
    return first[0] ? [showChange(first[0], first, groups, { model, language, zone })] : []
  })
}

/** Without large contents: all of a page could be hundreds of megabytes. */
function firstRecordsOf(reader: Reader, search: AuditSearch, txns: readonly string[]): Promise<LogRecord[]> {
  const ranked = ofChanges(reader, search, txns)
    .select(['ticket', sql<number>`row_number() OVER (PARTITION BY txn_id ORDER BY ordinal)`.as('nth')])
    .as('ranked')
  return reader
    .selectFrom(ranked)
    .innerJoin('log', 'log.ticket', 'ranked.ticket')
    .selectAll('log')
    .select((eb) => eb.fn.coalesce(smallText('log.content'), sql.lit(noContent)).as('content'))
    .where('ranked.nth', '<=', maxExamined)
    .orderBy('ranked.nth')
    .execute()
}

const noContent = '{"pre":null,"cur":null}'

interface ChangeShowing {
  readonly model: Model
  readonly language: Language
  readonly zone: Zone
}

interface RecordGroup {
  readonly object_id: string
  readonly operation: number
  readonly records: number
}

function showChange(
  change: LogRecord,
  first: readonly LogRecord[],
  groups: readonly RecordGroup[],
  { model, language, zone }: ChangeShowing,
): ChangeRow {
  const isUndo = first.some((record) => (contentOf(record).undoes ?? []).length > 0)
  return {
    bk_supplier_account: change.account,
    bk_biz_id: change.biz_id,
    operator: change.operator,
    op_time: zone.write(change.op_time),
    op_reason: change.reason,
    request_id: change.request_id,
    txn_id: change.txn_id,
    position: change.position,
    summary: sentenceOf(
      groups.map((group) => countedOf(group, first)),
      model,
      language,
      isUndo,
    ),
    counts: groups.map(({ object_id, operation, records }) => ({ bk_obj_id: object_id, op_type: operation, records })),
    record_count: groups.reduce((sum, { records }) => sum + records, 0),
    records: first.slice(0, audit.firstRecords).map((record) => ({
      position: record.position,
      bk_obj_id: record.object_id,
      inst_id: record.inst_id,
      bk_biz_id: record.biz_id,
      name: nameIn(record),
      op_type: record.operation,
      op_desc: phrase(record.description, language),
    })),
  }
}

function countedOf(
  { object_id: object, operation, records }: RecordGroup,
  first: readonly LogRecord[],
): CountedRecords {
  const own = first.filter((record) => record.object_id === object && record.operation === operation)
  const routes = new Set(operation === operationTypes.transfer ? own.map(routeOf) : [])
  // Only where all of them were examined it is known that all were moved the same way.
  const [route] = routes.size === 1 && own.length === records ? routes : []
  return { object, operation, records, names: own.map(nameIn), route }
}

/** `catalogue / web → storefront / web`; businesses where they differ. */
function routeOf(record: LogRecord): string {
  const { pre, cur } = contentOf(record)
  const isWithin = pre?.bk_biz_id === cur?.bk_biz_id
  const place = (side: typeof pre) => {
    if (!side) return ''
    const sets = new Map(recordsIn(side, 'set').map((set) => [set.bk_set_id, set.bk_set_name]))
    const modules = recordsIn(side, 'module').map((module) => {
      const path = [...(isWithin ? [] : [side.bk_biz_name]), sets.get(module.bk_set_id), module.bk_module_name]
      return path.filter((part) => part !== undefined && part !== '').join(' / ')
    })
    return modules.join(', ')
  }
  return isRecord(pre) && isRecord(cur) ? `${place(pre)} → ${place(cur)}` : ''
}
