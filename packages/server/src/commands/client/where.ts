import { widthOf } from './cells.ts'
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

/** A part of a condition and where it stands, for whoever has to mend it. */
interface Part<T> {
  readonly is: T
  readonly at: number
}

export interface Term {
  /** As it was written, with the kind in front when there is one: `set.bk_set_name`. */
  readonly field: Part<string>
  readonly operator: Part<WhereOperator>
  /** The server reads numbers from text, by the type of the field. */
  readonly value: Part<string | readonly string[]>
  /** The condition that it stands in. */
  readonly text: string
}

/** What is wrong with a condition, with a mark below the place. */
export const wrongAt = (text: string, at: number, why: string) =>
  misused(`--where: ${/[.?]$/.test(why) ? why : `${why}.`}\n  ${text}\n  ${' '.repeat(widthOf(text.slice(0, at)))}^`)

/** Reads `field operator value and ...`; operators are = != > >= < <= ~ and `in (a, b)`. */
export function readWhere(text: string): Term[] {
  const scanner = new Scanner(text)
  const terms: Term[] = []
  do {
    terms.push(readTerm(scanner))
  } while (scanner.takesWord('and'))
  if (!scanner.atEnd) {
    scanner.refuse("'and' is expected here, or the end; a value with blanks needs quotes")
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

  field(): Part<string> {
    return this.#take(/[a-z_][\w.]*/iy) ?? this.refuse('the name of a field is expected here')
  }

  operator(): Part<WhereOperator> {
    const sign = this.#take(/!=|>=|<=|=|>|<|~/y)
    if (sign) return { is: signs[sign.is as keyof typeof signs], at: sign.at }
    const at = this.#at
    if (this.takesWord('in')) return { is: '$in', at }
    return this.refuse('an operator is expected here: = != > >= < <= ~ in')
  }

  value(): Part<string> {
    return this.#quoted() ?? this.#take(/[^\s]+/y) ?? this.refuse("a value is expected here; '' is the empty one")
  }

  list(): Part<string[]> {
    const open = this.#take(/\(/y) ?? this.refuse('a list is expected here, such as (1, 2)')
    const values: string[] = []
    do {
      const one = this.#quoted() ?? this.#take(/[^\s,()]+/y) ?? this.refuse('a value is expected here')
      values.push(one.is)
    } while (this.#take(/,/y))
    if (!this.#take(/\)/y)) this.refuse("',' or ')' is expected here")
    return { is: values, at: open.at }
  }

  #quoted(): Part<string> | undefined {
    this.#skipBlanks()
    const [mark = ''] = /['"]/y.exec(this.text.slice(this.#at, this.#at + 1)) ?? []
    if (mark === '') return undefined
    const end = this.text.indexOf(mark, this.#at + 1)
    if (end < 0) return this.refuse(`the ${mark} here has no other that ends it`)
    const found = { is: this.text.slice(this.#at + 1, end), at: this.#at }
    this.#at = end + 1
    return found
  }

  #take(pattern: RegExp): Part<string> | undefined {
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
