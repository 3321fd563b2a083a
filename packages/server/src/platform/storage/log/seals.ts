import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import { uniqueId } from '../../unique-id.ts'
import type { Engine } from '../engine.ts'
import { type Reader, readerOver, type Writer, writerOver } from '../handles.ts'
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

  const seal = await makeSeal(readerOver(engine.heavyReads, engine), head, now)
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

/** The next seal over what is not sealed yet, as far as one segment goes. */
async function makeSeal(reader: Reader, head: { position: number; sealed: number }, now: number): Promise<Seal> {
  const records = await recordsBetween(reader, head.sealed + 1, Math.min(head.position, head.sealed + segmentSize))
  return sealOver(await lastSeal(reader), head.sealed, records, now)
}

const lastSeal = (reader: Reader) =>
  reader.selectFrom('seal').select(['segment', 'hash']).orderBy('segment', 'desc').limit(1).executeTakeFirst()

function sealOver(
  before: Pick<Seal, 'segment' | 'hash'> | undefined,
  sealed: number,
  records: readonly LogRecord[],
  now: number,
): Seal {
  return {
    segment: (before?.segment ?? 0) + 1,
    first_position: sealed + 1,
    last_position: sealed + records.length,
    last_time: Math.max(...records.map((record) => record.op_time)),
    previous: before?.hash ?? '',
    hash: hashSegment(before?.hash ?? '', records),
    sealed_at: now,
  }
}

/** Seals all there is, and then goes on at a later position; a seal over no records covers what was left out. */
export async function sealAndLeaveOut(writer: Writer, next: number, now: number): Promise<void> {
  const head = await writer.selectFrom('log_head').select(['position', 'sealed']).executeTakeFirstOrThrow()
  let { sealed } = head
  while (sealed < head.position) {
    const seal = await makeSeal(writer, { position: head.position, sealed }, now)
    await writer.insertInto('seal').values(seal).execute()
    sealed = seal.last_position
  }
  const empty = { ...sealOver(await lastSeal(writer), sealed, [], now), last_position: next - 1, last_time: now }
  await writer.insertInto('seal').values(empty).execute()
  await writer
    .updateTable('log_head')
    .set({ position: next - 1, sealed: next - 1 })
    .execute()
}

const timeOf = async (reader: Reader, position: number): Promise<number> =>
  (await reader.selectFrom('log').select('op_time').where('position', '=', position).executeTakeFirstOrThrow()).op_time
