import { type Problem, problem, type Rule, rule } from '@mainline/contract'
import { RE2JS } from 're2js'
import { patternFault } from '../http/bodies/faults-in-text.ts'
import { chargeCompiling } from '../matching/index.ts'
import { compilingCost } from './pattern-cost.ts'

const longestPattern = 1_000
/** Limit of instructions in all patterns of a condition: matching time is proportional to it. */
export const largestPatterns = 2_000
/** Limit of the cost of compiling one pattern: 20 ms at the slowest measured, with twenty Unicode classes. See `compilingCost`. */
const maxCost = 4_000

export const badPattern = (field: string, why: Rule): Problem =>
  problem('invalid', { field, rule: rule('regex', { why }) })

/** A user's pattern: RE2, with limits of its size, so that matching is fast. */
export function readPattern(field: string, text: string, longest = longestPattern): RE2JS {
  if (text.length > longest) throw badPattern(field, rule('patternTooLong', { max: longest }))
  const cost = compilingCost(text)
  if (cost > maxCost) throw badPattern(field, rule('patternTooLarge'))
  if (!chargeCompiling(cost)) throw badPattern(field, rule('patternsTooLarge'))
  const pattern = compiled(field, text)
  if (pattern.programSize() > largestPatterns) throw badPattern(field, rule('patternTooLarge'))
  return pattern
}

function compiled(field: string, text: string): RE2JS {
  try {
    return RE2JS.compile(text)
  } catch (error) {
    throw badPattern(field, patternFault(error))
  }
}
