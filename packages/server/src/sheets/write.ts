import { line } from './csv.ts'
import type { Page } from './page.ts'
import type { Format } from './read.ts'
import { writeXlsx } from './xlsx-write.ts'

export const fileTypes: Record<Format, string> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

/** A file of one or more sheets; CSV has only the first. The byte order mark tells spreadsheets that it is UTF-8. */
export async function* writeSheet(format: Format, pages: readonly [Page, ...Page[]]): AsyncGenerator<Uint8Array> {
  if (format === 'xlsx') return yield* writeXlsx(pages)
  yield Buffer.from('\ufeff')
  for await (const rows of pages[0].rows) yield Buffer.from(rows.map(line).join(''))
}
