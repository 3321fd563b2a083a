// One round: a fault under load, then everything that must hold after it.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { type Facts, judge, judgeEvents } from './checker.ts'
import { type Found, readFacts } from './facts.ts'
import type { Fault } from './kinds.ts'
import type { Random } from './random.ts'
import type { World } from './world.ts'

/** Within so long after that every event has arrived, in milliseconds. */
const longestDelivery = 20_000
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
  readonly megabytes: number
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
  world.load.goOn()
  await pause(before * (0.5 + random.next()))
  const calm = await world.answersAgain()
  await fault.happen(world, random)
  const absence = await world.answersAgain()
  await pause(after)
  await world.load.hold()

  const started = performance.now()
  const deadline = started + Math.max(longestDelivery, bound) + (fault.within ?? 0)
  const toldWrongly = (facts: Facts) =>
    world
      .told(facts)
      .flatMap(({ name, expected, received }) => judgeEvents(expected, received).map((wrong) => `${name}: ${wrong}`))
  let facts = await settledFacts(world)
  while (toldWrongly(facts).length > 0 && performance.now() < deadline) {
    await pause(250)
    facts = await settledFacts(world)
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
    size: world.servers.map(({ child }) => sizeOf(child.pid as number)),
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

function sizeOf(pid: number): Size {
  const [, resident] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ').map(Number)
  return { pid, megabytes: ((resident ?? 0) * 4096) / 1e6, descriptors: readdirSync(`/proc/${pid}/fd`).length }
}

/** A process that goes through one fault after another keeps neither memory nor sockets. */
export function judgeSizes(rounds: readonly (readonly Size[])[]): string[] {
  const first = new Map<number, Size>()
  const wrong: string[] = []
  for (const size of rounds.flat()) {
    const before = first.get(size.pid)
    if (!before) first.set(size.pid, size)
    else if (size.descriptors > before.descriptors + mostDescriptors) {
      wrong.push(`process ${size.pid} has ${size.descriptors} descriptors open, and had ${before.descriptors}`)
    } else if (size.megabytes > before.megabytes + mostGrowth) {
      wrong.push(`process ${size.pid} takes ${size.megabytes.toFixed()} MB, and took ${before.megabytes.toFixed()}`)
    }
  }
  return wrong
}
/** Connections to the database and to receivers come and go by so many. */
const mostDescriptors = 40
const mostGrowth = 150
