/** Comma-separated values as spreadsheets write them: quotes around what holds a comma, a quote or a line. */
export function parseCsv(text: string): string[][] {
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
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]
    if (quoted) {
      if (letter !== '"') cell += letter
      else if (text[at + 1] === '"') cell += text[++at]
      else quoted = false
    } else if (letter === '"' && cell.trim() === '') {
      cell = ''
      quoted = true
    } else if (letter === ',' || letter === '\t') endCell()
    else if (letter === '\n') endRow()
    else if (letter !== '\r') cell += letter
  }
  endRow()
  return rows
}

/** A cell that begins like a formula is marked, so that no spreadsheet makes one of it, and unmarked when it is read. */
const formulaLike = /^'*[=+\-@\t\r]/
const unmarked = (text: string) => (text[0] === "'" && formulaLike.test(text) ? text.slice(1) : text)
const cell = (text: string) => {
  const harmless = formulaLike.test(text) ? `'${text}` : text
  return /[",\n\r]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

export const toCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => row.map(cell).join(',')).join('\r\n')

/** Hands a text to the browser to be kept as a file. */
export function saveFile(name: string, text: string, type: 'text/csv' | 'application/json'): void {
  // The mark at the head tells spreadsheets that it is UTF-8; in JSON it would be a mistake.
  const url = URL.createObjectURL(new Blob([type === 'text/csv' ? '\ufeff' : '', text], { type }))
  const link = Object.assign(document.createElement('a'), { href: url, download: name })
  link.click()
  URL.revokeObjectURL(url)
}
