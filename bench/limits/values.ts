import { randomUUID } from 'node:crypto'
import type { Step } from '../statements.ts'

export type Row = Record<string, unknown>

/** The values of a step, computed from the rows of earlier steps. */
export function valuesOf(step: Step, rows: readonly (Row | undefined)[], fresh: Fresh): unknown[] {
  return step.bound.map((bound) => {
    if ('always' in bound) return bound.always
    if ('fresh' in bound) return fresh[bound.fresh]
    return rows[bound.step]?.[bound.column]
  })
}

export interface Fresh {
  readonly name: string
  readonly transaction: string
  readonly id: number
}

let count = 0
const run = randomUUID().replaceAll('-', '').slice(0, 12)

/** Above the ids that were drawn while recording. */
const firstId = 1_000_000

/** Names and transaction ids as long as the real ones. */
export function freshValues(): Fresh {
  const number = String(count++).padStart(8, '0')
  return { name: `set ${number}`, transaction: run + number, id: firstId + count }
}
