import type { Reader } from '../change.ts'
import { hashSegment, recordsBetween, type Seal, segmentSize } from './seals.ts'

export interface Verdict {
  segments: number
  records: number
  unsealed: number
  removed: number
  faults: string[]
}

/** Recomputes every seal and looks for gaps, also while a server goes on sealing. `progress` is told after each segment. */
export async function verifyLog(reader: Reader, progress: (done: number, of: number) => void): Promise<Verdict> {
  const readHead = () => reader.selectFrom('log_head').selectAll().executeTakeFirstOrThrow()
  let head = await readHead()
  const verdict: Verdict = { segments: 0, records: 0, unsealed: 0, removed: head.floor - 1, faults: [] }
  let previous = ''
  let expected = 1
  for await (const seal of seals(reader)) {
    // Sealed since the head was read, or else by somebody who is not us.
    if (seal.first_position > head.sealed) head = await readHead()
    const name = `segment ${seal.segment} (records ${seal.first_position} to ${seal.last_position})`
    if (seal.first_position !== expected) verdict.faults.push(`${name} does not follow the one before it`)
    if (seal.previous !== previous) verdict.faults.push(`${name} does not carry the seal of the one before it`)
    if (seal.first_position >= head.floor) {
      const records = await recordsBetween(reader, seal.first_position, seal.last_position)
      if (hashSegment(seal.previous, records) !== seal.hash) {
        verdict.faults.push(`${name} has been changed: its records do not give its seal`)
      }
      verdict.records += records.length
    }
    previous = seal.hash
    expected = seal.last_position + 1
    verdict.segments++
    progress(seal.last_position, head.position)
  }
  if (expected !== head.sealed + 1) verdict.faults.push(`seals end at ${expected - 1}, not at ${head.sealed}`)

  for (let first = expected; first <= head.position; first += segmentSize) {
    const last = Math.min(head.position, first + segmentSize - 1)
    const records = await recordsBetween(reader, first, last)
    if (records.length !== last - first + 1) {
      verdict.faults.push(`records ${first} to ${last} have a gap: ${records.length} are there`)
    }
    verdict.unsealed += records.length
    progress(last, head.position)
  }
  return verdict
}

async function* seals(reader: Reader): AsyncGenerator<Seal> {
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
