import type { Reader } from '../handles.ts'
import { Attestation, type Attested, type AttestedFault, attestedTexts, type Proofs } from '../seals/attest.ts'
import { merkleRoot } from '../seals/merkle.ts'
import type { Seal } from '../seals/statement.ts'
import { digestSegment, type LogRecord, recordsBetween, segmentSize } from './seals.ts'

/** A fault in a range of the log, and its segment; 0 for unsealed records. */
export interface Fault extends Omit<AttestedFault, 'kind'> {
  readonly kind: keyof typeof faultTexts
}

const faultTexts = {
  ...attestedTexts,
  order: 'does not follow the one before it',
  chain: 'does not carry the seal of the one before it',
  changed: 'has been changed: its records do not give its seal',
  unsealed: 'should be sealed, and no seal is there',
  gap: 'are not all there',
}

export const describeFault = ({ kind, segment, first, last, about = '' }: Fault): string =>
  `${segment > 0 ? `segment ${segment} (records ${first} to ${last})` : `records ${first} to ${last}`} ${faultTexts[kind].replace('{about}', about)}`

export interface Verdict {
  readonly segments: number
  readonly records: number
  readonly unsealed: number
  /** Records removed by retention; their seals are kept. */
  readonly removed: number
  /** Seals without records, for the positions that a restore skips. */
  readonly restores: number
  readonly faults: readonly Fault[]
  /** Absent if there was nothing to compare the log with. */
  readonly attested?: Attested
}

/** The result of one step of verification. */
interface VerifyStep extends Verdict {
  /** The last verified position. */
  readonly checked: number
  /** The last position of the log. */
  readonly position: number
  /** The segment to continue after; undefined at the end. */
  readonly next: number | undefined
}

/** A source of log records, such as a database or a backup. Seals and records are read in order. */
export interface SealedLog {
  head(): Promise<{ readonly position: number; readonly sealed: number; readonly floor: number }>
  /** Seals after a segment, up to a position. */
  seals(after: number, sealed: number): AsyncIterable<Seal>
  records(first: number, last: number): AsyncIterable<LogRecord>
}

/** Progress callback, called after each segment. */
type OnProgress = (done: number, of: number) => void

export const verifyLog = (reader: Reader, onProgress: OnProgress, proofs?: Proofs): Promise<Verdict> =>
  verifySeals(logOf(reader), onProgress, proofs)

/** Verifies every seal, searches for gaps, and compares with signatures and a witness. */
export async function verifySeals(log: SealedLog, onProgress: OnProgress, proofs?: Proofs): Promise<Verdict> {
  const enough = (done: number, of: number) => {
    onProgress(done, of)
    return false
  }
  const { checked: _, position: __, next: ___, ...verdict } = await look(log, nothingVerified, enough, proofs)
  return verdict
}

/** Continues after a segment until `enough`. Returns undefined if there is no such segment. */
export async function verifyStep(
  reader: Reader,
  after: number,
  enough: () => boolean,
  keys?: Proofs['keys'],
): Promise<VerifyStep | undefined> {
  const before = after === 0 ? nothingVerified : await sealOf(reader, after)
  return before && look(logOf(reader), before, enough, { keys, isPartial: true })
}

/**
 * Verifies at least one of the seals after a segment, until `enough`; after the last seal it searches for gaps. The log may grow, and
 * retention may remove its oldest records, at the same time.
 */
async function look(
  log: SealedLog,
  before: Known,
  enough: (done: number, of: number) => boolean,
  proofs?: Proofs,
): Promise<VerifyStep> {
  const head = await log.head()
  const attestation = new Attestation(proofs ?? {})
  const faults: Fault[] = []
  let [last, segments, records, removed, restores] = [before, 0, 0, 0, 0]
  let isEnough = false
  for await (const seal of log.seals(before.segment, head.sealed)) {
    const { segment, first_position: first, last_position } = seal
    const fault = (kind: Fault['kind']) => faults.push({ kind, segment, first, last: last_position })
    if (first !== last.last_position + 1) fault('order')
    if (seal.previous !== last.hash) fault('chain')
    const isLeftOut = seal.hash === (await digestSegment(seal.previous, [])).hash
    if (isLeftOut) restores++
    const found = first < head.floor ? 'removed' : await recompute(log, seal)
    if (found === 'changed') fault('changed')
    else if (found !== 'removed') records += found
    else if (!isLeftOut) removed += last_position - first + 1
    faults.push(...attestation.see(seal, { isRemoved: found === 'removed', isLeftOut }))
    last = seal
    segments++
    isEnough = enough(last_position, head.position)
    if (isEnough) break
  }
  const attested = proofs && { attested: attestation.attested }
  const common = { segments, records, removed, restores, position: head.position, ...attested }
  if (isEnough && last.last_position < head.sealed) {
    const step = [...faults, ...attestation.finish(head.position)]
    return { ...common, faults: step, unsealed: 0, checked: last.last_position, next: last.segment }
  }
  if (last.last_position < head.sealed) {
    faults.push({ kind: 'unsealed', segment: 0, first: last.last_position + 1, last: head.sealed })
  }
  const open = await lookForGaps(log, last.last_position + 1, head.position)
  return {
    ...common,
    faults: [...faults, ...open.faults, ...attestation.finish(head.position)],
    unsealed: open.records,
    checked: head.position,
    next: undefined,
  }
}

type Known = Pick<Seal, 'segment' | 'hash' | 'last_position'>
const nothingVerified: Known = { segment: 0, hash: '', last_position: 0 }

/** The number of records if their hash matches the seal. Records that retention removes while they are read count as removed, not changed. */
async function recompute(log: SealedLog, seal: Seal): Promise<number | 'changed' | 'removed'> {
  const { hash, leaves } = await digestSegment(seal.previous, log.records(seal.first_position, seal.last_position))
  if (hash === seal.hash && merkleRoot(leaves).toString('hex') === seal.root) return leaves.length
  return seal.first_position < (await log.head()).floor ? 'removed' : 'changed'
}

async function lookForGaps(log: SealedLog, from: number, to: number): Promise<{ records: number; faults: Fault[] }> {
  const faults: Fault[] = []
  let records = 0
  for (let first = from; first <= to; first += segmentSize) {
    const last = Math.min(to, first + segmentSize - 1)
    let found = 0
    for await (const _ of log.records(first, last)) found++
    if (found !== last - first + 1) faults.push({ kind: 'gap', segment: 0, first, last })
    records += found
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

/** Seals that existed when the head was read; newer ones are left to the next run. */
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
