import { setImmediate } from 'node:timers/promises'
import { problem, type Rule, rule } from '@mainline/contract'
import { parseCsv, unmarked } from './csv.ts'
import { decode } from './text.ts'
import { readXlsx } from './xlsx-read.ts'

export const formats = ['csv', 'xlsx'] as const
export type Format = (typeof formats)[number]

export const maxRows = 100_000
export const maxColumns = 500
/** Limit of rows times columns: every row has a cell per column, also for missing values. */
export const maxCells = 2_000_000
/** The limit of spreadsheet programs. */
export const maxCellLength = 32_767
/** Limit of a sheet in characters. */
const mostText = 32 * 1024 * 1024

export type Cells = readonly string[]

export interface Row {
  /** The line of the file, or the row number of the sheet. */
  readonly number: number
  /** One per column, untrimmed. */
  readonly cells: Cells
  readonly wrong?: Rule
}

export interface Sheet {
  readonly format: Format
  readonly columns: Cells
  readonly rows: readonly Row[]
}

const beginsWith = (bytes: Uint8Array, ...start: number[]) => start.every((byte, index) => bytes[index] === byte)

/** Reads a table: the first row has the column names; blank rows and rows that begin with # are skipped. */
export async function readSheet(bytes: Uint8Array): Promise<Sheet> {
  if (bytes.length === 0) throw problem('badFile', { why: rule('fileEmpty') })
  if (beginsWith(bytes, 0xd0, 0xcf, 0x11, 0xe0)) throw problem('badFile', { why: rule('fileOldExcel') })
  const isZip = beginsWith(bytes, 0x50, 0x4b)
  const table = createTable()
  if (isZip) await readXlsx(bytes, { maxColumns, maxCells, maxText: mostText }, table.take)
  else await readCsv(bytes, table.take)
  return table.done(isZip ? 'xlsx' : 'csv')
}

async function readCsv(bytes: Uint8Array, take: (row: Row) => void): Promise<void> {
  let since = 0
  for (const { number, cells } of parseCsv(decode(bytes), { maxColumns, maxCellLength })) {
    take({ number, cells: cells.map(unmarked) })
    // Yields to the event loop.
    if (++since % 2_000 === 0) await setImmediate()
  }
}

const isBlank = (cell: string) => cell.trim() === ''

function createTable() {
  let columns: string[] | undefined
  let text = 0
  const rows: Row[] = []
  return {
    take({ number, cells, wrong }: Row): void {
      if (cells.every(isBlank) && !wrong) return
      if (!columns) {
        columns = cells.slice(0, cells.findLastIndex((cell) => !isBlank(cell)) + 1).map((cell) => cell.trim())
        return
      }
      if (cells[0]?.trimStart().startsWith('#')) return
      if (rows.length >= maxRows) throw problem('tooMany', { what: rule('rows'), limit: maxRows })
      if ((rows.length + 1) * columns.length > maxCells) {
        throw problem('tooMany', { what: rule('cells'), limit: maxCells })
      }
      for (const cell of cells) text += cell.length
      if (text > mostText) throw problem('badFile', { why: rule('fileTooLarge') })
      const isTooLong = cells.some((cell) => cell.length > maxCellLength)
      rows.push(
        isTooLong
          ? fitted(number, [], columns.length, rule('cellTooLong', { max: maxCellLength }))
          : fitted(number, cells, columns.length, wrong),
      )
    },
    done(format: Format): Sheet {
      if (!columns) throw problem('badFile', { why: rule('fileEmpty') })
      return { format, columns, rows }
    },
  }
}

/** A short row is padded with empty cells; a long one is an error, because its cells may be shifted. */
function fitted(number: number, cells: Cells, width: number, wrong: Rule | undefined): Row {
  const extra = cells.slice(width).some((cell) => !isBlank(cell))
  const problemOfRow = wrong ?? (extra ? rule('rowTooLong', { cells: cells.length, columns: width }) : undefined)
  const kept = Array.from({ length: width }, (_, index) => cells[index] ?? '')
  return { number, cells: kept, ...(problemOfRow && { wrong: problemOfRow }) }
}
