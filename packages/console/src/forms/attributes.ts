import type { model } from '@mainline/contract'
import { common } from '../words/common.ts'

export type Attribute = model.AttributeRecord
/** What a form holds: text for every attribute, as typed. */
export type Draft = Readonly<Record<string, string>>

export interface CheckWords {
  required: string
  integer: string
  decimal: string
  between(min: string, max: string): string
  pattern(pattern: string): string
  tooLong(max: number, got: number): string
  date: string
  time: string
  yesOrNo: string
}

export interface EnumChoice {
  readonly id: string
  readonly name: string
  readonly is_default?: boolean
}

const longest: Record<string, number> = { singlechar: 256, longchar: 2_000 }
const datePattern = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/
const timePattern = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]) ([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/

export const choicesOf = (attribute: Attribute): readonly EnumChoice[] =>
  Array.isArray(attribute.option) ? (attribute.option as EnumChoice[]) : []

/** A choice by its id, or by its name as people write it. */
function choiceOf(attribute: Attribute, text: string): EnumChoice | undefined {
  const choices = choicesOf(attribute)
  return choices.find(({ id }) => id === text) ?? choices.find(({ name }) => name.toLowerCase() === text.toLowerCase())
}

const spoken = Object.values(common)
const affirmed = ['true', '1', 'yes', ...spoken.map(({ yes }) => yes.toLowerCase())]
const denied = ['false', '0', 'no', ...spoken.map(({ no }) => no.toLowerCase())]

/** A boolean as people and spreadsheets write it, in either language; undefined for other text. */
function readBool(text: string): boolean | undefined {
  if (affirmed.includes(text.toLowerCase())) return true
  return denied.includes(text.toLowerCase()) ? false : undefined
}

/** A quantity, in contrast to an id or code. */
export const isQuantity = (attribute: Attribute): boolean =>
  attribute.bk_property_type === 'int' && choicesOf(attribute).length === 0

export const rangeOf = (attribute: Attribute): { min: string; max: string } => {
  const { min, max } = (attribute.option ?? {}) as { min?: unknown; max?: unknown }
  return { min: String(min ?? ''), max: String(max ?? '') }
}

/** The client-side error of a value; undefined if there is none. */
export function check(attribute: Attribute, typed: string, words: CheckWords): string | undefined {
  const text = choiceOf(attribute, typed.trim())?.id ?? typed.trim()
  if (text === '') return attribute.isrequired ? words.required : undefined
  switch (attribute.bk_property_type) {
    case 'int':
      return /^-?\d+$/.test(text) ? checkRange(attribute, Number(text), words) : words.integer
    case 'float':
      return Number.isFinite(Number(text)) ? checkRange(attribute, Number(text), words) : words.decimal
    case 'date':
      return datePattern.test(text) ? undefined : words.date
    case 'time':
      return timePattern.test(text) || !Number.isNaN(Date.parse(text)) ? undefined : words.time
    case 'bool':
      return readBool(text) === undefined ? words.yesOrNo : undefined
    case 'singlechar':
    case 'longchar':
      return checkText(attribute, text, words)
    default:
      return undefined
  }
}

function checkRange(attribute: Attribute, value: number, words: CheckWords): string | undefined {
  const { min, max } = rangeOf(attribute)
  const outside = (min !== '' && value < Number(min)) || (max !== '' && value > Number(max))
  return outside ? words.between(min, max) : undefined
}

function checkText(attribute: Attribute, text: string, words: CheckWords): string | undefined {
  const bytes = new TextEncoder().encode(text).length
  const most = longest[attribute.bk_property_type] ?? Number.POSITIVE_INFINITY
  if (bytes > most) return words.tooLong(most, bytes)
  const pattern = typeof attribute.option === 'string' ? attribute.option : ''
  return pattern && matches(pattern, text) === false ? words.pattern(pattern) : undefined
}

/** Patterns are RE2; those that a browser cannot compile are left to the server. */
function matches(pattern: string, text: string): boolean | undefined {
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    return undefined
  }
}

/** A stored value as form text. */
export function toText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The text of a form as a value for the API; an emptied field is cleared. */
export function toValue(attribute: Attribute, typed: string): unknown {
  const text = choiceOf(attribute, typed.trim())?.id ?? typed.trim()
  switch (attribute.bk_property_type) {
    case 'int':
    case 'float':
      return text === '' ? null : Number(text)
    case 'bool':
      // Anything else is sent as typed, for the server to refuse.
      return text === '' ? null : (readBool(text) ?? text)
    case 'objuser':
      return text
        .split(/[,;，；\s]+/)
        .filter(Boolean)
        .join(',')
    case 'singlechar':
    case 'longchar':
      return text
    default:
      return text === '' ? null : text
  }
}

/** A value for display: the name of a choice, a number with its unit. */
export function toWords(attribute: Attribute, value: unknown, words: { yes: string; no: string }): string {
  const text = toText(value)
  if (text === '') return ''
  const choice = choicesOf(attribute).find(({ id }) => id === text)
  if (choice) return choice.name
  if (attribute.bk_property_type === 'bool') return text === 'true' ? words.yes : words.no
  if (attribute.bk_property_type === 'objuser') return text.split(',').join(', ')
  return attribute.unit ? `${text} ${attribute.unit}` : text
}

/** The value of a checkbox that was never ticked. */
export const unticked = 'false'

const begins = (attribute: Attribute): string => {
  if (attribute.bk_property_type === 'bool' && attribute.isrequired) return unticked
  return choicesOf(attribute).find((choice) => choice.is_default)?.id ?? ''
}

/** A new instance starts with the defaults of the model. */
export const emptyDraft = (attributes: readonly Attribute[]): Draft =>
  Object.fromEntries(attributes.map((attribute) => [attribute.bk_property_id, begins(attribute)]))

export const draftOf = (attributes: readonly Attribute[], record: Readonly<Record<string, unknown>>): Draft =>
  Object.fromEntries(attributes.map(({ bk_property_id: id }) => [id, toText(record[id])]))

/** The changed values. */
export const changed = (attributes: readonly Attribute[], before: Draft, after: Draft): Attribute[] =>
  attributes.filter(({ bk_property_id: id }) => (before[id] ?? '').trim() !== (after[id] ?? '').trim())

/** Only differences are sent, so that two users who edit different fields do not revert each other. */
export const differences = (attributes: readonly Attribute[], before: Draft, after: Draft): Record<string, unknown> =>
  Object.fromEntries(
    changed(attributes, before, after).map((attribute) => [
      attribute.bk_property_id,
      toValue(attribute, after[attribute.bk_property_id] ?? ''),
    ]),
  )

/** The values entered for a new instance. */
export const filledIn = (attributes: readonly Attribute[], draft: Draft): Record<string, unknown> =>
  differences(attributes, {}, draft)

/** Attributes by group, in the order of the model. */
export function grouped(attributes: readonly Attribute[]): { name: string; attributes: Attribute[] }[] {
  const groups = new Map<string, { name: string; attributes: Attribute[] }>()
  for (const attribute of attributes) {
    const group = groups.get(attribute.bk_property_group) ?? { name: attribute.bk_property_group_name, attributes: [] }
    group.attributes.push(attribute)
    groups.set(attribute.bk_property_group, group)
  }
  return [...groups.values()]
}
