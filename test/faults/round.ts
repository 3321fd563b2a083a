// One round: a fault under load, then everything that must hold after it.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { ServerProcess } from '../../packages/server/src/testing/process.ts'
import { type Facts, judge, judgeEvents } from './checker.ts'
import { type Found, readFacts } from './facts.ts'
import type { Fault } from './kinds.ts'
import type { Random } from './random.ts'
import type { World } from './world.ts'

/** Within so long after that every event has arrived, in milliseconds. */
const longestDelivery = 20_000
/** How often it is looked whether it has, and whether the log still says the same: that takes long when it is long. */
const lookPause = 50
const readPause = 2_000
/** Without anything being written for so long, in milliseconds, nothing is under way. */
const quietTime = 200

export interface Report {
  readonly fault: string
  readonly violations: readonly string[]
  readonly calls: Readonly<Record<'acknowledged' | 'refused' | 'unknown', number>>
  readonly events: number
  /** Milliseconds until every server took changes again. */
  readonly absence: number
  /** Milliseconds until the last event had arrived. */
  readonly delivery: number
  readonly size: readonly Size[]
}

export interface Size {
  readonly pid: number
  /** All that the process has from the system. */
  readonly megabytes: number
  /** What the program still holds once all that nobody can reach has been cleared away, in megabytes. */
  readonly heap: number
  readonly descriptors: number
}

/**
 * `before` and `after`: how long the load runs undisturbed, in milliseconds.
 * Within `bound` after a fault every server takes changes again, or within what the fault says if that is more.
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
  // What it still has to fail with would take its time from what is judged: how fast we are.
  world.cheerUp()
  const toldWrongly = (facts: Facts) =>
    world
      .told(facts)
      .flatMap(({ name, expected, received }) => judgeEvents(expected, received).map((wrong) => `${name}: ${wrong}`))
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
  // A machine that others keep busy is slow without any fault, too.
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

/** Servers may still be busy with what clients have given up on: read again until nothing has happened meanwhile. */
async function settledFacts(world: World): Promise<Found> {
  for (let facts = await readFacts(world.config()); ; ) {
    await pause(quietTime)
    const again = await readFacts(world.config())
    // Nothing was committed between the two, so what the first one read fits together.
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

/** How much more of each a process may have after any fault than it had after its first. */
const mostGrowth = {
  // What was given back is not at once the system's again.
  megabytes: 150,
  heap: 30,
  // Connections to the database and to receivers come and go by so many.
  descriptors: 40,
} as const

/** A process that goes through one fault after another keeps neither memory nor sockets. */
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
