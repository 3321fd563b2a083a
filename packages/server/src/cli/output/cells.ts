import stringWidth from 'string-width'
import { present } from '../../common/present.ts'

/** The width of a text in columns of a terminal: Chinese characters take two each. */
export const widthOf = (text: string): number => (/^[\x20-\x7e]*$/.test(text) ? text.length : stringWidth(text))

export const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)))

/** Escapes control characters, so that a name can neither move the cursor nor break the line. */
export const visible = (text: string): string =>
  text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, (each) => escapes[each] ?? `\\u{${codeOf(each)}}`)

const escapes: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
const codeOf = (character: string) => present(character.codePointAt(0)).toString(16)

/** A value as one text; duplicates in a list are left out. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object' || each === null)) {
    return [...new Set(value.map(textOf))].join(',')
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const longestChange = 60

/** A value on one line, shortened; '' for none. */
export function brief(value: unknown): string {
  const text = textOf(value)
  return visible(text.length > longestChange ? `${text.slice(0, longestChange)}…` : text || "''")
}

/** `bk_capacity: 3 → 4` */
export const changeText = (name: string, before: unknown, after: unknown): string =>
  `${visible(name)}: ${brief(before)} → ${brief(after)}`

/** Reads a path such as `set.bk_set_name`: one value per set if the record has several. */
export function pick(record: unknown, path: string): unknown {
  if (Array.isArray(record)) return record.map((each) => pick(each, path))
  if (typeof record !== 'object' || record === null) return undefined
  const fields = record as Record<string, unknown>
  if (Object.hasOwn(fields, path)) return fields[path]
  const dot = path.indexOf('.')
  return dot < 0 ? undefined : pick(fields[path.slice(0, dot)], path.slice(dot + 1))
}
