import { type Operator, operators, Problem, problem, rule } from '@mainline/contract'
import type { RE2JS } from 're2js'
import { present } from '../common/present.ts'
import { readDay, type Zone } from '../common/time.ts'
import { type Condition, type Field, type Fields, isStoredAsText, type Scalar, type Test } from './condition.ts'
import { badPattern, largestPatterns, readPattern } from './pattern.ts'

export const mostFilters = 200
export const mostValues = 10_000
const deepest = 8

interface ParseOptions {
  readonly fields: Fields
  readonly zone: Zone
  /** How a plain text matches: by equality, or by substring for all or some fields. */
  readonly text: 'whole' | 'part' | readonly string[]
}

/** Parses a condition object of a request. Errors name the wrong part. */
export function parseCondition(input: unknown, options: ParseOptions): Condition {
  return new Parser(options).object(input, 1)
}

export interface Filter {
  readonly field: string
  readonly operator: string
  readonly value: unknown
}

/** Parses filters that must all match, given as a list like in host queries; `at` returns the path of the filter with an index. */
export function parseFilters(
  filters: readonly Filter[],
  options: ParseOptions,
  at: (index: number) => string,
): Condition[] {
  const parser = new Parser(options)
  return filters.map(({ field, operator, value }, index) => {
    try {
      return parser.filter(field, operator, value)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      const part = !options.fields.has(field) ? 'field' : error.kind === 'unknown' ? 'operator' : 'value'
      throw error.at(`${at(index)}.${part}`)
    }
  })
}

class Parser {
  readonly #options: ParseOptions
  #filters = 0
  #instructions = 0

  constructor(options: ParseOptions) {
    this.#options = options
  }

  object(input: unknown, depth: number): Condition {
    if (!isObject(input)) throw problem('invalid', { field: 'condition', rule: rule('object') })
    if (depth > deepest) throw problem('invalid', { field: 'condition', rule: rule('depth', { max: deepest }) })
    const parts = Object.entries(input).map(([name, value]): Condition => {
      if (name === '$or') return { any: this.#list(name, value, depth) }
      if (name === '$and') return { all: this.#list(name, value, depth) }
      if (value === null) return this.#absent(name)
      return isObject(value) ? this.#operators(name, value) : this.#plain(name, value)
    })
    // A filter that matches everything counts, too: a list may contain thousands.
    if (parts.length === 0) this.#count()
    return parts.length === 1 ? present(parts[0]) : { all: parts }
  }

  #list(name: string, input: unknown, depth: number): Condition[] {
    if (!Array.isArray(input) || input.length === 0) throw problem('invalid', { field: name, rule: rule('array') })
    return input.map((part) => this.object(part, depth + 1))
  }

  /** An entry with null does not filter, like one that was not sent; its field must still exist. */
  #absent(name: string): Condition {
    this.#field(name)
    this.#count()
    return { all: [] }
  }

