import { messageOf } from '../../common/error-code.ts'
import { pick, textOf } from '../output/cells.ts'
import { type Term, type WhereOperator, wrongAt } from './where.ts'

type LocalRow = Readonly<Record<string, unknown>>

/** Filters and sorts rows here, for lists that the server returns unfiltered. */
export function filterLocally<T extends LocalRow>(
  rows: readonly T[],
  where: readonly Term[],
  sort: readonly string[],
): T[] {
  const tests = where.map(testOf)
  const order = sort.map((each) => ({ name: each.replace(/^-/, ''), sign: each.startsWith('-') ? -1 : 1 }))
  return rows
    .filter((row) => tests.every((passes) => passes(row)))
    .toSorted((one, other) => {
      for (const { name, sign } of order) {
        const difference = sign * compared(pick(one, name), pick(other, name))
        if (difference !== 0) return difference
      }
      return 0
    })
}

function testOf(term: Term): (row: LocalRow) => boolean {
  const { field, operator, value } = term
  const values = typeof value.is === 'string' ? [value.is] : value.is
  const pattern = operator.is === '$regex' ? patternOf(term) : undefined
  return (row) => {
    const found = pick(row, field.is)
    if (pattern) return pattern.test(textOf(found))
    if (operator.is === '$ne') return compared(found, values[0]) !== 0
    return values.some((each) => holds(operator.is, compared(found, each)))
  }
}

function holds(operator: WhereOperator, difference: number): boolean {
  if (operator === '$gt') return difference > 0
  if (operator === '$gte') return difference >= 0
  if (operator === '$lt') return difference < 0
  if (operator === '$lte') return difference <= 0
  return difference === 0
}

function patternOf({ value, text }: Term): RegExp {
  try {
    return new RegExp(value.is as string, 'u')
  } catch (error) {
    throw wrongAt(text, value.at, `invalid pattern: ${messageOf(error).split(': ').at(-1)}`)
  }
}

/** Numbers by value, everything else by code point, as the server does. */
function compared(one: unknown, other: unknown): number {
  if (typeof one === 'number' && !Number.isNaN(Number(other))) return one - Number(other)
  const [a, b] = [textOf(one), textOf(other)]
  return a < b ? -1 : a > b ? 1 : 0
}
