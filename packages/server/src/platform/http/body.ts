import { isUtf8 } from 'node:buffer'
import { problem, rule } from '@mainline/contract'
import { jsonFault } from '../faults-in-text.ts'

const deepest = 64
/** Fewer brackets than this cannot nest too deep; hardly any body has so many. */
const manyBrackets = new RegExp(`^(?:[^[{]*[[{]){${deepest + 1}}`)
const blank = /^\s*$/
/** Only these escapes can bring in NUL or half a character. */
const suspicious = /\\u(0000|d[89a-f])/i

/** What a file may be called; what it is shows when it is read. */
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

/** JSON is read whatever it is called, as long as it is not plainly called something else. */
export function refuseOtherTypes(contentType: string | undefined): void {
  if (contentType === 'application/json') return
  const essence = essenceOf(contentType)
  if (essence === '' || essence === 'text/plain' || /^application\/([\w.-]+\+)?json$/.test(essence)) return
  throw problem('notJson', { rule: rule('sendAsJson', { type: essence }) })
}

/** An empty body equals `{}`. */
export function parseBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return {}
  if (!isUtf8(bytes)) throw isGzip(bytes) ? coded('gzip') : problem('malformedJson', { rule: rule('notUtf8') })
  const sent = bytes.toString('utf8')
  const text = sent.charCodeAt(0) === 0xfeff ? sent.slice(1) : sent
  if (manyBrackets.test(text) && isTooDeep(text))
    throw problem('malformedJson', { rule: rule('depth', { max: deepest }) })
  const value: unknown = blank.test(text) ? {} : parsed(text)
  if (suspicious.test(text)) refuseBrokenText(value, 'body')
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw problem('malformedJson', { rule: jsonFault(text, error) })
  }
}

const coded = (coding: string) => problem('contentCoding', { rule: rule('coding', { coding }) })

const isGzip = (bytes: Buffer) => bytes[0] === 0x1f && bytes[1] === 0x8b

/** Bodies are read as they are sent: one that is packed would have to be limited both packed and unpacked. */
export function refuseCoding(contentEncoding: string | undefined): void {
  if (contentEncoding === undefined) return
  const coding = contentEncoding.trim().toLowerCase()
  if (coding !== '' && coding !== 'identity') throw coded(coding.slice(0, 100))
}

/** Counted before anything follows the brackets: eight million of them, which a body may hold, take the parser a second. */
function isTooDeep(text: string): boolean {
  let depth = 0
  let quoted = false
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (quoted) {
      if (unit === 0x5c) index++
      else if (unit === 0x22) quoted = false
    } else if (unit === 0x22) quoted = true
    else if (unit === 0x5b || unit === 0x7b) {
      if (++depth > deepest) return true
    } else if (unit === 0x5d || unit === 0x7d) depth--
  }
  return false
}

function refuseBrokenText(value: unknown, where: string): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) throw problem('invalid', { field: where, rule: rule('text') })
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      refuseBrokenText(key, where)
      refuseBrokenText(inner, where === 'body' ? key : `${where}.${key}`)
    }
  }
}
