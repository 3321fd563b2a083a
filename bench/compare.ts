import { setTimeout as pause } from 'node:timers/promises'
import { type Child, processorTimeOf } from './child.ts'
import type { Sample } from './load.ts'
import type { Plan } from './row.ts'

export interface Spread {
  readonly median: number
  readonly low: number
  readonly high: number
}

/** One of two compared servers. */
export interface Contender {
  readonly name: string
  /** Undefined for a process that is not ours, whose CPU time is unknown. */
  readonly process: Child | undefined
  run(milliseconds: number): Promise<Sample>
}

/** The medians of the repetitions of one contender. */
export interface Showing {
  readonly name: string
  readonly perSecond: number
  /** Microseconds. */
  readonly p50: number
  /** CPU time of its process per response, in microseconds: more reliable than the rate on a busy machine. */
  readonly processor?: number
  readonly generatorBusy?: number
  readonly machineBusy?: number
}

export interface Comparison {
  readonly ratio: Spread
  readonly measured: Showing
  readonly limit: Showing
  /** Every turn, to see the spread. */
  readonly turns: readonly Turn[]
}

interface Turn {
  readonly measured: Timed
  readonly limit: Timed
}

/** In alternating turns, so that other load on the machine affects both; the ratio is computed within each turn. */
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
  // Deferred work of the previous turn (sealing, checkpoints) must not count against this one.
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
