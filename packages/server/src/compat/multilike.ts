import { multilikePattern } from '../condition/multilike.ts'
import { isObject, type Sent } from '../http/dialect.ts'

/**
 * The body of a search with `$multilike` replaced by an equivalent `$regex`: as an operator of a condition object, or of a filter with a named
 * operator.
 */
export const readMultilike = (sent: Sent): Sent =>
  Object.fromEntries(Object.entries(sent).map(([key, value]) => [key, within(value)]))

function within(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(within)
  if (!isObject(value)) return value
  if (value.operator === '$multilike') {
    return { ...value, operator: '$regex', value: multilikePattern(String(value.field), value.value) }
  }
  if ('$multilike' in value && !('$regex' in value)) {
    const { $multilike, ...others } = value
    return { ...others, $regex: multilikePattern('$multilike', $multilike) }
  }
  return readMultilike(value)
}
