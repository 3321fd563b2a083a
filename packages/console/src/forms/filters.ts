import type { Operator } from '@mainline/contract'
import { type Attribute, choicesOf, toValue } from './attributes.ts'

/** The objects by which hosts can be searched. `object` means the levels of the main line. */
export const kinds = ['biz', 'set', 'module', 'host', 'object'] as const
export type Kind = (typeof kinds)[number]

/** Operators of an attribute. Texts also have "is set" and "is not set", which need no value. */
export type Asked = Operator | 'empty' | 'filled'

/** One line of a condition, as typed. */
export interface Filter {
  readonly object: Kind
  readonly field: string
  readonly operator: Asked
  readonly value: string
}

export interface KindCondition {
  readonly bk_obj_id: string
  readonly fields?: string[]
  readonly condition: { field: string; operator: string; value: unknown }[]
}

const whole: Asked[] = ['$eq', '$neq', '$in', '$nin']
const ordered: Asked[] = [...whole, '$gt', '$gte', '$lt', '$lte', '$exists']
const ofText: Asked[] = [...whole, '$regex', 'empty', 'filled']
const operatorsByType: Record<string, Asked[]> = {
  singlechar: ofText,
  longchar: ofText,
  objuser: ofText,
  int: ordered,
  float: ordered,
  date: ordered,
  time: ordered,
  bool: ['$eq', '$neq', '$exists'],
}

/** Operators offered for an attribute; for an unknown one, those of text. */
export const operatorsFor = (attribute: Attribute | undefined): readonly Asked[] => {
  if (attribute && choicesOf(attribute).length > 0) return whole
  return operatorsByType[attribute?.bk_property_type ?? 'singlechar'] ?? whole
}

export const takesMany = (operator: Asked): boolean => operator === '$in' || operator === '$nin'
export const takesNone = (operator: Asked): boolean => operator === 'empty' || operator === 'filled'

/** A list as typed or pasted: by commas, blanks or lines. */
export const listed = (text: string): string[] => text.split(/[\s,;，；]+/).filter(Boolean)

/** Texts may contain blanks: members of such a list are separated by commas or lines only. */
const listedTexts = (text: string): string[] =>
  text
    .split(/[\n,，]/)
    .map((each) => each.trim())
    .filter(Boolean)

const withoutBlanks = ['int', 'float', 'date', 'objuser']
const addresses = ['bk_host_innerip', 'bk_host_outerip']

/** Whether values of the attribute cannot contain blanks, so that blanks may separate them. */
const isBlankless = (attribute: Attribute): boolean =>
  addresses.includes(attribute.bk_property_id) ||
  (withoutBlanks.includes(attribute.bk_property_type) && choicesOf(attribute).length === 0)

/** A condition applies once it has a value: half-typed ones are ignored. */
export const isComplete = ({ field, operator, value }: Filter): boolean =>
  field !== '' && (takesNone(operator) || value.trim() !== '')

/** A filter in the terms of the API. */
export function askedOf(
  { operator, value }: Pick<Filter, 'operator' | 'value'>,
  attribute: Attribute | undefined,
): { operator: string; value: unknown } {
  const one = (text: string) => (attribute ? toValue(attribute, text) : text)
  switch (operator) {
    case 'empty':
      return { operator: '$eq', value: '' }
    case 'filled':
      return { operator: '$neq', value: '' }
    case '$exists':
      return { operator, value: value === 'true' }
    case '$regex':
      return { operator, value }
    case '$in':
    case '$nin':
      return { operator, value: (attribute && isBlankless(attribute) ? listed : listedTexts)(value).map(one) }
    default:
      return { operator, value: one(value) }
  }
}

/** A stored condition as an editable line. */
export function filterFrom(object: Kind, field: string, operator: string, value: unknown): Filter {
  const isNot = operator === '$ne' || operator === '$neq'
  if (value === '' && isNot) return { object, field, operator: 'filled', value }
  if (value === '' && operator === '$eq') return { object, field, operator: 'empty', value }
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '')
  return { object, field, operator: isNot ? '$neq' : (operator as Operator), value: text }
}

/** The filters in the form of the API: one entry per object. */
export function conditionsOf(
  filters: readonly Filter[],
  attributes: (object: Kind) => readonly Attribute[],
): KindCondition[] {
  const byKind = Map.groupBy(filters.filter(isComplete), (filter) => filter.object)
  return [...byKind].map(([kind, ofKind]) => ({
    bk_obj_id: kind,
    condition: ofKind.map((filter) => ({
      field: filter.field,
      ...askedOf(
        filter,
        attributes(kind).find((each) => each.bk_property_id === filter.field),
      ),
    })),
  }))
}

/** Filters in the address, and back. Invalid parts are ignored. */
export const toAddress = (filters: readonly Filter[]): string => JSON.stringify(filters)
export function fromAddress(text: string | undefined): Filter[] {
  try {
    const parsed = JSON.parse(text ?? '[]')
    return Array.isArray(parsed) ? parsed.filter(isFilter) : []
  } catch {
    return []
  }
}

const isFilter = (value: unknown): value is Filter => {
  const { object, field, operator, value: sought } = (value ?? {}) as Partial<Record<keyof Filter, unknown>>
  return kinds.includes(object as Kind) && [field, operator, sought].every((text) => typeof text === 'string')
}
