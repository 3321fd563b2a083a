import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import { uniqueId } from '../../unique-id.ts'
import type { Engine } from '../engine.ts'
import { type Reader, readerOver, writerOver } from '../handles.ts'
import type { LogTable, Tables } from '../tables.ts'

/** A segment is sealed when it is full, or when its first record has waited this long, in milliseconds. */
export const segmentSize = 1000
const longestOpen = 60_000

export type Seal = Selectable<Tables['seal']>
export type LogRecord = Selectable<LogTable>

/** The hash of a segment covers every stored byte of its records and the seal before it. */
export function hashSegment(previous: string, records: readonly LogRecord[]): string {
  const hash = createHash('sha256').update(previous)
  for (const record of records) hash.update(bytesOf(record))
  return hash.digest('hex')
}

/** Fixed order, lengths kept by JSON's quotes: two different records never give the same bytes. */
const bytesOf = (r: LogRecord) =>
  `${JSON.stringify([
    r.position,
    r.ticket,
    r.txn_id,
    r.ordinal,
    r.account,
    r.biz_id,
    r.object_id,
    r.inst_id,
    r.operation,
    r.description,
    r.operator,
    r.op_time,
    r.ext_key,
    r.request_id,
    r.content,
    r.events,
  ])}\n`

export const recordsBetween = (reader: Reader, first: number, last: number): Promise<LogRecord[]> =>
  reader
    .selectFrom('log')
    .selectAll()
    .where('position', '>=', first)
    .where('position', '<=', last)
    .orderBy('position')
    .execute()

/** Seals the next segment if it is due. Returns the seal, or undefined when nothing is due. */
export async function sealNext(engine: Engine, now: number, anyAge = false): Promise<Seal | undefined> {
  const light = readerOver(engine.reads, engine)
  const head = await light.selectFrom('log_head').select(['position', 'sealed']).executeTakeFirstOrThrow()
  const open = head.position - head.sealed
  if (open === 0) return undefined
  if (open < segmentSize && !anyAge && now - (await timeOf(light, head.sealed + 1)) < longestOpen) return undefined

  const heavy = readerOver(engine.heavyReads, engine)
  const records = await recordsBetween(heavy, head.sealed + 1, Math.min(head.position, head.sealed + segmentSize))
  const before = await heavy
    .selectFrom('seal')
    .select(['segment', 'hash'])
    .orderBy('segment', 'desc')
    .limit(1)
    .executeTakeFirst()
  const seal: Seal = {
    segment: (before?.segment ?? 0) + 1,
    first_position: head.sealed + 1,
    last_position: head.sealed + records.length,
    last_time: Math.max(...records.map((record) => record.op_time)),
    previous: before?.hash ?? '',
    hash: hashSegment(before?.hash ?? '', records),
    sealed_at: now,
  }
  return engine.transact(uniqueId(), async (connection) => {
    const writer = writerOver(connection, engine)
    // Conditional on what was read: another process that sealed meanwhile has moved the mark.
    const moved = await writer
      .updateTable('log_head')
      .set({ sealed: seal.last_position })
      .where('sealed', '=', head.sealed)
      .executeTakeFirst()
    if (moved.numUpdatedRows !== 1n) return undefined
    await writer.insertInto('seal').values(seal).execute()
    return seal
  })
}

const timeOf = async (reader: Reader, position: number): Promise<number> =>
  (await reader.selectFrom('log').select('op_time').where('position', '=', position).executeTakeFirstOrThrow()).op_time
