import { createHash } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { transfer } from '@mainline/contract'
import { misused } from './usage.ts'

export type Counts = Record<transfer.Outcome, number>

/** How far an import has come, so that it can go on after whatever has ended it. */
export interface State {
  /** The row to go on at. */
  next: number
  readonly counts: Counts
  /** What was wrong with rows that failed. */
  readonly failed: Map<number, string>
}

export interface Journal {
  readonly state: State
  /** Whether an earlier run got somewhere. */
  readonly resumed: boolean
  save(): void
  /** Nothing is left to go on with. */
  close(): void
}

const freshState = (): State => ({
  next: 1,
  counts: { created: 0, updated: 0, unchanged: 0, failed: 0, skipped: 0 },
  failed: new Map(),
})

/** For what is taken back or taken whole: there is nothing to go on with. */
export const noJournal = (): Journal => ({ state: freshState(), resumed: false, save() {}, close() {} })

/** Kept beside the file. It is of use only for the same file and the same place to bring it to. */
export function openJournal(file: string, bytes: Uint8Array, target: string, restart: boolean): Journal {
  const path = `${file}.import-state.json`
  const sign = createHash('sha256').update(bytes).update(target).digest('hex')
  const known = restart ? undefined : readState(path)
  if (known && known.sign !== sign) {
    throw misused(
      `${path} is of another import: the file or where it goes has changed since. Say --restart to begin anew.`,
    )
  }
  const state: State = known ? { next: known.next, counts: known.counts, failed: new Map(known.failed) } : freshState()
  return {
    state,
    resumed: known !== undefined,
    save() {
      const text = JSON.stringify({ sign, next: state.next, counts: state.counts, failed: [...state.failed] })
      try {
        writeFileSync(`${path}.new`, text)
        renameSync(`${path}.new`, path)
      } catch (error) {
        throw misused(`${path} cannot be written: ${(error as Error).message}. Import the file from where it can be.`)
      }
    },
    close: () => rmSync(path, { force: true }),
  }
}

interface Kept {
  sign: string
  next: number
  counts: Counts
  failed: [number, string][]
}

function readState(path: string): Kept | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
  try {
    return JSON.parse(text)
  } catch {
    throw misused(`${path} cannot be read. Say --restart to begin anew.`)
  }
}
