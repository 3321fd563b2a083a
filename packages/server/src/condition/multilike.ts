import { problem } from '@mainline/contract'
import { literally } from './literal.ts'
import { mostValues } from './parse.ts'

/**
 * Translates the operand of `$multilike`, which clients of the original send, to a pattern: text that contains any of the parts, case-insensitively.
 * The parts are an array, or the lines of one text.
 */
export function multilikePattern(field: string, operand: unknown): string {
  const sent = typeof operand === 'string' ? operand.split(/[\r\n]+/) : operand
  if (!Array.isArray(sent)) throw problem('notString', { field })
  const parts = sent.map((part: unknown) => {
    if (typeof part !== 'string') throw problem('notString', { field })
    return part.trim()
  })
  const wanted = parts.filter((part) => part !== '')
  if (wanted.length === 0) throw problem('unassigned', { field })
  if (wanted.length > mostValues) throw problem('tooMany', { what: field, limit: mostValues })
  return `(?i)${wanted.map(literally).join('|')}`
}
