import { createHash } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import { uniqueId } from '../../common/unique-id.ts'
import type { Engine } from '../engine.ts'
import { type Reader, readerOver, type Writer, writerOver } from '../handles.ts'
import { slicesBySize, textBytes } from '../large-texts.ts'
import { leafHash, merkleRoot } from '../seals/merkle.ts'
import type { Signer } from '../seals/signer.ts'
import { isSigned, type Seal, statementOf } from '../seals/statement.ts'
import type { LogTable } from '../tables.ts'

/** A segment is sealed when it is full, or when its first record is this old. */
export const segmentSize = 1000
const maxOpenMs = 60_000

/** Inputs of sealing that are not in the database. */
interface SealTerms {
  readonly signer?: Signer | undefined
  readonly retentionDays: number
  readonly signal?: AbortSignal
}

const unsigned: SealTerms = { retentionDays: 0 }

export type LogRecord = Selectable<LogTable>

interface SegmentDigest {
  /** Covers every stored byte of the records and the seal before them. */
  readonly hash: string
  /** Of the Merkle tree, one for each record. */
  readonly leaves: readonly Buffer[]
  readonly lastTime: number
  readonly last: Pick<LogRecord, 'position' | 'txn_id' | 'ordinal'> | undefined
}

/** Takes the records as they are read: a thousand of them may have gigabytes. */
export async function digestSegment(
  previous: string,
  records: AsyncIterable<LogRecord> | Iterable<LogRecord>,
): Promise<SegmentDigest> {
  const hash = createHash('sha256').update(previous)
  const leaves: Buffer[] = []
  let lastTime = Number.NEGATIVE_INFINITY
  let last: SegmentDigest['last']
  for await (const record of records) {
    const text = textOf(record)
    hash.update(text)
    leaves.push(leafHash(text))
    lastTime = Math.max(lastTime, record.op_time)
    last = { position: record.position, txn_id: record.txn_id, ordinal: record.ordinal }
  }
  return { hash: hash.digest('hex'), leaves, lastTime, last }
}

/**
 * Canonical text of a record: fixed order and JSON quoting, so that different records never have the same bytes. Records from before
 * revisions and reasons existed keep the bytes with which they were sealed.
 */
