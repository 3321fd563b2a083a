import { Problem, problem, type Rule, rule } from '@mainline/contract'
import { type Take, unpack } from './archive.ts'
import { createXmlReader, type Handler } from './xml.ts'

/** A row of a sheet: its number, its cells, and its error if it is unreadable. */
interface SheetRow {
  readonly number: number
  readonly cells: string[]
  readonly wrong?: Rule
}

interface SheetLimits {
  readonly maxColumns: number
  readonly maxCells: number
  /** Characters of all shared strings, and of one cell. */
  readonly maxText: number
}

const tooLarge = () => problem('badFile', { why: rule('fileTooLarge') })

/** Reads the first sheet. Formulas are not evaluated: their cached results are used. */
export async function readXlsx(bytes: Uint8Array, limits: SheetLimits, take: (row: SheetRow) => void): Promise<void> {
  try {
    const budget = { spent: 0 }
    const strings: string[] = []
    const book = { first: '', dates1904: false, targets: new Map<string, string>(), strings }
    await unpack(bytes, budget, (name) => {
      if (name === 'xl/workbook.xml') return xml(workbookReader(book))
      if (name === 'xl/_rels/workbook.xml.rels') return xml(relationsReader(book.targets))
      if (name === 'xl/sharedStrings.xml') return xml(stringsReader(book.strings, limits))
      return undefined
    })
    if (book.dates1904) throw problem('badFile', { why: rule('fileDates') })
    const target = book.targets.get(book.first)
    if (!target) throw problem('badFile', { why: rule('fileSheet') })
    const path = target.startsWith('/') ? target.slice(1) : `xl/${target}`
    let found = false
    await unpack(bytes, budget, (name) => {
      if (name !== path) return undefined
      found = true
      return xml(sheetReader(book.strings, limits, take))
    })
    if (!found) throw problem('badFile', { why: rule('fileSheet') })
  } catch (error) {
    // Errors of the unpacker are faults of the file.
    throw error instanceof Problem ? error : problem('badFile', { why: rule('fileCut') })
  }
}

function xml(handler: Handler): Take {
  const reader = createXmlReader(handler)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  return (chunk, last) => reader.push(decoder.decode(chunk, { stream: !last }))
}

const nothing = () => {}

const workbookReader = (book: { first: string; dates1904: boolean }): Handler => ({
  open(name, attribute) {
    if (name === 'sheet') book.first ||= attribute('id') ?? ''
    if (name === 'workbookPr') book.dates1904 = ['1', 'true'].includes(attribute('date1904') ?? '')
  },
  close: nothing,
  text: nothing,
})

const relationsReader = (targets: Map<string, string>): Handler => ({
  open(name, attribute) {
    if (name === 'Relationship') targets.set(attribute('Id') ?? '', attribute('Target') ?? '')
  },
  close: nothing,
  text: nothing,
})

/** A string may consist of several formatted runs; phonetic hints are skipped. */
function stringsReader(strings: string[], { maxCells, maxText }: SheetLimits): Handler {
  let text = ''
  let length = 0
  let inside = false
  let spoken = false
  return {
    open(name) {
      if (name === 'si') text = ''
      if (name === 'rPh') spoken = true
      inside = name === 't' && !spoken
    },
    close(name) {
      if (name === 'si' && strings.push(text) > maxCells) throw tooLarge()
      if (name === 'rPh') spoken = false
      inside = false
    },
    text(more) {
      if (!inside) return
      text += more
      length += more.length
      if (length > maxText) throw tooLarge()
    },
  }
}

function sheetReader(
  strings: readonly string[],
  { maxColumns, maxText }: SheetLimits,
  take: (row: SheetRow) => void,
): Handler {
  let number = 0
  let cells: string[] = []
  let wrong: Rule | undefined
  let column = -1
  let cell = { type: '', at: '', value: '', formula: false }
  let inside = false

  function endCell(): void {
    const { type, at, value, formula } = cell
    if (type === 'e') wrong ??= rule('cellError', { cell: at, value })
    else if (formula && value === '' && type !== 'str') wrong ??= rule('cellFormula', { cell: at })
    else if (type === 's') cells[column] = strings[Number(value)] ?? ''
    else if (type === 'b') cells[column] = value === '1' ? 'true' : 'false'
    else cells[column] = value
  }
  return {
    open(name, attribute) {
      inside = false
      if (name === 'row') {
        number = Number(attribute('r') ?? number + 1)
        cells = []
        wrong = undefined
        column = -1
      } else if (name === 'c') {
        const at = attribute('r') ?? ''
        column = at ? columnOf(at) : column + 1
        if (column >= maxColumns) throw problem('tooMany', { what: rule('columns'), limit: maxColumns })
        for (let before = cells.length; before < column; before++) cells.push('')
        cell = { type: attribute('t') ?? '', at, value: '', formula: false }
      } else if (name === 'f') cell.formula = true
      else if (name === 'v' || name === 't') inside = true
    },
    close(name) {
      inside = false
      if (name === 'c') endCell()
      else if (name === 'row') take({ number, cells, ...(wrong && { wrong }) })
    },
    text(text) {
      if (!inside) return
      cell.value += text
      if (cell.value.length > maxText) throw tooLarge()
    },
  }
}

/** `AB12` is column 27. */
function columnOf(at: string): number {
  let column = 0
  for (let index = 0; index < at.length; index++) {
    const letter = at.charCodeAt(index) - 64
    if (letter < 1 || letter > 26) break
    column = column * 26 + letter
  }
  return column - 1
}
