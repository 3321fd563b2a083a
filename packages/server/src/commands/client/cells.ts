import stringWidth from 'string-width'

/** How many columns of a terminal a text takes: Chinese characters take two each. */
export const widthOf = (text: string): number => (/^[\x20-\x7e]*$/.test(text) ? text.length : stringWidth(text))

export const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)))

/** Nothing that somebody put into a name may move the cursor or break the line. */
export const visible = (text: string): string =>
  text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, (each) => named[each] ?? `\\u{${codeOf(each)}}`)

const named: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
const codeOf = (character: string) => (character.codePointAt(0) as number).toString(16)

/** A value as one text: of several, each once. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object' || each === null)) {
    return [...new Set(value.map(textOf))].join(',')
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** `set.bk_set_name` of a record: of each set, when it has several. */
export function pick(record: unknown, path: string): unknown {
  if (Array.isArray(record)) return record.map((each) => pick(each, path))
  if (typeof record !== 'object' || record === null) return undefined
  const fields = record as Record<string, unknown>
  if (Object.hasOwn(fields, path)) return fields[path]
  const dot = path.indexOf('.')
  return dot < 0 ? undefined : pick(fields[path.slice(0, dot)], path.slice(dot + 1))
}
