import { setImmediate as nextTurn } from 'node:timers/promises'

/** How long work may go on before others get their turn, in milliseconds. */
const turn = 5

/** Does something with each, however many there are, without holding the event loop. */
export async function inTurns<T>(all: Iterable<T>, work: (each: T) => void): Promise<void> {
  let started = performance.now()
  for (const each of all) {
    work(each)
    if (performance.now() - started < turn) continue
    await nextTurn()
    started = performance.now()
  }
}
