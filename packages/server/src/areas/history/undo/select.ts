import { setTimeout as pause } from 'node:timers/promises'
import { type BodyOf, history, problem, rule } from '@mainline/contract'
import { inTurns } from '../../../common/concurrency/turns.ts'
import type { LogRecord, Reader } from '../../../storage/index.ts'
import { rowChangesOf } from '../recorded/index.ts'
import type { UndoableRecord } from './plan.ts'

export type UndoRequest = BodyOf<typeof history.undo>

/** A change is numbered some milliseconds after its commit. */
const numberedWithinMs = 5_000

/** The records that a request names, newest first. */
export async function selectRecords(reader: Reader, account: string, asked: UndoRequest): Promise<UndoableRecord[]> {
  const selectors = (['txn_id', 'request_id', 'positions'] as const).filter((name) => asked[name] !== undefined)
  const values = 'txn_id, request_id, positions'
  if (selectors.length !== 1) throw problem('invalid', { field: 'txn_id', rule: rule('oneOfThese', { values }) })
  const records = await numbered(() => namedRecords(reader, account, asked))
  if (records.length > history.mostUndone) throw problem('tooMany', { what: 'records', limit: history.mostUndone })
  await refuseMissing(reader, asked, records)
  const undoable: UndoableRecord[] = []
  await inTurns(records, (record) => {
    const changes = rowChangesOf(record)
    if (!changes) throw problem('recordIncomplete', { position: record.position })
    undoable.push({ record, changes })
  })
  return undoable
}

const namedRecords = (reader: Reader, account: string, { txn_id, request_id, positions }: UndoRequest) =>
  reader
    .selectFrom('log')
    .selectAll()
    .where('account', '=', account)
    .$if(txn_id !== undefined, (query) => query.where('txn_id', '=', txn_id ?? ''))
    .$if(request_id !== undefined, (query) => query.where('request_id', '=', request_id ?? ''))
    .$if(positions !== undefined, (query) =>
      query.where((eb) => reader.dialect.among(eb.ref('position'), positions ?? [], 'integer')),
    )
    .orderBy('ticket', 'desc')
    .limit(history.mostUndone + 1)
    .execute()

const isNumbered = (record: LogRecord): record is UndoableRecord['record'] => record.position !== null

async function numbered(read: () => Promise<LogRecord[]>): Promise<UndoableRecord['record'][]> {
  for (const until = Date.now() + numberedWithinMs; ; ) {
    const records = await read()
    if (records.every(isNumbered)) return records
    if (Date.now() > until) throw problem('notReady')
    await pause(20)
  }
}

async function refuseMissing(reader: Reader, { positions }: UndoRequest, found: readonly LogRecord[]): Promise<void> {
  const known = new Set(found.map(({ position }) => position))
  const missing = positions?.filter((position) => !known.has(position)) ?? []
  const isPart = positions === undefined && isBeginningMissing(found)
  if (missing.length > 0 || isPart) {
    const { floor } = await reader.selectFrom('log_head').select('floor').executeTakeFirstOrThrow()
    const oldest = isPart ? floor - 1 : Math.min(...missing)
    if (oldest < floor) throw problem('recordRemoved', { position: oldest, oldest: floor })
  }
  if (missing.length > 0 || found.length === 0) throw problem('notFound')
}

/** Retention removes segments of the log, which may end inside of a change. What is left of it is not undone by itself. */
function isBeginningMissing(found: readonly LogRecord[]): boolean {
  const first = new Map<string, number>()
  for (const { txn_id: txn, ordinal } of found) first.set(txn, Math.min(ordinal, first.get(txn) ?? ordinal))
  return [...first.values()].some((ordinal) => ordinal > 0)
}
