import { line } from '../../sheets/index.ts'
import { joined, type Walk } from '../queries/run/index.ts'

/** RFC 4180: a header line, and lines that end with CR LF. */
export async function* csv({ columns, pages }: Walk): AsyncGenerator<string> {
  yield line(columns.map(({ kind, attribute }) => `${kind}.${attribute}`))
  for await (const page of pages) {
    yield page
      .map((row) => {
        const records = { biz: joined(row.biz), set: joined(row.set), module: joined(row.module), host: row.host }
        return line(columns.map(({ kind, attribute }) => records[kind][attribute]))
      })
      .join('')
  }
}
