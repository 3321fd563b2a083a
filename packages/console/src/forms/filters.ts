import type { Operator } from '@mainline/contract'
import { type Attribute, choicesOf, toValue } from './attributes.ts'

/** The objects that hosts can be found by. `object` stands for the levels of the main line. */
export const kinds = ['biz', 'set', 'module', 'host', 'object'] as const
export type Kind = (typeof kinds)[number]

/** One line of a condition, as typed. */
export interface Filter {
  readonly object: Kind
  readonly field: string
  readonly operator: Operator
  readonly value: string
}

export interface KindCondition {
  readonly bk_obj_id: string
  readonly fields?: string[]
  readonly condition: { field: string; operator: string; value: unknown }[]
}

const whole: Operator[] = ['$eq', '$neq', '$in', '$nin']
const ordered: Operator[] = [...whole, '$gt', '$gte', '$lt', '$lte']
const operatorsByType: Record<string, Operator[]> = {
  singlechar: [...whole, '$regex'],
  longchar: [...whole, '$regex'],
  objuser: [...whole, '$regex'],
  int: ordered,
  float: ordered,
  date: ordered,
  time: ordered,
  bool: ['$eq', '$neq'],
}

/** What one may ask of an attribute; of one that is not known yet, as of a text. */
export const operatorsFor = (attribute: Attribute | undefined): readonly Operator[] => {
  if (attribute && choicesOf(attribute).length > 0) return whole
  return operatorsByType[attribute?.bk_property_type ?? 'singlechar'] ?? whole
}

export const takesMany = (operator: Operator): boolean => operator === '$in' || operator === '$nin'

/** A list as typed or pasted: by commas, blanks or lines. */
export const listed = (text: string): string[] => text.split(/[\s,;，；]+/).filter(Boolean)

/** A condition takes part once it has a value: what is half typed asks nothing. */
export const isComplete = (filter: Filter): boolean => filter.field !== '' && filter.value.trim() !== ''

const valueFor = (filter: Filter, attribute: Attribute | undefined): unknown => {
  const one = (text: string) => (attribute ? toValue(attribute, text) : text)
  return takesMany(filter.operator) ? listed(filter.value).map(one) : one(filter.value)
}

/** The filters as the interface wants them: one entry for each object that is asked about. */
export function conditionsOf(
  filters: readonly Filter[],
  attributes: (object: Kind) => readonly Attribute[],
): KindCondition[] {
  const byKind = Map.groupBy(filters.filter(isComplete), (filter) => filter.object)
  return [...byKind].map(([kind, ofKind]) => ({
    bk_obj_id: kind,
    condition: ofKind.map((filter) => ({
      field: filter.field,
      operator: filter.operator,
      value: valueFor(
        filter,
        attributes(kind).find((each) => each.bk_property_id === filter.field),
      ),
    })),
  }))
}

/** Filters in an address, and back. Whatever is not one is left out. */
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
