// How a file is taken in: batch by batch, or all of it or nothing; told row by row as it happens.
import { type Language, Problem, problem, rule, transfer } from '@mainline/contract'
import type { Caller } from '../../platform/http/route.ts'
import type { Storage, Tx } from '../../platform/storage/index.ts'
import { unlessOvertaken } from '../hosts/index.ts'

/** What became of a row. */
export type Fate =
  | { readonly outcome: 'created' | 'updated' | 'unchanged'; readonly id?: number }
  | { readonly outcome: 'skipped' }
  | { readonly outcome: 'failed'; readonly problem: Problem }

export type Fates = ReadonlyMap<number, Fate>

/** Rows of a file, and how some of them are written in a change. */
export interface Job<Row extends { readonly number: number } = { readonly number: number }> {
  readonly rows: readonly Row[]
  apply(tx: Tx, rows: readonly Row[]): Promise<Fates>
  /** Whether rows build upon those before them, so that trying them out needs all of them in one change. */
  readonly connected: boolean
}

export interface Options {
  readonly dryRun: boolean
  readonly atomic: boolean
  readonly from: number
}

/** Rows in one change: few enough that others get their turn in between. */
const atOnce = 1_000

/** Batches of fates, each of them on disk when it is told. */
export async function* importing<Row extends { readonly number: number }>(
  storage: Storage,
  actor: Caller,
  { rows: all, apply, connected }: Job<Row>,
  { dryRun, atomic, from }: Options,
  until: AbortSignal,
): AsyncGenerator<Fates> {
  const rows = all.filter((row) => row.number >= from)
  const whole = atomic || (dryRun && connected)
  // The rows before it would count for nothing: a bad one among them is to undo those that follow.
  if (whole && from > 1) throw problem('invalid', { field: 'from', rule: rule('wholeFile') })
  if (whole && rows.length > transfer.mostAtOnce)
    throw problem('tooMany', { what: rule('rows'), limit: transfer.mostAtOnce })
  const any = (fates: Fates, ...outcomes: transfer.Outcome[]) =>
    fates.values().some(({ outcome }) => outcomes.includes(outcome))
  const failed = (fates: Fates) => any(fates, 'failed')
  // A business that was held counts as changed: what has changed nothing is taken back, too.
  const keeps = (fates: Fates) => !dryRun && !(atomic && failed(fates)) && any(fates, 'created', 'updated')
  const attempt = (some: readonly Row[]) =>
    tryOut(storage, actor, (tx) => inSlices(some, (slice) => apply(tx, slice)), keeps)
  if (whole) {
    const fates = await attempt(rows)
    return yield atomic && failed(fates) ? undone(fates) : fates
  }
  for (let at = 0; at < rows.length && !until.aborted; at += atOnce) yield await attempt(rows.slice(at, at + atOnce))
}

async function inSlices<Row>(rows: readonly Row[], work: (slice: readonly Row[]) => Promise<Fates>): Promise<Fates> {
  const fates = new Map<number, Fate>()
  for (let at = 0; at < rows.length; at += atOnce) {
    for (const [row, fate] of await work(rows.slice(at, at + atOnce))) fates.set(row, fate)
  }
  return fates
}

/** What was done is taken back, and still told. */
class Undone extends Error {
  readonly fates: Fates
  constructor(fates: Fates) {
    super('undone')
    this.fates = fates
  }
}

/** The same change whether it is kept or not, so that a preview cannot differ from what comes of it. */
async function tryOut(
  storage: Storage,
  actor: Caller,
  work: (tx: Tx) => Promise<Fates>,
  keeps: (fates: Fates) => boolean,
): Promise<Fates> {
  const change = async (tx: Tx) => {
    const fates = await work(tx)
    if (!keeps(fates)) throw new Undone(fates)
    return fates
  }
  try {
    return await unlessOvertaken(() => storage.change(actor, change, { bulk: true }))
  } catch (error) {
    if (error instanceof Undone) return error.fates
    throw error
  }
}

const undone = (fates: Fates): Fates =>
  new Map(fates.entries().map(([row, fate]) => [row, fate.outcome === 'failed' ? fate : { outcome: 'skipped' }]))

/** A row's fate as it is told. */
export const tellFate = (row: number, fate: Fate, language: Language) =>
  fate.outcome === 'failed'
    ? { row, outcome: fate.outcome, code: fate.problem.code, why: fate.problem.text(language) }
    : { row, ...fate }

/** Runs what may be wrong with one row; anything that is not a problem of the row is a defect of ours. */
export function failing<T>(work: () => T): { value: T } | { problem: Problem } {
  try {
    return { value: work() }
  } catch (error) {
    if (error instanceof Problem) return { problem: error }
    throw error
  }
}
