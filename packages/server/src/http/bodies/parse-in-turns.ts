import { inTurns } from '../../common/concurrency/turns.ts'

/** Characters given to one `JSON.parse` call: about a millisecond in the slowest measured case, 150 ns a character for `{},{},`. */
const pieceLength = 8_192
/** Characters that are scanned before yielding to the event loop. */
export const scanLength = 32_768

/**
 * `JSON.parse` without blocking the event loop: members of large arrays and objects are parsed in groups of a few kilobytes.
 * `JSON.parse` takes more than a second for eight megabytes of `{},{},`.
 */
export async function parseInTurns(text: string): Promise<unknown> {
  let value: unknown
  function* parse() {
    const [start, end] = trimmed(text, 0, text.length)
    value = yield* parseSpan(text, start, end)
  }
  await inTurns(parse(), () => {})
  return value
}

type Steps<Result> = Generator<undefined, Result>

/** The span must be trimmed. */
function* parseSpan(text: string, start: number, end: number): Steps<unknown> {
  const [open, close] = [text[start], text[end - 1]]
  if (end - start <= pieceLength || !((open === '[' && close === ']') || (open === '{' && close === '}'))) {
    yield
    return parsePiece(text, start, end)
  }
  const [from, to] = trimmed(text, start + 1, end - 1)
  if (from === to) return open === '[' ? [] : {}
  return open === '[' ? yield* parseArray(text, from, to) : yield* parseObject(text, from, to)
}

function* parseArray(text: string, start: number, end: number): Steps<unknown[]> {
  const values: unknown[] = []
  for (const group of groupsIn(text, start, end)) {
    if (!group) yield
    else if (group.isOne) values.push(yield* parseSpan(text, ...trimmed(text, group.start, group.end)))
    else {
      yield
      for (const value of parsePiece(text, group.start, group.end, '[', ']') as unknown[]) values.push(value)
    }
  }
  return values
}

function* parseObject(text: string, start: number, end: number): Steps<Record<string, unknown>> {
  const members: Record<string, unknown> = {}
  for (const group of groupsIn(text, start, end)) {
    if (!group) yield
    else if (group.isOne) {
      const [from, to] = trimmed(text, group.start, group.end)
      const colon = keyEnd(text, from, to)
      const key = parsePiece(text, from, colon) as string
      put(members, key, yield* parseSpan(text, ...trimmed(text, colon + 1, to)))
    } else {
      yield
      const some = parsePiece(text, group.start, group.end, '{', '}') as Record<string, unknown>
      for (const key of Object.keys(some)) put(members, key, some[key])
    }
  }
  return members
}

/** What is between two commas, within brackets of its own: with nothing in it, one of the commas is too many. */
function parsePiece(text: string, start: number, end: number, open = '', close = ''): unknown {
  const piece = text.slice(start, end)
  if (open !== '' && /^[ \t\r\n]*$/.test(piece))
    throw new SyntaxError(`Unexpected token ',' in JSON at position ${end}`)
  try {
    return JSON.parse(open + piece + close)
  } catch (error) {
    throw error instanceof SyntaxError ? shifted(error, start - open.length) : error
  }
}

/** The same error, at its position in the whole text. */
const shifted = ({ message }: SyntaxError, by: number): SyntaxError =>
  new SyntaxError(message.replace(/ at position (\d+).*$/s, (_, position) => ` at position ${Number(position) + by}`))

/** As in `JSON.parse`, `__proto__` becomes an own property and does not set the prototype. */
function put(members: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(members, key, { value, enumerable: true, configurable: true, writable: true })
  } else members[key] = value
}

interface ParsedGroup {
  readonly start: number
  readonly end: number
  /** A single member, which may be large and is then split further. */
  readonly isOne: boolean
}

/** Splits the inside of brackets at commas into groups of members; yields undefined where the event loop should get a turn. */
function* groupsIn(text: string, start: number, end: number): Generator<ParsedGroup | undefined> {
  let depth = 0
  let from = start
  let lastComma = -1
  let nextTurn = start + scanLength
  for (let index = start; index < end; index++) {
    if (index >= nextTurn) {
      yield undefined
      nextTurn = index + scanLength
    }
    const unit = text.charCodeAt(index)
    if (unit === 0x22) index = stringEnd(text, index, end)
    else if (unit === 0x5b || unit === 0x7b) depth++
    else if (unit === 0x5d || unit === 0x7d) {
      if (--depth < 0) throw new SyntaxError(`Unexpected token '${text[index]}' at position ${index}`)
    } else if (unit === 0x2c && depth === 0) {
      // Flush the members before a large one as their own group.
      if (lastComma >= from && index - lastComma > pieceLength) {
        yield { start: from, end: lastComma, isOne: false }
        from = lastComma + 1
      }
      if (index - from > pieceLength) {
        yield { start: from, end: index, isOne: lastComma < from }
        from = index + 1
      }
      lastComma = index
    }
  }
  if (depth !== 0) throw new SyntaxError('Unexpected end of JSON input')
  if (lastComma >= from) {
    yield { start: from, end: lastComma, isOne: false }
    from = lastComma + 1
  }
  yield { start: from, end, isOne: true }
}

/** The index of the closing quote. */
function stringEnd(text: string, start: number, end: number): number {
  for (let index = text.indexOf('"', start + 1); index !== -1 && index < end; index = text.indexOf('"', index + 1)) {
    let slashes = 0
    while (text.charCodeAt(index - 1 - slashes) === 0x5c) slashes++
    if (slashes % 2 === 0) return index
  }
  throw new SyntaxError(`Unterminated string in JSON at position ${start}`)
}

/** The index of the colon after a property name. */
function keyEnd(text: string, start: number, end: number): number {
  if (text[start] !== '"') throw new SyntaxError(`Expected double-quoted property name in JSON at position ${start}`)
  const [colon] = trimmed(text, stringEnd(text, start, end) + 1, end)
  if (text[colon] !== ':') throw new SyntaxError(`Expected ':' after property name in JSON at position ${colon}`)
  return colon
}

const isBlank = (unit: number) => unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09

function trimmed(text: string, start: number, end: number): [start: number, end: number] {
  let [from, to] = [start, end]
  while (from < to && isBlank(text.charCodeAt(from))) from++
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--
  return [from, to]
}