  #operators(name: string, input: Record<string, unknown>): Condition {
    this.#field(name)
    const parts = Object.entries(input).map(([operator, operand]) => this.filter(name, operator, operand))
    if (parts.length === 0) this.#count()
    return { all: parts }
  }

  #plain(name: string, value: unknown): Condition {
    const field = this.#field(name)
    const takesPart = field.type === 'text' || field.type === 'word'
    if (this.#isPart(name) && takesPart && !field.isList && typeof value === 'string') {
      this.#count()
      return value === '' ? { all: [] } : { field: name, test: { is: 'containing', part: clean(name, value) } }
    }
    return this.filter(name, '$eq', value)
  }

  #isPart(name: string): boolean {
    const { text } = this.#options
    return typeof text === 'string' ? text === 'part' : text.includes(name)
  }

  filter(name: string, operator: string, operand: unknown): Condition {
    const field = this.#field(name)
    this.#count()
    switch (operator as Operator) {
      case '$eq':
        return this.#among(name, field, [operand])
      case '$ne':
      case '$neq':
        return { not: this.#among(name, field, [operand]) }
      case '$in':
        return this.#among(name, field, values(name, operand))
      case '$nin':
        return { not: this.#among(name, field, values(name, operand)) }
      case '$gt':
      case '$gte':
      case '$lt':
      case '$lte':
        return this.#compare(name, field, operator as Comparison, operand)
      case '$regex':
        return { field: name, test: { is: 'matching', pattern: this.#pattern(name, field, operand) } }
      case '$exists': {
        if (typeof operand !== 'boolean') throw problem('notBoolean', { field: `${name}.$exists` })
        const unset: Condition = { field: name, test: { is: 'unset' } }
        return operand ? { not: unset } : unset
      }
      default:
        throw problem('unknown', {
          field: `${name}.${operator}`,
          rule: rule('operator', { values: operators.join(' ') }),
        })
    }
  }

  #among(name: string, field: Field, operands: readonly unknown[]): Condition {
    const values = operands.filter((operand) => operand !== null)
    const parts: Condition[] = []
    if (values.length < operands.length) parts.push({ field: name, test: { is: 'unset' } })
    if (field.type === 'instant') {
      if (values.length > 0)
        parts.push(leaf(name, { is: 'within', spans: values.map((value) => this.#span(name, value)) }))
    } else if (field.isList) {
      const names = values.map((value) => textOf(name, value).trim())
      if (names.includes('')) parts.push(leaf(name, { is: 'unset' }))
      // No member contains a comma, so this is the whole list as shown.
      const [single, whole] = [names.filter((each) => !each.includes(',')), names.filter((each) => each.includes(','))]
      const members = single.filter((each) => each !== '')
      if (members.length > 0) parts.push(leaf(name, { is: 'listing', names: members }))
      if (whole.length > 0) parts.push(leaf(name, { is: 'among', values: whole }))
    } else if (values.length > 0) {
      parts.push(leaf(name, { is: 'among', values: values.map((value) => this.#value(name, field, value)) }))
    }
    return parts.length === 1 ? present(parts[0]) : { any: parts }
  }

  #compare(name: string, field: Field, operator: Comparison, operand: unknown): Condition {
    const sign = signs[operator]
    if (field.type === 'instant') {
      const { from, to } = this.#span(name, operand)
      return leaf(name, { is: sign, value: operator === '$gt' || operator === '$lte' ? to : from })
    }
    const value = this.#value(name, field, operand)
    if (typeof value === 'boolean')
      throw problem('invalid', {
        field: `${name}.${operator}`,
        rule: rule('operator', { values: '$eq $ne $in $nin $exists' }),
      })
    return leaf(name, { is: sign, value })
  }

  #pattern(name: string, field: Field, operand: unknown): RE2JS {
    if (typeof operand !== 'string' || !isStoredAsText(field.type)) {
      throw problem('notString', { field: `${name}.$regex` })
    }
    const pattern = readPattern(`${name}.$regex`, operand)
    this.#instructions += pattern.programSize()
    if (this.#instructions > largestPatterns) throw badPattern(`${name}.$regex`, rule('patternsTooLarge'))
    return pattern
  }

  #span(name: string, value: unknown) {
    const span = typeof value === 'string' ? this.#options.zone.read(value) : undefined
    if (!span) throw problem('invalid', { field: name, rule: rule('time') })
    return span
  }

  #value(name: string, { type }: Field, value: unknown): Scalar {
    switch (type) {
      case 'text':
      case 'word':
        return textOf(name, value)
      case 'day':
        return dayOf(name, value)
      case 'time':
        return localTimeOf(name, value, this.#options.zone)
      case 'instant':
        throw new Error('instants are read as spans')
      default:
        return scalar(name, type, value)
    }
  }

  #field(name: string): Field {
    const field = this.#options.fields.get(name)
    if (!field) throw problem('unknown', { field: name })
    return field
  }

  #count(): void {
    if (++this.#filters > mostFilters) throw problem('tooMany', { what: 'condition', limit: mostFilters })
  }
}

type Comparison = '$gt' | '$gte' | '$lt' | '$lte'
const signs = { $gt: '>', $gte: '>=', $lt: '<', $lte: '<=' } as const
const leaf = (field: string, test: Test): Condition => ({ field, test })
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `$in` takes an array; clients also send one value or a comma list. */
function values(name: string, operand: unknown): readonly unknown[] {
  const list = Array.isArray(operand)
    ? operand
    : typeof operand === 'string'
      ? operand.split(',').map((part) => part.trim())
      : [operand]
  if (list.length > mostValues) throw problem('tooMany', { what: name, limit: mostValues })
  return list
}

/** A day as stored by attributes of type `date`. */
export function dayOf(field: string, value: unknown): string {
  const day = typeof value === 'string' ? readDay(value) : undefined
  if (day === undefined) throw problem('invalid', { field, rule: rule('date') })
  return day
}

/** A time as stored by attributes of type `time`: in the configured zone, to the second. */
export function localTimeOf(field: string, value: unknown, zone: Zone): string {
  const time = typeof value === 'string' ? zone.toLocal(value) : undefined
  if (time === undefined) throw problem('invalid', { field, rule: rule('time') })
  return time
}

function textOf(field: string, value: unknown): string {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') throw problem('notString', { field })
  return clean(field, value)
}

/** The value converted by type: "1" and 1 are the same integer. */
export function scalar(field: string, type: 'integer' | 'float', value: unknown): number
export function scalar(field: string, type: 'integer' | 'float' | 'boolean', value: unknown): number | boolean
export function scalar(field: string, type: 'integer' | 'float' | 'boolean', value: unknown): number | boolean {
  switch (type) {
    case 'integer': {
      const number = numeric(value)
      if (number === undefined || !Number.isSafeInteger(number)) throw problem('notInteger', { field })
      return number
    }
    case 'float': {
      const number = numeric(value)
      if (number === undefined || !Number.isFinite(number)) throw problem('notFloat', { field })
      return number
    }
    case 'boolean':
      if (value === true || value === 'true') return true
      if (value === false || value === 'false') return false
      throw problem('notBoolean', { field })
  }
}

function numeric(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^\s*[+-]?\d+(\.\d+)?([eE][+-]?\d+)?\s*$/.test(value) ? Number(value) : undefined
}

/** No stored text contains NUL or an unpaired surrogate, and PostgreSQL would reject the statement. */
function clean(name: string, text: string): string {
  if (text.includes('\0') || !text.isWellFormed()) throw problem('invalid', { field: name, rule: rule('text') })
  return text
}
