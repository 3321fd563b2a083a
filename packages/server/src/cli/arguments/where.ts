import { isKeyOf } from '../../common/keys.ts'
import { widthOf } from '../output/cells.ts'
import { misused } from './usage.ts'

const signs = {
  '=': '$eq',
  '!=': '$ne',
  '>=': '$gte',
  '<=': '$lte',
  '>': '$gt',
  '<': '$lt',
  '~': '$regex',
} as const
export type WhereOperator = (typeof signs)[keyof typeof signs] | '$in'

/** A part of a condition and its offset in the text, for error messages. */
interface FilterPart<T> {
  readonly is: T
  readonly at: number
}

export interface Term {
  /** As written, with the object as a prefix if there is one: `set.bk_set_name`. */
  readonly field: FilterPart<string>
  readonly operator: FilterPart<WhereOperator>
  /** Text; the server converts it by the type of the field. */
  readonly value: FilterPart<string | readonly string[]>
  /** The whole condition. */
  readonly text: string
}

/** An error message with a mark below the wrong place. */
export const wrongAt = (text: string, at: number, why: string) =>
  misused(`--where: ${/[.?]$/.test(why) ? why : `${why}.`}\n  ${text}\n  ${' '.repeat(widthOf(text.slice(0, at)))}^`)

/** Parses `field operator value and ...`; operators are = != > >= < <= ~ and `in (a, b)`. */
export function readWhere(text: string): Term[] {
  const scanner = new Scanner(text)
  const terms: Term[] = []
  do {
    terms.push(readTerm(scanner))
  } while (scanner.takesWord('and'))
  if (!scanner.atEnd) {
    scanner.refuse("expected 'and' or the end here; quote values that contain blanks")
  }
  return terms
}

function readTerm(scanner: Scanner): Term {
  const field = scanner.field()
  const operator = scanner.operator()
  const value = operator.is === '$in' ? scanner.list() : scanner.value()
  return { field, operator, value, text: scanner.text }
}

class Scanner {
  readonly text: string
  #at = 0

  constructor(text: string) {
    this.text = text
  }

  get atEnd(): boolean {
    this.#skipBlanks()
    return this.#at >= this.text.length
  }

  refuse(why: string): never {
    throw wrongAt(this.text, this.#at, why)
  }

  takesWord(word: string): boolean {
    return this.#take(new RegExp(`${word}(?![^\\s(])`, 'iy')) !== undefined
  }

  field(): FilterPart<string> {
    return this.#take(/[a-z_][\w.]*/iy) ?? this.refuse('expected a field name here')
  }

  operator(): FilterPart<WhereOperator> {
    const sign = this.#take(/!=|>=|<=|=|>|<|~/y)
    if (sign && isKeyOf(signs, sign.is)) return { is: signs[sign.is], at: sign.at }
    const at = this.#at
    if (this.takesWord('in')) return { is: '$in', at }
    return this.refuse('expected an operator here: = != > >= < <= ~ in')
  }

  value(): FilterPart<string> {
    return this.#quoted() ?? this.#take(/[^\s]+/y) ?? this.refuse("expected a value here; '' is the empty text")
  }

  list(): FilterPart<string[]> {
    const open = this.#take(/\(/y) ?? this.refuse('expected a list here, such as (1, 2)')
    const values: string[] = []
    do {
      const one = this.#quoted() ?? this.#take(/[^\s,()]+/y) ?? this.refuse('expected a value here')
      values.push(one.is)
    } while (this.#take(/,/y))
    if (!this.#take(/\)/y)) this.refuse("expected ',' or ')' here")
    return { is: values, at: open.at }
  }

  #quoted(): FilterPart<string> | undefined {
    this.#skipBlanks()
    const [mark = ''] = /['"]/y.exec(this.text.slice(this.#at, this.#at + 1)) ?? []
    if (mark === '') return undefined
    const end = this.text.indexOf(mark, this.#at + 1)
    if (end < 0) return this.refuse(`the ${mark} here is never closed`)
    const found = { is: this.text.slice(this.#at + 1, end), at: this.#at }
    this.#at = end + 1
    return found
  }

  #take(pattern: RegExp): FilterPart<string> | undefined {
    this.#skipBlanks()
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.text)
    if (!found) return undefined
    const at = this.#at
    this.#at += found[0].length
    return { is: found[0], at }
  }

  #skipBlanks(): void {
    while (/\s/.test(this.text[this.#at] ?? '')) this.#at++
  }
}
