import type { RE2JS } from 're2js'
import {
  type Alias,
  type Condition,
  type Field,
  type Fields,
  isStoredAsText,
  type Leaf,
  type Test,
} from './condition.ts'

/** A stored row: fields by name, null or missing if unset, and the value of `built_in`; for a condition over several rows, by field. */
export interface Row {
  readonly builtIn: number | ((field: string) => number)
  readonly value: (field: string) => unknown
}

/** Whether the pattern is found in the text. */
export type Find = (pattern: RE2JS, text: string) => boolean

const findHere: Find = (pattern, text) => pattern.matcher(text).find()

/** Whether the row matches: the same result as the compiled SQL. */
export function meets(row: Row, condition: Condition, fields: Fields, find = findHere): boolean {
  if ('all' in condition) return condition.all.every((part) => meets(row, part, fields, find))
  if ('any' in condition) return condition.any.some((part) => meets(row, part, fields, find))
  if ('not' in condition) return !meets(row, condition.not, fields, find)
  return valuesOf(row, condition, fields).some((value) => passes(value, condition.test, find))
}

/** The operands of a test: the value, and other names of a built-in row. */
export function valuesOf(row: Row, { field: name }: Leaf, fields: Fields): unknown[] {
  const field = fields.get(name)
  const builtIn = typeof row.builtIn === 'number' ? row.builtIn : row.builtIn(name)
  const names = (field?.alsoCalled ?? []).filter((alias: Alias) => alias.builtIn === builtIn)
  return [typed(row.value(name), field), ...names.map((alias) => alias.name)]
}

/** A value left by an attribute of another type counts as unset, as in SQL. */
export function typed(value: unknown, field: Field | undefined): unknown {
  if (field?.type === 'text') return typeof value === 'string' ? value : ''
  if (field && isStoredAsText(field.type)) return typeof value === 'string' && value !== '' ? value : null
  if (field?.type === 'boolean') return typeof value === 'boolean' ? value : null
  return typeof value === 'number' && value !== field?.unset ? value : null
}

export function passes(value: unknown, test: Test, find = findHere): boolean {
  switch (test.is) {
    case 'unset':
      return value === null || value === ''
    case 'among': {
      const values: readonly unknown[] = test.values
      return values.includes(value)
    }
    case 'containing':
      return typeof value === 'string' && value.includes(test.part)
    case 'listing':
      return typeof value === 'string' && value.split(',').some((name) => test.names.includes(name))
    case 'within':
      return typeof value === 'number' && test.spans.some(({ from, to }) => from <= value && value <= to)
    case 'matching':
      return typeof value === 'string' && find(test.pattern, value)
    default: {
      if (typeof value !== 'string' && typeof value !== 'number') return false
      const order = compare(value, test.value)
      return { '<': order < 0, '<=': order <= 0, '>': order > 0, '>=': order >= 0 }[test.is]
    }
  }
}

export function compare(left: string | number, right: string | number): number {
  return typeof left === 'string' && typeof right === 'string' ? compareText(left, right) : Number(left) - Number(right)
}

/** By code point, like both engines; JavaScript sorts U+FFFD after an emoji. */
export function compareText(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) {
    if (left[index] === right[index]) continue
    const [a, b] = [left.charCodeAt(index), right.charCodeAt(index)]
    const [highA, highB] = [isSurrogate(a), isSurrogate(b)]
    if (highA !== highB) return highA ? 1 : -1
    return a - b
  }
  return left.length - right.length
}

const isSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdfff
