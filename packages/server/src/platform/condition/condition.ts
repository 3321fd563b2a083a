// The one form of every filter: parsed from a request, compiled to SQL for both engines, evaluated in memory by the same rules.
import type { RE2JS } from 're2js'
import type { Span } from '../time.ts'

/**
 * `text` that is unset is the empty text. The others have no value then: `word` is text with a fixed set of values (enum,
 * timezone), `day` and `time` are stored as texts that sort by time, `instant` as milliseconds.
 */
export type FieldType = 'text' | 'word' | 'day' | 'time' | 'integer' | 'float' | 'boolean' | 'instant'

const storedAsText: ReadonlySet<FieldType> = new Set(['text', 'word', 'day', 'time'])
export const isStoredAsText = (type: FieldType): boolean => storedAsText.has(type)

export type Scalar = string | number | boolean

/** Where a field's value is and how it is compared. */
export interface Field {
  readonly type: FieldType
  /** A column, or an attribute inside the JSON column. */
  readonly at: { readonly column: string; readonly table?: string } | { readonly attribute: string }
  /** The number that a NOT NULL column holds while the field is unset. */
  readonly unset?: number
  /** A comma list: a condition names one of its members, or all of it. */
  readonly isList?: boolean
  /** Where rows are found by its value: `attribute_value` has every value of the field under the key. */
  readonly index?: { readonly key: number; readonly column: 'text' | 'number' }
  /** What built-in rows are also called: their names exist in every language, but are stored in one. */
  readonly alsoCalled?: readonly Alias[]
}

export interface Alias {
  /** The value of `built_in` of the row that bears the name. */
  readonly builtIn: number
  readonly name: string
}

export type Fields = ReadonlyMap<string, Field>

/**
 * Every test is true or false, never unknown, so that `not` means what it says:
 * an unset text is '', an unset value of another type fails every test but `unset`.
 */
export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | { readonly field: string; readonly test: Test }

/** A test of one field. */
export type Leaf = Extract<Condition, { readonly field: string }>

export type Test =
  | { readonly is: 'among'; readonly values: readonly Scalar[] }
  | { readonly is: '<' | '<=' | '>' | '>='; readonly value: string | number }
  | { readonly is: 'containing'; readonly part: string }
  | { readonly is: 'listing'; readonly names: readonly string[] }
  | { readonly is: 'within'; readonly spans: readonly Span[] }
  | { readonly is: 'matching'; readonly pattern: RE2JS }
  | { readonly is: 'unset' }

export const everything: Condition = { all: [] }

/** Whether it lets everything through, however it is nested. */
export const isEverything = (condition: Condition): boolean => 'all' in condition && condition.all.every(isEverything)

/** True when SQL cannot decide the condition alone: patterns are matched in this process. */
export function needsMatching(condition: Condition): boolean {
  if ('all' in condition) return condition.all.some(needsMatching)
  if ('any' in condition) return condition.any.some(needsMatching)
  if ('not' in condition) return needsMatching(condition.not)
  return condition.test.is === 'matching'
}

/** The fields that it asks for. */
export function fieldsIn(condition: Condition): string[] {
  if ('all' in condition) return condition.all.flatMap(fieldsIn)
  if ('any' in condition) return condition.any.flatMap(fieldsIn)
  return 'not' in condition ? fieldsIn(condition.not) : [condition.field]
}
