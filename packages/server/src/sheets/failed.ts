import type { Sheet } from './read.ts'
import { writeSheet } from './write.ts'

/** The column with the error of a row. It is ignored when the file is imported again, so it may stay. */
export const errorColumn = 'import_error'

/** The failed rows as they were sent, each with its error, to be corrected and sent again. */
export function failedFile(sheet: Sheet, why: ReadonlyMap<number, string>): AsyncGenerator<Uint8Array> {
  const old = sheet.columns.findIndex((name) => name.toLowerCase() === errorColumn)
  const without = (cells: readonly unknown[]) => (old < 0 ? cells : cells.toSpliced(old, 1))
  const failed = sheet.rows.filter((row) => why.has(row.number))
  const rows = failed.map((row) => [...without(row.cells), why.get(row.number)])
  return writeSheet(sheet.format, [{ name: 'failed', rows: [[[...without(sheet.columns), errorColumn], ...rows]] }])
}
