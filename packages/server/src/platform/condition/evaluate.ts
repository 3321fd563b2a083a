import { type Alias, type Condition, type Field, type Fields, isStoredAsText, type Test } from './condition.ts'

/** A row as it is stored: fields by name, unset ones null or missing, and which built-in it is. */
export interface Row {
  readonly builtIn: number
  readonly value: (field: string) => unknown
}

/** Whether the row meets the condition: the same verdict that the compiled SQL gives. */
export function meets(row: Row, condition: Condition, fields: Fields): boolean {
  if ('all' in condition) return condition.all.every((part) => meets(row, part, fields))
  if ('any' in condition) return condition.any.some((part) => meets(row, part, fields))
  if ('not' in condition) return !meets(row, condition.not, fields)

  const field = fields.get(condition.field)
  const value = typed(row.value(condition.field), field)
  const names = (field?.alsoCalled ?? []).filter((alias: Alias) => alias.builtIn === row.builtIn)
  return passes(value, condition.test) || names.some((alias) => passes(alias.name, condition.test))
}

/** A value that another type left behind counts as unset, as it does in SQL. */
function typed(value: unknown, field: Field | undefined): unknown {
  if (field?.type === 'text') return typeof value === 'string' ? value : ''
  if (field && isStoredAsText(field.type)) return typeof value === 'string' && value !== '' ? value : null
  if (field?.type === 'boolean') return typeof value === 'boolean' ? value : null
  return typeof value === 'number' && value !== field?.unset ? value : null
}

export function passes(value: unknown, test: Test): boolean {
  switch (test.is) {
    case 'unset':
      return value === null || value === ''
    case 'among':
      return test.values.includes(value as string)
    case 'containing':
      return typeof value === 'string' && value.includes(test.part)
    case 'listing':
      return typeof value === 'string' && value.split(',').some((name) => test.names.includes(name))
    case 'within':
      return typeof value === 'number' && test.spans.some(({ from, to }) => from <= value && value <= to)
    case 'matching':
      return typeof value === 'string' && test.pattern.matcher(value).find()
    default: {
      if (value === null) return false
      const order = compare(value as string | number, test.value)
      return { '<': order < 0, '<=': order <= 0, '>': order > 0, '>=': order >= 0 }[test.is]
    }
  }
}

export function compare(left: string | number, right: string | number): number {
  return typeof left === 'string' && typeof right === 'string' ? compareText(left, right) : Number(left) - Number(right)
}

/** By code point, as both engines do; JavaScript's own order puts U+FFFD behind an emoji. */
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
