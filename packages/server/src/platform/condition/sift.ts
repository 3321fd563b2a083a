import { setImmediate as nextTurn } from 'node:timers/promises'

/** How long rows may be tried before others get their turn, in milliseconds: one row with the worst pattern can take half a second. */
const turn = 10

/** The rows that pass, found without holding the event loop. */
export async function sift<Row>(rows: readonly Row[], passes: (row: Row) => boolean): Promise<Row[]> {
  const passed: Row[] = []
  let started = performance.now()
  for (const row of rows) {
    if (passes(row)) passed.push(row)
    if (performance.now() - started < turn) continue
    await nextTurn()
    started = performance.now()
  }
  return passed
}
