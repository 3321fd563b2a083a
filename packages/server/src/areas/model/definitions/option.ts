import { problem, type Rule, rule } from '@mainline/contract'
import { scalar } from '../../../condition/parse.ts'
import { readPattern } from '../../../condition/pattern.ts'
import { nameText, plainText } from '../check.ts'
import type { Choice } from '../model.ts'
import type { AttributeType } from '../presets.ts'

const mostChoices = 500
const longestChoiceId = 64
const longestPattern = 500

const refused = (field: string, why: Rule) => problem('invalid', { field, rule: why })
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The option of an attribute as it is stored: checked, normalised, '' for none. */
export function readOption(type: AttributeType, sent: unknown): string {
  if (type === 'enum') return JSON.stringify(readChoices(sent))
  if (sent === undefined || sent === null || sent === '') return ''
  switch (type) {
    case 'int':
    case 'float':
      return readRange(type, sent)
    case 'singlechar':
    case 'longchar':
      return JSON.stringify(patternOf(sent))
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
  const { id, name } = sent
  const isDefault = sent.is_default ?? false
  if (id === undefined || id === null || id === '') throw problem('unassigned', { field: at('id') })
  if (name === undefined || name === null || name === '') throw problem('unassigned', { field: at('name') })
  if (typeof isDefault !== 'boolean') throw problem('notBoolean', { field: at('is_default') })
  return {
    // As in instances, 1 and "1" are the same choice.
    id: plainText(at('id'), typeof id === 'number' ? String(id) : id, longestChoiceId),
    name: nameText(at('name'), name),
    type: plainText(at('type'), sent.type ?? 'text', longestChoiceId),
    is_default: isDefault,
  }
}

/** Both limits are optional; some clients send numbers as strings. */
function readRange(type: 'int' | 'float', sent: unknown): string {
  if (!isObject(sent)) throw refused('option', rule('object'))
  const end = (name: 'min' | 'max') => {
    const value = sent[name]
    if (value === undefined || value === null || value === '') return {}
    return { [name]: scalar(`option.${name}`, type === 'int' ? 'integer' : 'float', value) }
  }
  const range: { min?: number; max?: number } = { ...end('min'), ...end('max') }
  if (range.min !== undefined && range.max !== undefined && range.min > range.max) {
    throw refused('option', rule('minAboveMax'))
  }
  return Object.keys(range).length > 0 ? JSON.stringify(range) : ''
}

function patternOf(sent: unknown): string {
  const text = plainText('option', sent, longestPattern * 4)
  readPattern('option', text, longestPattern)
  return text
}
