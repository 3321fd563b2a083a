// Users' patterns match in linear time (RE2), but a large pattern on many texts still takes seconds. Work of more than a few milliseconds
// runs in threads, within a CPU budget per request and per caller.
// See docs/decisions/0021-bounded-matching.md.

import { problem } from '@mainline/contract'
import type { RE2JS } from 're2js'
import { currentRequest } from '../common/caller.ts'
import { FairSlots } from '../common/concurrency/fair-slots.ts'
import { TimeBudget } from './budget.ts'
import { openMatchPool } from './pool.ts'

/** CPU time for the patterns of one request. */
export const maxRequestMatchingMs = 5_000
/** CPU time of one caller, over all of its requests. */
export const callerBudget = new TimeBudget({ burstMs: 10_000, share: 0.25 })
/** The part of it that may be spent on the event loop, so that ordinary searches need no thread. */
const inlineBudget = new TimeBudget({ burstMs: 50, share: 0.1 })
/** CPU time of one search on the event loop. */
const maxInlineMs = 3
/** Steps are instructions times characters; at 80 ns each, the slowest measured, below two milliseconds. */
const maxInlineSteps = 20_000
/** Steps for one text: the largest pattern on four kilobytes takes about half a second in a thread. */
export const maxSteps = 8_000_000
/** Size of a job of a thread, before other callers get their turn. */
const chunkSteps = 500_000
const chunkTexts = 2_000

const pool = openMatchPool()
/** Limits concurrent searches by pattern, which hold rows in memory also while they wait for a thread. */
const searches = new FairSlots({ maxRunning: 8, maxRunningPerCaller: 2, maxWaiting: 1_000, maxWaitingPerCaller: 200 })

/** Runs a search that matches patterns in rows, when it is its caller's turn. */
export function searchByPattern<T>(search: () => Promise<T>): Promise<T> {
  const request = currentRequest()
  if (!request) return search()
  return searches.run(request.caller, () => {
    if (request.gone()?.aborted) throw problem('clientGone')
    return search()
  })
}

/** Upper bound of the steps of matching a text. */
export const stepsOf = (pattern: RE2JS, text: string): number => pattern.programSize() * (text.length + 1)

/** Patterns are compiled on the event loop, at most 5 microseconds per unit of cost as measured. */
const compilingMsPerCost = 0.005
/** In one request: 200 filters with patterns of 60 characters. */
const maxRequestCompilingCost = 12_000
/** By the cost of patterns and not by elapsed time: a busy machine refuses nothing that an idle one accepts. */
const compilingBudget = new TimeBudget({ burstMs: 500, share: 0.1 })

/** False if the patterns of this request would together take too long to compile. */
export function chargeCompiling(cost: number): boolean {
  const request = currentRequest()
  if (!request) return true
  request.compilingCost += cost
  if (request.compilingCost > maxRequestCompilingCost) return false
  compilingBudget.refuseIfSpent(request.caller)
  compilingBudget.charge(request.caller, cost * compilingMsPerCost)
  return true
}

/** Decides how much of a search may be matched on the event loop. */
export function inlineMatching(): { allows(steps: number): boolean; end(): void } {
  const caller = currentRequest()?.caller ?? ''
  const started = performance.now()
  const isAllowed = inlineBudget.has(caller)
  return {
    allows: (steps) => isAllowed && steps <= maxInlineSteps && performance.now() - started < maxInlineMs,
    end: () => inlineBudget.charge(caller, performance.now() - started),
  }
}

/** CPU time for checking the values of one request on the event loop: a check inside a change cannot wait for a thread. */
const maxCheckingMs = 100
/** Fewer steps take less than half a millisecond and are not measured. */
const measuredSteps = 5_000
/** Steps for one value: below 80 ms. */
const maxCheckingSteps = 1_000_000

/** Whether a value matches its attribute's pattern; `slow` if the values of this request have used up the time limit. */
export function matchesWithinRequest(pattern: RE2JS, text: string): boolean | 'slow' {
  const request = currentRequest()
  const steps = stepsOf(pattern, text)
  if (!request || steps < measuredSteps) return pattern.matcher(text).find()
  if (request.checkingMs > maxCheckingMs || steps > maxCheckingSteps) return 'slow'
  const started = performance.now()
  const found = pattern.matcher(text).find()
  request.checkingMs += performance.now() - started
  return found
}

/** Budget of one pattern of one caller: a pattern that repeatedly exceeds it is not matched each time, since hundreds of events may wait. */
const singleBudget = new TimeBudget({ burstMs: 500, share: 0.1 })
/** Budget of a caller for all of its patterns that take too long, so that having many of them does not keep a thread busy. */
const slowBudget = new TimeBudget({ burstMs: 1_000, share: 0.2 })
/** At 80 ns each, a third of the 50 ms of a confirmation: what takes fewer steps needs no budget. */
const quickSteps = 200_000

/** Jobs that may be slow run sequentially for each caller, so that each sees the time spent by the previous ones. */
const singleTurns = new FairSlots({
  ...{ maxRunning: 1_000, maxRunningPerCaller: 1 },
  ...{ maxWaiting: 100_000, maxWaitingPerCaller: 100_000 },
})

/** Matches one text with a time limit, a budget per pattern, and one for the slow patterns of a caller. */
export function matchWithin(caller: string, pattern: RE2JS, text: string, maxMs: number): Promise<boolean | 'slow'> {
  const source = pattern.pattern()
  const key = `${caller}\n${source}`
  const match = async () => {
    const { found, tookMs } = await pool.match(caller, source, [text])
    if (tookMs <= maxMs) return found[0] === 1
    singleBudget.charge(key, tookMs)
    slowBudget.charge(caller, tookMs)
    return 'slow'
  }
  if (stepsOf(pattern, text) <= quickSteps) return match()
  return singleTurns.run(caller, async () => (singleBudget.has(key) && slowBudget.has(caller) ? await match() : 'slow'))
}

/** The result per text; `slow` if the budget was used up. */
export async function matchTexts(
  pattern: RE2JS,
  texts: Iterable<string>,
  spent: { matchingMs: number },
  maxMs: number,
): Promise<ReadonlyMap<string, boolean> | 'slow'> {
  const request = currentRequest()
  const caller = request?.caller ?? ''
  const answers = new Map<string, boolean>()
  for (const chunk of chunksOf(pattern, texts)) {
    if (request) callerBudget.refuseIfSpent(caller)
    const { found, tookMs } = await pool.match(caller, pattern.pattern(), chunk, request?.gone())
    callerBudget.charge(caller, tookMs)
    spent.matchingMs += tookMs
    if (spent.matchingMs > maxMs) return 'slow'
    for (const [index, text] of chunk.entries()) answers.set(text, found[index] === 1)
  }
  return answers
}

function* chunksOf(pattern: RE2JS, texts: Iterable<string>): Generator<string[]> {
  let chunk: string[] = []
  let steps = 0
  for (const text of texts) {
    chunk.push(text)
    steps += stepsOf(pattern, text)
    if (steps < chunkSteps && chunk.length < chunkTexts) continue
    yield chunk
    chunk = []
    steps = 0
  }
  if (chunk.length > 0) yield chunk
}
