import { type Problem, problem, type Rule, rule } from '@mainline/contract'
import { RE2JS } from 're2js'
import { patternFault } from '../faults-in-text.ts'

const longestPattern = 1_000
/** Instructions in all patterns of a condition: trying them on a text takes time in proportion. */
export const largestPatterns = 2_000

export const badPattern = (field: string, why: Rule): Problem =>
  problem('invalid', { field, rule: rule('regex', { why }) })

/** A pattern of a user's: RE2, and never so large that trying it would hold anybody up. */
export function readPattern(field: string, text: string, longest = longestPattern): RE2JS {
  if (text.length > longest) throw badPattern(field, rule('patternTooLong', { max: longest }))
  // Repetitions are written out, so a short pattern of many would take a second to compile.
  if (repetitions(text) > largestPatterns) throw badPattern(field, rule('patternTooLarge'))
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

/** The sum of what `{n}`, `{n,}` and `{n,m}` ask for; `\x{1234}` is a character. */
const repetitions = (pattern: string) =>
  [...pattern.matchAll(/(?<!\\x)\{(\d+),?(\d*)\}/g)].reduce((sum, [, n, m]) => sum + Number(n) + Number(m), 0)
