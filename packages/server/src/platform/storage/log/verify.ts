import type { Reader } from '../handles.ts'
import { hashSegment, type LogRecord, recordsBetween, type Seal, segmentSize } from './seals.ts'

/** What is wrong with a stretch of the log, and with which segment; 0 for what has no seal. */
export interface Fault {
  readonly kind: keyof typeof faultTexts
  readonly segment: number
  readonly first: number
  readonly last: number
}

const faultTexts = {
  order: 'does not follow the one before it',
  chain: 'does not carry the seal of the one before it',
  changed: 'has been changed: its records do not give its seal',
  unsealed: 'should be sealed, and no seal is there',
  gap: 'are not all there',
}

export const describeFault = ({ kind, segment, first, last }: Fault): string =>
  `${segment > 0 ? `segment ${segment} (records ${first} to ${last})` : `records ${first} to ${last}`} ${faultTexts[kind]}`

export interface Verdict {
  readonly segments: number
  readonly records: number
  readonly unsealed: number
  /** Records that retention has removed; their seals stay. */
  readonly removed: number
  /** Seals that cover no record: positions that were left out when a backup was restored. */
  readonly restores: number
  readonly faults: readonly Fault[]
}

/** What one stretch of looking has found. */
export interface Step extends Verdict {
  /** Everything up to this position has been looked at. */
  readonly checked: number
  /** Where the log ends. */
  readonly position: number
  /** The segment to go on after; undefined when all has been seen. */
  readonly next: number | undefined
}

/** A log wherever it is kept. Seals and records are asked for in order. */
export interface SealedLog {
  head(): Promise<{ readonly position: number; readonly sealed: number; readonly floor: number }>
  /** Those behind a segment, up to a position. */
  seals(after: number, sealed: number): AsyncIterable<Seal>
  records(first: number, last: number): Promise<readonly LogRecord[]>
}

/** Told after each segment. */
export type Told = (done: number, of: number) => void

export const verifyLog = (reader: Reader, told: Told): Promise<Verdict> => verifySeals(logOf(reader), told)

/** Recomputes every seal and looks for gaps. */
export async function verifySeals(log: SealedLog, told: Told): Promise<Verdict> {
  const { segments, records, unsealed, removed, restores, faults } = await look(log, nothing, (done, of) => {
    told(done, of)
    return false
  })
  return { segments, records, unsealed, removed, restores, faults }
}

/** Goes on behind a segment until it is enough. Undefined: there is no such segment to go on after. */
export async function verifyStep(reader: Reader, after: number, enough: () => boolean): Promise<Step | undefined> {
  const before = after === 0 ? nothing : await sealOf(reader, after)
  return before && look(logOf(reader), before, enough)
}

/**
 * Recomputes the seals behind one until it is enough, at least one, and behind the last looks for gaps. The log may grow and
 * lose its oldest meanwhile.
 */
async function look(log: SealedLog, before: Known, enough: (done: number, of: number) => boolean): Promise<Step> {
  const head = await log.head()
  const faults: Fault[] = []
  let [last, segments, records, removed, restores] = [before, 0, 0, 0, 0]
  let isEnough = false
  for await (const seal of log.seals(before.segment, head.sealed)) {
    const { segment, first_position: first, last_position } = seal
    const fault = (kind: Fault['kind']) => faults.push({ kind, segment, first, last: last_position })
    if (first !== last.last_position + 1) fault('order')
    if (seal.previous !== last.hash) fault('chain')
    const isLeftOut = seal.hash === hashSegment(seal.previous, [])
    if (isLeftOut) restores++
    const found = first < head.floor ? 'removed' : await recompute(log, seal)
    if (found === 'changed') fault('changed')
    else if (found !== 'removed') records += found
    else if (!isLeftOut) removed += last_position - first + 1
    last = seal
    segments++
    isEnough = enough(last_position, head.position)
    if (isEnough) break
  }
  const common = { segments, records, removed, restores, position: head.position }
  if (isEnough && last.last_position < head.sealed) {
    return { ...common, faults, unsealed: 0, checked: last.last_position, next: last.segment }
  }
  if (last.last_position < head.sealed) {
    faults.push({ kind: 'unsealed', segment: 0, first: last.last_position + 1, last: head.sealed })
  }
  const open = await lookForGaps(log, last.last_position + 1, head.position)
  return {
    ...common,
    faults: [...faults, ...open.faults],
    unsealed: open.records,
    checked: head.position,
    next: undefined,
  }
}

type Known = Pick<Seal, 'segment' | 'hash' | 'last_position'>
const nothing: Known = { segment: 0, hash: '', last_position: 0 }

/** How many records there are, if they give the seal. What retention takes while they are read has not been changed. */
async function recompute(log: SealedLog, seal: Seal): Promise<number | 'changed' | 'removed'> {
  const records = await log.records(seal.first_position, seal.last_position)
  if (hashSegment(seal.previous, records) === seal.hash) return records.length
  return seal.first_position < (await log.head()).floor ? 'removed' : 'changed'
}

async function lookForGaps(log: SealedLog, from: number, to: number): Promise<{ records: number; faults: Fault[] }> {
  const faults: Fault[] = []
  let records = 0
  for (let first = from; first <= to; first += segmentSize) {
    const last = Math.min(to, first + segmentSize - 1)
    const { length } = await log.records(first, last)
    if (length !== last - first + 1) faults.push({ kind: 'gap', segment: 0, first, last })
    records += length
  }
  return { records, faults }
}

const logOf = (reader: Reader): SealedLog => ({
  head: () => reader.selectFrom('log_head').select(['position', 'sealed', 'floor']).executeTakeFirstOrThrow(),
  seals: (after, sealed) => storedSeals(reader, after, sealed),
  records: (first, last) => recordsBetween(reader, first, last),
})

const sealOf = (reader: Reader, segment: number): Promise<Known | undefined> =>
  reader
    .selectFrom('seal')
    .select(['segment', 'hash', 'last_position'])
    .where('segment', '=', segment)
    .executeTakeFirst()

/** Those that were there when the head was read: seals that are made meanwhile are for the next time. */
async function* storedSeals(reader: Reader, segment: number, sealed: number): AsyncGenerator<Seal> {
  for (let after = segment; ; ) {
    const page = await reader
      .selectFrom('seal')
      .selectAll()
      .where('segment', '>', after)
      .where('last_position', '<=', sealed)
      .orderBy('segment')
      .limit(20)
      .execute()
    yield* page
    const last = page.at(-1)
    if (!last) return
    after = last.segment
  }
}
