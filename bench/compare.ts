import { setTimeout as pause } from 'node:timers/promises'
import { type Child, processorTimeOf } from './child.ts'
import type { Sample } from './load.ts'
import type { Plan } from './row.ts'

export interface Spread {
  readonly median: number
  readonly low: number
  readonly high: number
}

/** One of the two that are compared. */
export interface Contender {
  readonly name: string
  /** Undefined when it is not ours: then its processor time is not known. */
  readonly process: Child | undefined
  run(milliseconds: number): Promise<Sample>
}

/** The medians of a contender's repetitions. */
export interface Showing {
  readonly name: string
  readonly perSecond: number
  /** Microseconds. */
  readonly p50: number
  /** Processor time of its process for one answer, in microseconds: says more than the rate on a busy machine. */
  readonly processor?: number
  readonly generatorBusy?: number
  readonly machineBusy?: number
}

export interface Comparison {
  readonly ratio: Spread
  readonly measured: Showing
  readonly limit: Showing
  /** Every turn, for whoever wonders about the spread. */
  readonly turns: readonly Turn[]
}

interface Turn {
  readonly measured: Timed
  readonly limit: Timed
}

/** By turns, so that whatever else the machine does meets both; the ratio is taken within each turn. */
export async function compare(measured: Contender, limit: Contender, plan: Plan): Promise<Comparison> {
  await measured.run(plan.warmUp)
  await limit.run(plan.warmUp)
  const turns: Turn[] = []
  for (let turn = 0; turn < plan.repetitions; turn++) {
    turns.push({
      measured: await timed(measured, plan.milliseconds),
      limit: await timed(limit, plan.milliseconds),
    })
  }
  return {
    ratio: spreadOf(turns.map((turn) => turn.measured.perSecond / turn.limit.perSecond)),
    measured: showingOf(
      measured.name,
      turns.map((turn) => turn.measured),
    ),
    limit: showingOf(
      limit.name,
      turns.map((turn) => turn.limit),
    ),
    turns,
  }
}

interface Timed extends Sample {
  readonly processor?: number
}

async function timed({ process, run }: Contender, milliseconds: number): Promise<Timed> {
  // What the one before left for later (sealing, checkpoints) is not held against this one.
  await pause(milliseconds / 10)
  const before = process && processorTimeOf(process)
  const sample = await run(milliseconds)
  const after = process && processorTimeOf(process)
  if (before === undefined || after === undefined) return sample
  return { ...sample, processor: (after - before) / (sample.perSecond * (milliseconds / 1000)) }
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b)
  return { median: medianOf(sorted), low: sorted[0] ?? Number.NaN, high: sorted.at(-1) ?? Number.NaN }
}

function medianOf(sorted: readonly number[]): number {
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
}

function showingOf(name: string, turns: readonly Timed[]): Showing {
  const median = (of: (turn: Timed) => number | undefined) =>
    spreadOf(turns.map(of).filter((value) => value !== undefined)).median
  const known = (key: 'processor' | 'generatorBusy' | 'machineBusy') => {
    const value = median((turn) => turn[key])
    return Number.isNaN(value) ? {} : { [key]: value }
  }
  return {
    name,
    perSecond: median((turn) => turn.perSecond),
    p50: median((turn) => turn.p50),
    ...known('processor'),
    ...known('generatorBusy'),
    ...known('machineBusy'),
  }
}
