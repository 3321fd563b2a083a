import { isUtf8 } from 'node:buffer'
import { problem, rule } from '@mainline/contract'
import { inTurns } from '../../common/concurrency/turns.ts'
import { jsonFault } from './faults-in-text.ts'
import { parseInTurns, scanLength } from './parse-in-turns.ts'

const maxDepth = 64
/** A body with fewer opening brackets cannot exceed the nesting limit: a cheap test that skips the full scan for most bodies. */
const manyBrackets = new RegExp(`^(?:[^[{]*[[{]){${maxDepth + 1}}`)
const blank = /^\s*$/
/** The only escapes that can produce NUL or an unpaired surrogate. */
const suspicious = /\\u(0000|d[89a-f])/i

/** Accepted media types of uploads; the actual format is detected from the content. */
export const fileTypes = [
  'text/csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/x-ndjson',
  'application/octet-stream',
]

export function refuseOtherFiles(contentType: string | undefined): void {
  const essence = essenceOf(contentType)
  if (essence === '' || essence === 'text/plain' || fileTypes.includes(essence)) return
  throw problem('notJson', { rule: rule('fileType', { type: essence, types: fileTypes.join(', ') }) })
}

const essenceOf = (contentType: string | undefined) => (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? ''

/** JSON is accepted with a missing or generic Content-Type, but not with one that names another format. */
export function refuseOtherTypes(contentType: string | undefined): void {
  if (contentType === 'application/json') return
  const essence = essenceOf(contentType)
  if (essence === '' || essence === 'text/plain' || /^application\/([\w.-]+\+)?json$/.test(essence)) return
  throw problem('notJson', { rule: rule('sendAsJson', { type: essence }) })
}

/** An empty body equals `{}`. */
export function parseBody(bytes: Buffer): unknown {
  const text = textOf(bytes)
  if (blank.test(text)) return {}
  if (manyBrackets.test(text)) for (const _ of refuseShape(text, text.length));
  const value: unknown = parsed(text)
  for (const _ of refuseBrokenText(text, value));
  return value
}

/** As `parseBody`, for a body of any size, without blocking the event loop. */
export async function parseLargeBody(bytes: Buffer, maxValues: number): Promise<unknown> {
  const text = textOf(bytes)
  if (blank.test(text)) return {}
  await inTurns(refuseShape(text, maxValues), () => {})
  const value = await parseInTurns(text).catch((error: unknown) => {
    throw problem('malformedJson', { rule: jsonFault(text, error) })
  })
  await inTurns(refuseBrokenText(text, value), () => {})
  return value
}

/** JSON inside of JSON: a text of any size, such as the definition of a query. Refuses it as a body is refused, or with a SyntaxError. */
export async function parseJsonText(text: string, maxValues: number): Promise<unknown> {
  if (text.length <= smallTextLength) return JSON.parse(text)
  await inTurns(refuseShape(text, maxValues), () => {})
  return parseInTurns(text)
}

/** Two milliseconds at the slowest measured. */
const smallTextLength = 16_384

function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw isGzip(bytes) ? coded('gzip') : problem('malformedJson', { rule: rule('notUtf8') })
  const sent = bytes.toString('utf8')
  return sent.charCodeAt(0) === 0xfeff ? sent.slice(1) : sent
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw problem('malformedJson', { rule: jsonFault(text, error) })
  }
}

const nodesAtOnce = 500

const coded = (coding: string) => problem('contentCoding', { rule: rule('coding', { coding }) })

const isGzip = (bytes: Buffer) => bytes[0] === 0x1f && bytes[1] === 0x8b

/** Compressed bodies are refused: they would need limits for both the compressed and the decompressed size. */
export function refuseCoding(contentEncoding: string | undefined): void {
  if (contentEncoding === undefined) return
  const coding = contentEncoding.trim().toLowerCase()
  if (coding !== '' && coding !== 'identity') throw coded(coding.slice(0, 100))
}

/**
 * Nesting and values are limited before parsing: eight million brackets take `JSON.parse` a second, and schema validation takes about
 * 1 µs per value without yielding.
 */
function* refuseShape(text: string, maxValues: number): Generator<undefined> {
  let depth = 0
  let values = 0
  let quoted = false
  let nextTurn = scanLength
  for (let index = 0; index < text.length; index++) {
    if (index >= nextTurn) {
      yield
      nextTurn = index + scanLength
    }
    const unit = text.charCodeAt(index)
    if (quoted) {
      if (unit === 0x5c) index++
      else if (unit === 0x22) quoted = false
    } else if (unit === 0x22) quoted = true
    else if (unit === 0x2c) {
      if (++values > maxValues) throw problem('tooLarge', { rule: rule('tooManyValues', { max: maxValues }) })
    } else if (unit === 0x5b || unit === 0x7b) {
      if (++depth > maxDepth) throw problem('malformedJson', { rule: rule('depth', { max: maxDepth }) })
    } else if (unit === 0x5d || unit === 0x7d) depth--
  }
}

function* refuseBrokenText(text: string, value: unknown): Generator<undefined> {
  if (!suspicious.test(text)) return
  let nodes = 0
  for (const [part, where] of textsIn(value, 'body')) {
    if (part.includes('\0') || !part.isWellFormed()) throw problem('invalid', { field: where, rule: rule('text') })
    if (++nodes % nodesAtOnce === 0) yield
  }
}

/** Every string in the value, including property names, with its path. */
function* textsIn(value: unknown, where: string): Generator<[text: string, where: string]> {
  if (typeof value === 'string') yield [value, where]
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    yield [key, where]
    yield* textsIn(inner, where === 'body' ? key : `${where}.${key}`)
  }
}
