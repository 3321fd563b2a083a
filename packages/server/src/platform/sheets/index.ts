// Tables in files: CSV and XLSX, read with care for what strangers send and written so that nothing in them runs.
export { line } from './csv.ts'
export { errorColumn, failedFile } from './failed.ts'
export { type Cells, type Format, formats, maxColumns, maxRows, type Row, readSheet, type Sheet } from './read.ts'
export { fileTypes, type Page, writeSheet } from './write.ts'
