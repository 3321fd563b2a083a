// Runs an import: in batches or atomically, with a result for each row.
import { type Language, Problem, problem, rule, transfer } from '@mainline/contract'
import type { Caller } from '../../http/route.ts'
import type { Storage, Tx } from '../../storage/index.ts'
import { unlessOvertaken } from '../hosts/index.ts'

/** The result of a row. */
export type RowResult =
  | { readonly outcome: 'created' | 'updated' | 'unchanged'; readonly id?: number }
  | { readonly outcome: 'skipped' }
  | { readonly outcome: 'failed'; readonly problem: Problem }

export type RowResults = ReadonlyMap<number, RowResult>

/** The rows of a file, and how a batch of them is written. */
export interface Job<Row extends { readonly number: number } = { readonly number: number }> {
  readonly rows: readonly Row[]
  apply(tx: Tx, rows: readonly Row[]): Promise<RowResults>
  /** Whether rows depend on earlier ones, so that a dry run needs all of them in one change. */
  readonly dependent: boolean
}

export interface Options {
  readonly dryRun: boolean
  readonly atomic: boolean
  readonly from: number
}

/** Rows per change; other changes run in between. */
const rowsPerChange = 1_000

/** Results in batches, each yielded after its change is committed. */
export async function* importRows<Row extends { readonly number: number }>(
  storage: Storage,
  actor: Caller,
  { rows: all, apply, dependent }: Job<Row>,
  { dryRun, atomic, from }: Options,
  until: AbortSignal,
): AsyncGenerator<RowResults> {
  const rows = all.filter((row) => row.number >= from)
  const isOneChange = atomic || (dryRun && dependent)
  // Earlier rows would not count: an error in one of them must undo the rows that follow.
  if (isOneChange && from > 1) throw problem('invalid', { field: 'from', rule: rule('wholeFile') })
  if (isOneChange && rows.length > transfer.mostAtOnce)
    throw problem('tooMany', { what: rule('rows'), limit: transfer.mostAtOnce })
  const hasOutcome = (results: RowResults, ...outcomes: transfer.Outcome[]) =>
    results.values().some(({ outcome }) => outcomes.includes(outcome))
  const failed = (results: RowResults) => hasOutcome(results, 'failed')
  // Rolled back also if nothing changed: locking a business gives it a new version.
  const commits = (results: RowResults) =>
    !dryRun && !(atomic && failed(results)) && hasOutcome(results, 'created', 'updated')
  const attempt = (some: readonly Row[]) =>
    runBatch(storage, actor, (tx) => inSlices(some, (slice) => apply(tx, slice)), commits)
  if (isOneChange) {
    const results = await attempt(rows)
    return yield atomic && failed(results) ? skipped(results) : results
  }
  for (let at = 0; at < rows.length && !until.aborted; at += rowsPerChange)
    yield await attempt(rows.slice(at, at + rowsPerChange))
}

async function inSlices<Row>(
  rows: readonly Row[],
  work: (slice: readonly Row[]) => Promise<RowResults>,
): Promise<RowResults> {
  const results = new Map<number, RowResult>()
  for (let at = 0; at < rows.length; at += rowsPerChange) {
    for (const [row, result] of await work(rows.slice(at, at + rowsPerChange))) results.set(row, result)
  }
  return results
}

/** Carries the results out of a change that is rolled back. */
class RolledBack extends Error {
  readonly results: RowResults
  constructor(results: RowResults) {
    super('undone')
    this.results = results
  }
}

/** Runs the same change whether it is committed or rolled back, so that a preview equals the import. */
async function runBatch(
  storage: Storage,
  actor: Caller,
  work: (tx: Tx) => Promise<RowResults>,
  keeps: (results: RowResults) => boolean,
): Promise<RowResults> {
  const change = async (tx: Tx) => {
    const results = await work(tx)
    if (!keeps(results)) throw new RolledBack(results)
    return results
  }
  try {
    return await unlessOvertaken(() => storage.change(actor, change, { bulk: true }))
  } catch (error) {
    if (error instanceof RolledBack) return error.results
    throw error
  }
}

const skipped = (results: RowResults): RowResults =>
  new Map(
    results.entries().map(([row, result]) => [row, result.outcome === 'failed' ? result : { outcome: 'skipped' }]),
  )

/** The line that reports a row's result. */
export const resultLine = (row: number, result: RowResult, language: Language) =>
  result.outcome === 'failed'
    ? { row, outcome: result.outcome, code: result.problem.code, why: result.problem.text(language) }
    : { row, ...result }

/** Catches problems of a single row; any other error is a defect. */
export function catchProblem<T>(work: () => T): { value: T } | { problem: Problem } {
  try {
    return { value: work() }
  } catch (error) {
    if (error instanceof Problem) return { problem: error }
    throw error
  }
}
