// One round: a fault under load, then everything that must hold after it.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { ServerProcess } from '../../packages/server/src/testing/process.ts'
import { type Facts, judge, judgeEvents } from './checker.ts'
import { type Found, readFacts } from './facts.ts'
import type { Fault } from './kinds.ts'
import type { Random } from './random.ts'
import type { World } from './world.ts'

/** Time limit for every event to arrive, in milliseconds. */
const longestDelivery = 20_000
/** Interval of the checks for that, and for whether the log still matches: with a long log they take long. */
const lookPause = 50
const readPause = 2_000
/** Idle: nothing was written for so long, in milliseconds. */
const quietTime = 200

export interface Report {
  readonly fault: string
  readonly violations: readonly string[]
  readonly calls: Readonly<Record<'acknowledged' | 'refused' | 'unknown', number>>
  readonly events: number
  /** Milliseconds until every server accepted changes again. */
  readonly absence: number
  /** Milliseconds until the last event had arrived. */
  readonly delivery: number
  readonly size: readonly Size[]
}

export interface Size {
  readonly pid: number
  /** Resident memory of the process. */
  readonly megabytes: number
  /** Heap of the program after a garbage collection, in megabytes. */
  readonly heap: number
  readonly descriptors: number
}

/**
 * `before` and `after`: how long the load runs without a fault, in milliseconds. Within `bound` after a fault every server accepts changes again, or
 * within the fault's own limit if that is longer.
 */
export async function round(
  world: World,
  fault: Fault,
  random: Random,
  { before, after, bound }: { before: number; after: number; bound: number },
): Promise<Report> {
  const first = world.history.calls.length
  world.upset()
  world.load.goOn()
  await pause(before * (0.5 + random.next()))
  const calm = await world.answersAgain()
  await fault.happen(world, random)
  const absence = await world.answersAgain()
  await pause(after)
  await world.load.hold()

  const started = performance.now()
  const deadline = started + Math.max(longestDelivery, bound) + (fault.within ?? 0)
  // Errors that receivers still have to send would delay what is measured.
  world.cheerUp()
  const toldWrongly = (facts: Facts) =>
    world
      .told(facts)
      .flatMap(({ name, expected, received, parallel }) =>
        judgeEvents(expected, received, { parallel }).map((wrong) => `${name}: ${wrong}`),
      )
  let facts = await settledFacts(world)
  for (let read = performance.now(); toldWrongly(facts).length > 0 && performance.now() < deadline; ) {
    await pause(lookPause)
    if (performance.now() < read + readPause) continue
    facts = await settledFacts(world)
    read = performance.now()
  }
  const delivery = performance.now() - started

  const calls = { acknowledged: 0, refused: 0, unknown: 0 }
  for (const { outcome } of world.history.calls.slice(first)) calls[outcome]++
  // A busy machine is slow without any fault, too.
  const late =
    absence > Math.max(bound, fault.within ?? 0) + 5 * calm
      ? [`it took ${absence.toFixed()} ms until every server answered again`]
      : []
  return {
    fault: fault.name,
    violations: [...late, ...facts.verified, ...judge(world.history, facts), ...toldWrongly(facts)],
    calls,
    events: world.told(facts).reduce((sum, { received }) => sum + received.length, 0),
    absence,
    delivery,
    size: await Promise.all(world.servers.map(sizeOf)),
  }
}

/** Servers may still be executing requests that clients have given up on: read again until nothing has changed meanwhile. */
async function settledFacts(world: World): Promise<Found> {
  for (let facts = await readFacts(world.config()); ; ) {
    await pause(quietTime)
    const again = await readFacts(world.config())
    // Nothing was committed between the two reads, so the first one is consistent.
    if (again.log.length === facts.log.length) return facts
    facts = again
  }
}

async function sizeOf({ child, heap }: ServerProcess): Promise<Size> {
  const pid = child.pid as number
  const held = await heap()
  const [, resident] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ').map(Number)
  const descriptors = readdirSync(`/proc/${pid}/fd`).length
  return { pid, megabytes: ((resident ?? 0) * 4096) / 1e6, heap: held, descriptors }
}

/** How much more of each resource a process may use after any fault than after its first. */
const mostGrowth = {
  // Freed memory is not returned to the system immediately.
  megabytes: 150,
  heap: 30,
  // The number of connections to the database and to receivers varies by this much.
  descriptors: 40,
} as const

/** A process that survives one fault after another leaks neither memory nor sockets. */
export function judgeSizes(rounds: readonly (readonly Size[])[]): string[] {
  const first = new Map<number, Size>()
  const wrong: string[] = []
  for (const size of rounds.flat()) {
    const before = first.get(size.pid)
    if (!before) first.set(size.pid, size)
    for (const what of ['megabytes', 'heap', 'descriptors'] as const) {
      const [had, has] = [before?.[what] ?? size[what], size[what]]
      if (has > had + mostGrowth[what])
        wrong.push(`process ${size.pid} has ${has.toFixed()} of ${what}, and had ${had.toFixed()}`)
    }
  }
  return wrong
}
