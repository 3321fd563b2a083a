import { problem, rule } from '@mainline/contract'
import { present } from '../common/present.ts'

const delimiters = [',', ';', '\t'] as const

/** A row: the line it begins in, and its cells. */
export interface Line {
  readonly number: number
  readonly cells: string[]
}

/** The most frequent delimiter of the first line; in some locales spreadsheets use semicolons. */
function delimiterOf(text: string): string {
  const head =
    text
      .slice(0, 65_536)
      .split(/\r?\n|\r/, 1)[0]
      ?.replace(/"[^"]*"/g, '') ?? ''
  const count = (each: string) => head.split(each).length
  return present(delimiters.toSorted((one, other) => count(other) - count(one))[0])
}

interface CsvLimits {
  readonly maxColumns: number
  readonly maxCellLength: number
}

/** RFC 4180 with any line ending. An unclosed quote would swallow the rest of the file, so it is refused. */
export function* parseCsv(text: string, { maxColumns, maxCellLength }: CsvLimits): Generator<Line> {
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
        const quoted = quotedAt(text, at, maxCellLength)
        if (!quoted) throw problem('badFile', { why: rule('fileQuote', { line: lines }) })
        cell = quoted.cell
        lines += quoted.lines
        at = quoted.end
        plain.lastIndex = at
        const end = plain.exec(text)?.index ?? text.length
        // Text after the closing quote belongs to the cell, as in spreadsheets.
        cell += text.slice(at, end)
        at = end
      } else {
        plain.lastIndex = at
        const end = plain.exec(text)?.index ?? text.length
        cell = text.slice(at, end)
        at = end
      }
      cells.push(cell)
      // Checked before the end of the line: a line of commas only would take a hundred times its size in memory.
      if (cells.length > maxColumns) throw problem('tooMany', { what: rule('columns'), limit: maxColumns })
      more = text[at] === delimiter
      if (more) at++
    }
    if (text[at] === '\r' && text[at + 1] === '\n') at++
    at++
    lines++
    yield { number, cells }
  }
}

function quotedAt(
  text: string,
  start: number,
  maxLength: number,
): { cell: string; end: number; lines: number } | undefined {
  // A quote inside is written twice.
  const end = start + 2 * maxLength
  for (let close = text.indexOf('"', start + 1); close >= 0; close = text.indexOf('"', close + 2)) {
    if (close > end) throw problem('badFile', { why: rule('cellTooLong', { max: maxLength }) })
    if (text[close + 1] === '"') continue
    const raw = text.slice(start + 1, close)
    return { cell: raw.replaceAll('""', '"'), end: close + 1, lines: raw.match(/\r\n|\n|\r/g)?.length ?? 0 }
  }
  return undefined
}

/** CSV injection: text that a spreadsheet would evaluate as a formula gets a leading quote, which is removed when reading. */
const formulaLike = /^'*[=+\-@\t\r\n＝＋－＠]/
export const unmarked = (text: string) => (text[0] === "'" && formulaLike.test(text) ? text.slice(1) : text)

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? value.replace(formulaLike, "'$&") : JSON.stringify(value)
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A line of RFC 4180, including its line break. */
export const line = (values: readonly unknown[]) => `${values.map(cell).join(',')}\r\n`