export const textOf = (r: LogRecord): string =>
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
    ...(r.revision === 0 && r.reason === '' ? [] : [r.revision, r.reason]),
  ])}\n`

/** Reads large records a few at a time. */
export async function* recordsBetween(reader: Reader, first: number, last: number): AsyncGenerator<LogRecord> {
  const between = (from: number, to: number) =>
    reader.selectFrom('log').where('position', '>=', from).where('position', '<=', to).orderBy('position')
  const bytes = sql<number>`${textBytes('content')} + ${textBytes('events')}`.as('bytes')
  const sizes = await between(first, last).select(['position', bytes]).execute()
  for (const slice of slicesBySize(sizes)) {
    const [from, to] = [slice[0]?.position ?? first, slice.at(-1)?.position ?? last]
    yield* await between(from, to).selectAll().execute()
  }
}

export async function isSealDue(engine: Engine, now: number): Promise<boolean> {
  const reader = readerOver(engine.reads, engine)
  return isOpenTooLong(reader, await readHead(reader), now)
}

async function isOpenTooLong(reader: Reader, { position, sealed }: SealHead, now: number): Promise<boolean> {
  const open = position - sealed
  return open >= segmentSize || (open > 0 && now - (await timeOf(reader, sealed + 1)) >= maxOpenMs)
}

/** Seals the next segment if it is due. Returns the seal, or undefined. */
export async function sealNext(
  engine: Engine,
  now: number,
  anyAge = false,
  terms: SealTerms = unsigned,
): Promise<Seal | undefined> {
  const light = readerOver(engine.reads, engine)
  const head = await readHead(light)
  if (head.position === head.sealed) return undefined
  if (!anyAge && !(await isOpenTooLong(light, head, now))) return undefined

  const { seal, last } = await makeSeal(readerOver(engine.heavyReads, engine), head, now, terms)
  const isStored = await engine.transact(uniqueId(), async (connection) => {
    const writer = writerOver(connection, engine)
    // Conditional update: fails if another process has sealed in the meantime.
    const moved = await writer
      .updateTable('log_head')
      .set({ sealed: seal.last_position })
      .where('sealed', '=', head.sealed)
      .executeTakeFirst()
    if (moved.numUpdatedRows !== 1n) return false
    // The database may have gone back since the records were read.
    if (last && !(await isThere(writer, last))) throw new Error('the records to be sealed have been replaced')
    await writer.insertInto('seal').values(seal).execute()
    return true
  })
  // Another process sealed this segment; the next one may be due as well.
  return isStored ? seal : sealNext(engine, now, anyAge, terms)
}

interface SealHead {
  readonly position: number
  readonly sealed: number
  readonly floor: number
}

const readHead = (reader: Reader): Promise<SealHead> =>
  reader.selectFrom('log_head').select(['position', 'sealed', 'floor']).executeTakeFirstOrThrow()

/** The seal of the next segment of unsealed records. */
async function makeSeal(reader: Reader, head: SealHead, now: number, terms: SealTerms) {
  const before = await newestSeal(reader)
  const records = recordsBetween(reader, head.sealed + 1, Math.min(head.position, head.sealed + segmentSize))
  const digest = await digestSegment(before?.hash ?? '', records)
  return { seal: await signed(sealOver(before, head, digest, now), terms), last: digest.last }
}

type Unsigned = Omit<Seal, 'key_id' | 'signature' | 'retention_days'>

/** Without a key, records of a signed log stay unsealed: anyone could have made unsigned seals. */
async function signed(seal: Unsigned, { signer, retentionDays, signal }: SealTerms): Promise<Seal> {
  const stated = { ...seal, retention_days: retentionDays }
  if (signer) {
    const since = seal.signed_since === 0 ? seal.segment : seal.signed_since
    const full = { ...stated, signed_since: since }
    return { ...full, key_id: signer.keyId, signature: await signer.sign(statementOf(full), signal) }
  }
  if (seal.signed_since === 0) return { ...stated, key_id: '', signature: '' }
  throw new Error('the seals of this log are signed, and this process has no key to sign with (MAINLINE_SEAL_KEY)')
}

async function isThere(
  reader: Reader,
  { position, txn_id, ordinal }: NonNullable<SegmentDigest['last']>,
): Promise<boolean> {
  const found = await reader
    .selectFrom('log')
    .select('ticket')
    .where('position', '=', position)
    .where('txn_id', '=', txn_id)
    .where('ordinal', '=', ordinal)
    .executeTakeFirst()
  return found !== undefined
}

export const newestSeal = (reader: Reader): Promise<Seal | undefined> =>
  reader.selectFrom('seal').selectAll().orderBy('segment', 'desc').limit(1).executeTakeFirst()

function sealOver(before: Seal | undefined, head: SealHead, digest: SegmentDigest, now: number): Unsigned {
  return {
    segment: (before?.segment ?? 0) + 1,
    first_position: head.sealed + 1,
    last_position: head.sealed + digest.leaves.length,
    last_time: digest.lastTime,
    previous: before?.hash ?? '',
    hash: digest.hash,
    root: merkleRoot(digest.leaves).toString('hex'),
    floor: head.floor,
    sealed_at: now,
    signed_since: before && isSigned(before) ? before.signed_since : 0,
  }
}

/** Seals all records, then skips to a later position; a seal without records covers the gap. */
export async function sealAndLeaveOut(writer: Writer, next: number, now: number, signer?: Signer): Promise<void> {
  const head = await readHead(writer)
  const terms = { signer, retentionDays: (await newestSeal(writer))?.retention_days ?? 0 }
  let { sealed } = head
  while (sealed < head.position) {
    const { seal } = await makeSeal(writer, { ...head, sealed }, now, terms)
    await writer.insertInto('seal').values(seal).execute()
    sealed = seal.last_position
  }
  const before = await newestSeal(writer)
  const nothing = await digestSegment(before?.hash ?? '', [])
  const empty = { ...sealOver(before, { ...head, sealed }, nothing, now), last_position: next - 1 }
  await writer
    .insertInto('seal')
    .values(await signed({ ...empty, last_time: now }, terms))
    .execute()
  await writer
    .updateTable('log_head')
    .set({ position: next - 1, sealed: next - 1 })
    .execute()
}

const timeOf = async (reader: Reader, position: number): Promise<number> =>
  (await reader.selectFrom('log').select('op_time').where('position', '=', position).executeTakeFirstOrThrow()).op_time
