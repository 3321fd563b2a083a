import { setImmediate as nextTurn } from 'node:timers/promises'

/** How long all long-running work together may block the event loop before it yields to other requests. */
const roundMs = 5
/** With shorter turns, most time would be spent switching. */
const minTurnMs = 0.2

let running = 0

/**
 * Processes any number of items without blocking the event loop. Concurrent calls share one round: two hundred searches with a full round
 * each would delay other requests by a second.
 */
export async function inTurns<T>(all: Iterable<T>, work: (each: T) => void): Promise<void> {
  running++
  try {
    let started = performance.now()
    for (const each of all) {
      work(each)
      if (performance.now() - started < Math.max(minTurnMs, roundMs / running)) continue
      await nextTurn()
      started = performance.now()
    }
  } finally {
    running--
  }
}
