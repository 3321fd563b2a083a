const separators = [',', ';', '\t'] as const
type Separator = (typeof separators)[number]

/** Spreadsheets use semicolons where the comma is the decimal sign: the most frequent delimiter of the first line is used. */
export function separatorOf(text: string): Separator {
  const head = text.split('\n').find((line) => line.trim() !== '') ?? ''
  const count = (separator: Separator) => head.replaceAll(/"[^"]*"/g, '').split(separator).length
  return separators.reduce((best, each) => (count(each) > count(best) ? each : best))
}

/** Quoting as in RFC 4180: quotes around values with a separator, a quote or a line break. */
export function parseCsv(text: string, separator: Separator = ','): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let quoted = false
  const endCell = () => {
    row.push(unmarked(cell.trim()))
    cell = ''
  }
  const endRow = () => {
    endCell()
    if (row.some((each) => each !== '')) rows.push(row)
    row = []
  }
  // Without the byte order mark.
  for (let at = text.startsWith('\ufeff') ? 1 : 0; at < text.length; at++) {
    const letter = text[at]
    if (quoted) {
      if (letter !== '"') cell += letter
      else if (text[at + 1] === '"') cell += text[++at]
      else quoted = false
    } else if (letter === '"' && cell.trim() === '') {
      cell = ''
      quoted = true
    } else if (letter === separator) endCell()
    else if (letter === '\n') endRow()
    else if (letter !== '\r') cell += letter
  }
  endRow()
  return rows
}

/** A cell that begins like a formula is marked, so that no spreadsheet evaluates it, and unmarked when it is read. */
const formulaLike = /^'*[=+\-@\t\r]/
const unmarked = (text: string) => (text[0] === "'" && formulaLike.test(text) ? text.slice(1) : text)
const cell = (text: string) => {
  const harmless = formulaLike.test(text) ? `'${text}` : text
  return /[",\n\r]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

export const toCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => row.map(cell).join(',')).join('\r\n')

/** Downloads a text as a file. */
export function saveFile(name: string, text: string, type: 'text/csv' | 'application/json'): void {
  // The byte order mark tells spreadsheets that it is UTF-8; in JSON it would be invalid.
  const url = URL.createObjectURL(new Blob([type === 'text/csv' ? '\ufeff' : '', text], { type }))
  const link = Object.assign(document.createElement('a'), { href: url, download: name })
  link.click()
  URL.revokeObjectURL(url)
}
