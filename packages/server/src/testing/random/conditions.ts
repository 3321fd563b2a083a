// Helpers of the tests of conditions: a few fields of every type, and the result or error of a request.
import { Problem } from '@mainline/contract'
import { zoneOf } from '../../common/time.ts'
import type { Fields } from '../../condition/condition.ts'
import { meets } from '../../condition/evaluate.ts'
import { parseCondition } from '../../condition/parse.ts'

export const fields: Fields = new Map([
  ['name', { type: 'text', at: { column: 'name' }, alsoCalled: [{ builtIn: 1, name: '空闲机池' }] }],
  ['note', { type: 'text', at: { attribute: 'note' } }],
  ['amount', { type: 'integer', at: { attribute: 'amount' } }],
  ['ratio', { type: 'float', at: { attribute: 'ratio' } }],
  ['open', { type: 'boolean', at: { attribute: 'open' } }],
  ['people', { type: 'text', at: { attribute: 'people' }, isList: true }],
  ['made', { type: 'instant', at: { column: 'made' } }],
])

export type Reading = { zone?: string; text?: 'whole' | 'part' }
export const read = (input: unknown, { zone = 'UTC', text = 'whole' }: Reading = {}) =>
  parseCondition(input, { fields, zone: zoneOf(zone), text })

/** Whether a stored row matches the request's condition. */
export function finds(input: unknown, row: Record<string, unknown>, reading: Reading = {}): boolean {
  const { builtIn = 0, ...values } = row
  return meets({ builtIn: Number(builtIn), value: (field) => values[field] ?? null }, read(input, reading), fields)
}

/** The code and message of the refusal. */
export function refusal(act: () => unknown): { code: number; text: string } {
  try {
    act()
  } catch (error) {
    if (error instanceof Problem) return { code: error.code, text: error.text('en') }
    throw error
  }
  throw new Error('it was accepted')
}
export const refused = (input: unknown, reading?: Reading) => refusal(() => read(input, reading))
