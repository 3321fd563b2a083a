import { problem, rule } from '@mainline/contract'

const delimiters = [',', ';', '\t'] as const

/** A table row as it stands in the text: the line it begins in, and its cells. */
export interface Line {
  readonly number: number
  readonly cells: string[]
}

/** The delimiter that the first line has most of; spreadsheets of some countries write semicolons. */
export function delimiterOf(text: string): string {
  const head =
    text
      .slice(0, 65_536)
      .split(/\r?\n|\r/, 1)[0]
      ?.replace(/"[^"]*"/g, '') ?? ''
  const count = (each: string) => head.split(each).length
  return delimiters.toSorted((one, other) => count(other) - count(one))[0] as string
}

/** RFC 4180, whatever ends the lines. A quote that is never closed swallows the rest of the file, so it is refused. */
export function* parseCsv(text: string): Generator<Line> {
  const delimiter = delimiterOf(text)
  const plain = new RegExp(`[${delimiter === '\t' ? '\\t' : delimiter}\r\n]`, 'g')
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0
  let lines = 1
  while (at < text.length) {
    const number = lines
    const cells: string[] = []
    for (let more = true; more; ) {
      let cell: string
      if (text[at] === '"') {
        const quoted = quotedAt(text, at)
        if (!quoted) throw problem('badFile', { why: rule('fileQuote', { line: lines }) })
        cell = quoted.cell
        lines += quoted.lines
        at = quoted.end
        plain.lastIndex = at
        const end = plain.exec(text)?.index ?? text.length
        // What stands behind the closing quote belongs to the cell, as spreadsheets read it.
        cell += text.slice(at, end)
        at = end
      } else {
        plain.lastIndex = at
        const end = plain.exec(text)?.index ?? text.length
        cell = text.slice(at, end)
        at = end
      }
      cells.push(cell)
      more = text[at] === delimiter
      if (more) at++
    }
    if (text[at] === '\r' && text[at + 1] === '\n') at++
    at++
    lines++
    yield { number, cells }
  }
}

function quotedAt(text: string, start: number): { cell: string; end: number; lines: number } | undefined {
  for (let close = text.indexOf('"', start + 1); close >= 0; close = text.indexOf('"', close + 2)) {
    if (text[close + 1] === '"') continue
    const raw = text.slice(start + 1, close)
    return { cell: raw.replaceAll('""', '"'), end: close + 1, lines: raw.match(/\r\n|\n|\r/g)?.length ?? 0 }
  }
  return undefined
}

/** Text that a spreadsheet would take for a formula is marked as text, and unmarked when it is read. */
const formulaLike = /^'*[=+\-@\t\r]/
export const unmarked = (text: string) => (text[0] === "'" && formulaLike.test(text) ? text.slice(1) : text)

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? value.replace(formulaLike, "'$&") : JSON.stringify(value)
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A line of RFC 4180, its end included. */
export const line = (values: readonly unknown[]) => `${values.map(cell).join(',')}\r\n`
