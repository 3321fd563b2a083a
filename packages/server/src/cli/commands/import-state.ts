import { createHash } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { transfer } from '@mainline/contract'
import { messageOf } from '../../common/error-code.ts'
import { misused } from '../arguments/usage.ts'

export type Counts = Record<transfer.Outcome, number>

/** The progress of an import, so that it can be resumed. */
export interface State {
  /** The row to continue with. */
  next: number
  readonly counts: Counts
  /** The errors of failed rows. */
  readonly failed: Map<number, string>
}

export interface Journal {
  readonly state: State
  /** Whether an earlier run has imported rows. */
  readonly resumed: boolean
  save(): void
  /** Deletes the saved progress. */
  close(): void
}

const freshState = (): State => ({
  next: 1,
  counts: { created: 0, updated: 0, unchanged: 0, failed: 0, skipped: 0 },
  failed: new Map(),
})

/** For dry runs and atomic imports, which cannot be resumed. */
export const noJournal = (): Journal => ({ state: freshState(), resumed: false, save() {}, close() {} })

/** The progress is stored beside the file, and is valid for the same file and target only. */
export function openJournal(file: string, bytes: Uint8Array, target: string, restart: boolean): Journal {
  const path = `${file}.import-state.json`
  const sign = createHash('sha256').update(bytes).update(target).digest('hex')
  const known = restart ? undefined : readState(path)
  if (known && known.sign !== sign) {
    throw misused(`${path} belongs to another import: the file or its target has changed. Use --restart to start over.`)
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
        throw misused(`${path} cannot be written: ${messageOf(error)}. Import the file from a writable directory.`)
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
    throw misused(`${path} cannot be read. Use --restart to start over.`)
  }
}
