// Records of the log as steps: the changes of one transaction in one account, which become visible together.
import { inTurns } from '../../../common/concurrency/turns.ts'
import { type LogRecord, prepared, type Reader, textBytes } from '../../../storage/index.ts'
import { type RowChange, rowChangesOf } from '../recorded/index.ts'

/** All changes of a step take effect at its last position. */
export interface Step {
  readonly position: number
  readonly changes: readonly RowChange[]
}

interface RecordHead {
  readonly position: number | null
  readonly txn_id: string
  readonly bytes: number
}

/** Records per batch: few enough that a batch is one short transaction. */
const maxRecords = 300
const maxBytes = 4_000_000

const headsAfter = prepared((reader, { after, limit }: { after: number; limit: number }) =>
  reader
    .selectFrom('log')
    .select(['position', 'txn_id', textBytes('content').as('bytes')])
    .where('position', '>', after)
    .orderBy('position')
    .limit(limit),
)

const between = prepared((reader, { from, to }: { from: number; to: number }) =>
  reader.selectFrom('log').selectAll().where('position', '>=', from).where('position', '<=', to).orderBy('position'),
)

interface NextRecords {
  readonly records: LogRecord[]
  /** None yet: the next transaction is still being numbered. */
  readonly isUnfinished: boolean
}

/** The next records of all accounts. Ends with the last record of a transaction, however many it has. */
export async function recordsAfter(reader: Reader, after: number): Promise<NextRecords> {
  for (let limit = maxRecords; ; limit *= 4) {
    const heads = await headsAfter(reader, { after, limit })
    const last = heads.at(-1)
    if (!last) return { records: [], isUnfinished: false }
    const hasMore = heads.length === limit
    const isUnfinished = !hasMore && (await unnumberedOf(reader, { txn_id: last.txn_id })).length > 0
    const end = endOf(heads, !hasMore && !isUnfinished)
    if (end === 'longer' && hasMore) continue
    if (end === undefined || end === 'longer') return { records: [], isUnfinished }
    return { records: await between(reader, { from: after + 1, to: end.position }), isUnfinished: false }
  }
}

/** A thousand records are numbered at a time, so a longer transaction is a while in part only. */
const unnumberedOf = prepared((reader, { txn_id }: Pick<RecordHead, 'txn_id'>) =>
  reader.selectFrom('log').select('ticket').where('txn_id', '=', txn_id).where('position', 'is', null).limit(1),
)

/** Where a batch ends: below the limits, but between two transactions. */
function endOf(
  heads: readonly RecordHead[],
  isLast: boolean,
): { position: number; index: number } | 'longer' | undefined {
  let bytes = 0
  let end: { position: number; index: number } | undefined
  for (const [index, head] of heads.entries()) {
    bytes += head.bytes
    const next = heads[index + 1]
    const isBoundary = next ? !isContinued(head, next) : isLast
    if (end && (bytes > maxBytes || index >= maxRecords)) return end
    if (isBoundary) end = { position: head.position ?? 0, index }
  }
  return end ?? (heads.length > 0 ? 'longer' : undefined)
}

const headsBefore = prepared((reader, values: { account: string; from: number; before: number; limit: number }) =>
  reader
    .selectFrom('log')
    .select(['position', 'txn_id', textBytes('content').as('bytes')])
    .where('account', '=', values.account)
    .where('position', '>=', values.from)
    .where('position', '<', values.before)
    .orderBy('position', 'desc')
    .limit(values.limit),
)

const ofAccount = prepared((reader, { account, from, to }: { account: string; from: number; to: number }) =>
  reader
    .selectFrom('log')
    .selectAll()
    .where('account', '=', account)
    .where('position', '>=', from)
    .where('position', '<=', to)
    .orderBy('position'),
)

/** An account may have few of these positions. */
const positionsAtOnce = 20_000

/** The records of an account just below a position, in order, and the position from which on it has no others. */
export async function recordsBefore(
  reader: Reader,
  account: string,
  before: number,
): Promise<{ records: LogRecord[]; from: number }> {
  for (let window = positionsAtOnce; ; window *= 4) {
    const from = Math.max(1, before - window)
    const heads = await headsBefore(reader, { account, from, before, limit: Math.max(maxRecords, window / 16) })
    const isLast = heads.length < Math.max(maxRecords, window / 16) && from === 1
    if (heads.length === 0) return { records: [], from }
    const end = endOf(heads, isLast)
    if (end === undefined || end === 'longer') continue
    return { records: await ofAccount(reader, { account, from: end.position, to: before - 1 }), from: end.position }
  }
}

interface Steps {
  readonly steps: readonly Step[]
  /** The end of the last transaction with a record of an earlier release, which does not hold everything that was stored. */
  readonly incompleteTo: number | undefined
}

/** The steps of an account in order, but for incomplete ones. */
export async function stepsOf(records: readonly LogRecord[]): Promise<Steps> {
  const steps: { position: number; changes: RowChange[]; isComplete: boolean }[] = []
  let previous: LogRecord | undefined
  await inTurns(records, (record) => {
    const changes = rowChangesOf(record)
    let step = steps.at(-1)
    if (!step || !previous || !isContinued(previous, record)) {
      step = { position: 0, changes: [], isComplete: true }
      steps.push(step)
    }
    step.position = record.position ?? Number.MAX_SAFE_INTEGER
    if (changes) step.changes.push(...withHostBusinesses(changes))
    else step.isComplete = false
    previous = record
  })
  return {
    steps: steps.filter(({ isComplete }) => isComplete),
    incompleteTo: steps.findLast(({ isComplete }) => !isComplete)?.position,
  }
}

type Numbered = Pick<LogRecord, 'position' | 'txn_id'>

/**
 * Whether two neighbours are of one step. Records of a transaction may have others in between, which it has not waited for: then it is
 * several steps, so that the steps are the same whatever range of the log is read.
 */
const isContinued = (one: Numbered, other: Numbered): boolean =>
  one.txn_id === other.txn_id && Math.abs((other.position ?? 0) - (one.position ?? 0)) <= 1

/** A host is stored with its business, which its record tells by the placement. */
function withHostBusinesses(changes: readonly RowChange[]): readonly RowChange[] {
  const placement = changes.find((change) => change.kind === 'placement')
  if (!placement) return changes
  const placed = (side: 'before' | 'after', host: RowChange) =>
    host[side] && { ...host[side], ...(placement[side] && { biz_id: placement[side].biz_id }) }
  return changes.map((change) =>
    change.kind === 'host' ? { ...change, before: placed('before', change), after: placed('after', change) } : change,
  )
}
