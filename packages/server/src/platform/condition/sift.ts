import { inTurns } from '../turns.ts'

/** The rows that pass, found without holding the event loop: one row with the worst pattern can take half a second. */
export async function sift<Row>(rows: readonly Row[], passes: (row: Row) => boolean): Promise<Row[]> {
  const passed: Row[] = []
  await inTurns(rows, (row) => {
    if (passes(row)) passed.push(row)
  })
  return passed
}
