// CSV and XLSX: untrusted files are read with limits, and written so that spreadsheets do not evaluate formulas in them.
export { line } from './csv.ts'
export { errorColumn, failedFile } from './failed.ts'
export type { Page } from './page.ts'
export { type Cells, type Format, formats, maxColumns, maxRows, type Row, readSheet, type Sheet } from './read.ts'
export { fileTypes, writeSheet } from './write.ts'
