import type { Reader } from '../change.ts'
import { hashSegment, recordsBetween, type Seal, segmentSize } from './seals.ts'

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
  readonly removed: number
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

/** Recomputes every seal and looks for gaps. `progress` is told after each segment. */
export async function verifyLog(reader: Reader, progress: (done: number, of: number) => void): Promise<Verdict> {
  let whole: Verdict = { segments: 0, records: 0, unsealed: 0, removed: 0, faults: [] }
  for (let after: number | undefined = 0; after !== undefined; ) {
    const step: Step | undefined = await verifyStep(reader, after, () => true)
    if (!step) throw new Error(`segment ${after} has gone`)
    whole = {
      segments: whole.segments + step.segments,
      records: whole.records + step.records,
      unsealed: step.unsealed,
      removed: step.removed,
      faults: [...whole.faults, ...step.faults],
    }
    progress(step.checked, step.position)
    after = step.next
  }
  return whole
}

/**
 * Recomputes the seals behind a segment until it is enough, at least one, and behind the last looks for gaps. The log may grow
 * and lose its oldest meanwhile. Undefined: there is no such segment to go on after.
 */
export async function verifyStep(reader: Reader, after: number, enough: () => boolean): Promise<Step | undefined> {
  const head = await reader.selectFrom('log_head').selectAll().executeTakeFirstOrThrow()
  const before = after === 0 ? nothing : await sealOf(reader, after)
  if (!before) return undefined
  let [last, segments, records] = [before, 0, 0]
  const faults: Fault[] = []
  for await (const seal of sealsBehind(reader, after, head.sealed)) {
    const fault = (kind: Fault['kind']) =>
      faults.push({ kind, segment: seal.segment, first: seal.first_position, last: seal.last_position })
    if (seal.first_position !== last.last_position + 1) fault('order')
    if (seal.previous !== last.hash) fault('chain')
    const found = seal.first_position < head.floor ? 'removed' : await recompute(reader, seal)
    if (found === 'changed') fault('changed')
    if (typeof found === 'number') records += found
    last = seal
    segments++
    if (enough()) break
  }
  const common = { segments, records, removed: head.floor - 1, faults, position: head.position }
  if (last.last_position < head.sealed && segments > 0) {
    return { ...common, unsealed: 0, checked: last.last_position, next: last.segment }
  }
  if (last.last_position < head.sealed) {
    faults.push({ kind: 'unsealed', segment: 0, first: last.last_position + 1, last: head.sealed })
  }
  const open = await lookForGaps(reader, last.last_position + 1, head.position)
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

const sealOf = (reader: Reader, segment: number): Promise<Known | undefined> =>
  reader
    .selectFrom('seal')
    .select(['segment', 'hash', 'last_position'])
    .where('segment', '=', segment)
    .executeTakeFirst()

/** How many records there are, if they give the seal. What retention takes while they are read has not been changed. */
async function recompute(reader: Reader, seal: Seal): Promise<number | 'changed' | 'removed'> {
  const records = await recordsBetween(reader, seal.first_position, seal.last_position)
  if (hashSegment(seal.previous, records) === seal.hash) return records.length
  const { floor } = await reader.selectFrom('log_head').select('floor').executeTakeFirstOrThrow()
  return seal.first_position < floor ? 'removed' : 'changed'
}

/** Those that were there when the head was read: seals that are made meanwhile are for the next time. */
async function* sealsBehind(reader: Reader, segment: number, sealed: number): AsyncGenerator<Seal> {
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

async function lookForGaps(reader: Reader, from: number, to: number): Promise<{ records: number; faults: Fault[] }> {
  const faults: Fault[] = []
  let records = 0
  for (let first = from; first <= to; first += segmentSize) {
    const last = Math.min(to, first + segmentSize - 1)
    const { count } = await reader
      .selectFrom('log')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('position', '>=', first)
      .where('position', '<=', last)
      .executeTakeFirstOrThrow()
    if (count !== last - first + 1) faults.push({ kind: 'gap', segment: 0, first, last })
    records += count
  }
  return { records, faults }
}
