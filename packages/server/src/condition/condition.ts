// The one form of every filter: parsed from a request, compiled to SQL for both engines, evaluated in memory by the same rules.
import type { RE2JS } from 're2js'
import type { Span } from '../common/time.ts'

/**
 * An unset `text` is the empty text. Other types have no value then: `word` is text with a fixed set of values (enum, timezone), `day` and `time` are
 * texts that sort by time, `instant` is milliseconds.
 */
export type FieldType = 'text' | 'word' | 'day' | 'time' | 'integer' | 'float' | 'boolean' | 'instant'

const storedAsText: ReadonlySet<FieldType> = new Set(['text', 'word', 'day', 'time'])
export const isStoredAsText = (type: FieldType): boolean => storedAsText.has(type)

export type Scalar = string | number | boolean

/** The location of a field's value and how it is compared. */
export interface Field {
  readonly type: FieldType
  /** A column, or an attribute inside the JSON column. */
  readonly at: { readonly column: string; readonly table?: string } | { readonly attribute: string }
  /** The number that a NOT NULL column contains while the field is unset. */
  readonly unset?: number
  /** A comma list: a condition names one of its members, or the whole list. */
  readonly isList?: boolean
  /** The index of its values: `attribute_value` contains every value of the field under this key. */
  readonly index?: { readonly key: number; readonly column: 'text' | 'number' }
  /** Shown only if requested by name. */
  readonly isHidden?: boolean
  /** Other names of built-in rows: their names exist in every language, but are stored in one. */
  readonly alsoCalled?: readonly Alias[]
}

export interface Alias {
  /** The value of `built_in` of the row with this name. */
  readonly builtIn: number
  readonly name: string
}

export type Fields = ReadonlyMap<string, Field>

/** The fields of a shown record: the requested ones; `*` or an empty list means all that are not hidden. */
export function shownFields(fields: Fields, wanted: readonly string[] = []): Iterable<string> {
  if (wanted.length > 0 && !wanted.includes('*')) return wanted
  let all = visibleFields.get(fields)
  if (!all) {
    all = [...fields.keys().filter((name) => !fields.get(name)?.isHidden)]
    visibleFields.set(fields, all)
  }
  return wanted.length === 0 ? all : [...all, ...wanted]
}

/** Cached for each version of the model: every record of an answer needs them. */
const visibleFields = new WeakMap<Fields, readonly string[]>()

/**
 * Every test is true or false, never unknown, so that `not` is exact: an unset text is '', and an unset value of another type fails every test except
 * `unset`.
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

/** Whether it matches everything, at any nesting. */
export const isEverything = (condition: Condition): boolean => 'all' in condition && condition.all.every(isEverything)

/** A test of one field by a pattern. */
export interface PatternLeaf extends Leaf {
  readonly test: Extract<Test, { readonly is: 'matching' }>
}

/** Its tests of single fields. */
export function leavesIn(condition: Condition): Leaf[] {
  if ('all' in condition) return condition.all.flatMap(leavesIn)
  if ('any' in condition) return condition.any.flatMap(leavesIn)
  return 'not' in condition ? leavesIn(condition.not) : [condition]
}

/** The tests that SQL cannot evaluate: patterns are matched in this process. */
export const patternsIn = (condition: Condition): PatternLeaf[] => leavesIn(condition).filter(isPatternLeaf)

const isPatternLeaf = (leaf: Leaf): leaf is PatternLeaf => leaf.test.is === 'matching'

export const needsMatching = (condition: Condition): boolean => patternsIn(condition).length > 0

/** The fields that it uses. */
export const fieldsIn = (condition: Condition): string[] => leavesIn(condition).map(({ field }) => field)
