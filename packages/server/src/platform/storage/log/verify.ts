import type { Reader } from '../handles.ts'
import { hashSegment, type LogRecord, recordsBetween, type Seal, segmentSize } from './seals.ts'

export interface Verdict {
  segments: number
  records: number
  unsealed: number
  removed: number
  /** Seals that cover no record: positions that were left out when a backup was restored. */
  restores: number
  faults: string[]
}

/** A log wherever it is kept. Records are asked for in order. */
export interface SealedLog {
  readonly head: { readonly position: number; readonly sealed: number; readonly floor: number }
  seals(): AsyncIterable<Seal>
  records(first: number, last: number): Promise<readonly LogRecord[]>
}

export async function verifyLog(reader: Reader, progress: (done: number, of: number) => void): Promise<Verdict> {
  const head = await reader.selectFrom('log_head').selectAll().executeTakeFirstOrThrow()
  const records = (first: number, last: number) => recordsBetween(reader, first, last)
  return verifySeals({ head, seals: () => storedSeals(reader), records }, progress)
}

/** Recomputes every seal and looks for gaps. `progress` is told after each segment. */
export async function verifySeals(log: SealedLog, progress: (done: number, of: number) => void): Promise<Verdict> {
  const { head } = log
  const verdict: Verdict = { segments: 0, records: 0, unsealed: 0, removed: 0, restores: 0, faults: [] }
  let previous = ''
  let expected = 1
  for await (const seal of log.seals()) {
    const name = `segment ${seal.segment} (records ${seal.first_position} to ${seal.last_position})`
    if (seal.first_position !== expected) verdict.faults.push(`${name} does not follow the one before it`)
    if (seal.previous !== previous) verdict.faults.push(`${name} does not carry the seal of the one before it`)
    const isLeftOut = seal.hash === hashSegment(seal.previous, [])
    if (isLeftOut) verdict.restores++
    if (seal.first_position >= head.floor) {
      const records = await log.records(seal.first_position, seal.last_position)
      if (hashSegment(seal.previous, records) !== seal.hash) {
        verdict.faults.push(`${name} has been changed: its records do not give its seal`)
      }
      verdict.records += records.length
    } else if (!isLeftOut) verdict.removed += seal.last_position - seal.first_position + 1
    previous = seal.hash
    expected = seal.last_position + 1
    verdict.segments++
    progress(seal.last_position, head.position)
  }
  if (expected !== head.sealed + 1) verdict.faults.push(`seals end at ${expected - 1}, not at ${head.sealed}`)

  for (let first = expected; first <= head.position; first += segmentSize) {
    const last = Math.min(head.position, first + segmentSize - 1)
    const records = await log.records(first, last)
    if (records.length !== last - first + 1) {
      verdict.faults.push(`records ${first} to ${last} have a gap: ${records.length} are there`)
    }
    verdict.unsealed += records.length
    progress(last, head.position)
  }
  return verdict
}

async function* storedSeals(reader: Reader): AsyncGenerator<Seal> {
  for (let after = 0; ; ) {
    const page = await reader
      .selectFrom('seal')
      .selectAll()
      .where('segment', '>', after)
      .orderBy('segment')
      .limit(100)
      .execute()
    yield* page
    const last = page.at(-1)
    if (!last) return
    after = last.segment
  }
}
