import { problem, type Rule, rule } from '@mainline/contract'
import { RE2JS } from 're2js'
import { scalar } from '../../platform/condition/parse.ts'
import { plainText } from './check.ts'
import type { Choice } from './model.ts'
import type { AttributeType } from './presets.ts'

const mostChoices = 500
const longestChoiceId = 64
const longestChoiceName = 256
const longestPattern = 500
/** Instructions of a pattern: trying it on a text takes time in proportion. */
const largestPattern = 2_000

const refused = (field: string, why: Rule) => problem('invalid', { field, rule: why })
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The option of an attribute as it is stored: checked, in one spelling, '' for none. */
export function readOption(type: AttributeType, sent: unknown): string {
  if (type === 'enum') return JSON.stringify(readChoices(sent))
  if (sent === undefined || sent === null || sent === '') return ''
  switch (type) {
    case 'int':
    case 'float':
      return readRange(type, sent)
    case 'singlechar':
    case 'longchar':
      return JSON.stringify(readPattern(sent))
    default:
      throw refused('option', rule('noOption', { type }))
  }
}

function readChoices(sent: unknown): Choice[] {
  if (sent === undefined || sent === null || sent === '') throw problem('unassigned', { field: 'option' })
  if (!Array.isArray(sent)) throw refused('option', rule('array'))
  if (sent.length === 0) throw problem('unassigned', { field: 'option' })
  if (sent.length > mostChoices) throw problem('tooMany', { what: 'option', limit: mostChoices })
  const choices = sent.map(readChoice)
  const seen = new Set<string>()
  for (const { id } of choices) {
    if (seen.has(id)) throw refused('option', rule('distinct', { value: id }))
    seen.add(id)
  }
  if (choices.filter((choice) => choice.is_default).length > 1) throw refused('option', rule('oneDefault'))
  return choices
}

function readChoice(sent: unknown, index: number): Choice {
  const at = (key: string) => `option.${index}.${key}`
  if (!isObject(sent)) throw refused(`option.${index}`, rule('object'))
  const { id, name, type = 'text', is_default: isDefault = false } = sent
  if (id === undefined || id === null || id === '') throw problem('unassigned', { field: at('id') })
  if (name === undefined || name === null || name === '') throw problem('unassigned', { field: at('name') })
  if (typeof isDefault !== 'boolean') throw problem('notBoolean', { field: at('is_default') })
  return {
    // As in instances, 1 and "1" are one choice.
    id: plainText(at('id'), typeof id === 'number' ? String(id) : id, longestChoiceId),
    name: plainText(at('name'), name, longestChoiceName),
    type: plainText(at('type'), type, longestChoiceId),
    is_default: isDefault,
  }
}

/** Either end may be left out; clients also send numbers as texts. */
function readRange(type: 'int' | 'float', sent: unknown): string {
  if (!isObject(sent)) throw refused('option', rule('object'))
  const end = (name: 'min' | 'max') => {
    const value = sent[name]
    if (value === undefined || value === null || value === '') return {}
    return { [name]: scalar(`option.${name}`, { type: type === 'int' ? 'integer' : 'float' }, value) as number }
  }
  const range: { min?: number; max?: number } = { ...end('min'), ...end('max') }
  if (range.min !== undefined && range.max !== undefined && range.min > range.max) {
    throw refused('option', rule('minAboveMax'))
  }
  return Object.keys(range).length > 0 ? JSON.stringify(range) : ''
}

function readPattern(sent: unknown): string {
  const pattern = plainText('option', sent, longestPattern * 4)
  const wrong = (why: string) => refused('option', rule('regex', { why }))
  if (pattern.length > longestPattern) throw wrong(`it is longer than ${longestPattern}`)
  // Repetitions are written out when it is compiled: a short pattern of many would take a second.
  if (repetitions(pattern) > largestPattern) throw wrong('it is too large')
  let size: number
  try {
    size = RE2JS.compile(pattern).programSize()
  } catch (error) {
    throw wrong((error as Error).message)
  }
  if (size > largestPattern) throw wrong('it is too large')
  return pattern
}

/** The sum of what `{n}`, `{n,}` and `{n,m}` ask for; `\x{1234}` is a character. */
const repetitions = (pattern: string) =>
  [...pattern.matchAll(/(?<!\\x)\{(\d+),?(\d*)\}/g)].reduce((sum, [, n, m]) => sum + Number(n) + Number(m), 0)
