import { styleText } from 'node:util'
import { present } from '../../common/present.ts'
import { padded, pick, textOf, visible, widthOf } from './cells.ts'
import { type Output, outputTo } from './output.ts'

type OutputRow = Readonly<Record<string, unknown>>

export interface Shown {
  /** The columns of a table or spreadsheet; other formats show all fields unless columns were requested. */
  readonly columns: readonly string[]
  readonly chosen: boolean
  /** The plural of the records, for the message that there are none. */
  readonly what: string
}

/** Writes rows as they arrive: only the first few are buffered. */
export async function showRows(
  format: string,
  rows: AsyncIterable<OutputRow>,
  shown: Shown,
  output: Output = outputTo(),
): Promise<void> {
  await formats[format as keyof typeof formats](rows, shown, output)
  await output.flush()
}

const formats = { table, json, csv, yaml }

/** Column widths are measured on so many rows; a wider value further down shifts its line. */
const measuredRows = 200
const widest = 60

async function table(rows: AsyncIterable<OutputRow>, { columns, what }: Shown, output: Output): Promise<void> {
  let first: string[][] | undefined = []
  let widths: number[] = []
  const line = (cells: readonly string[]) =>
    cells.map((cell, at) => (at === cells.length - 1 ? cell : padded(cell, widths[at] ?? 0))).join('  ')
  const begin = async (measuring: readonly string[][]) => {
    widths = columns.map((name, at) =>
      Math.max(widthOf(name), ...measuring.map((cells) => Math.min(widest, widthOf(present(cells[at]))))),
    )
    await output.write(`${styleText('bold', line(columns).trimEnd(), { stream: output.stream })}\n`)
    for (const cells of measuring) await output.write(`${line(cells).trimEnd()}\n`)
    await output.flush()
  }
  for await (const row of rows) {
    const cells = columns.map((name) => visible(textOf(pick(row, name))))
    if (!first) await output.write(`${line(cells).trimEnd()}\n`)
    else if (first.push(cells) === measuredRows) {
      await begin(first)
      first = undefined
    }
  }
  if (first?.length === 0) process.stderr.write(`No ${what}.\n`)
  else if (first) await begin(first)
}

const chosenOf = (row: OutputRow, { columns, chosen }: Shown): OutputRow =>
  chosen ? Object.fromEntries(columns.map((name) => [name, pick(row, name) ?? null])) : row

async function json(rows: AsyncIterable<OutputRow>, shown: Shown, output: Output): Promise<void> {
  let before = '[\n'
  for await (const row of rows) {
    await output.write(`${before}  ${JSON.stringify(chosenOf(row, shown))}`)
    before = ',\n'
  }
  await output.write(before === '[\n' ? '[]\n' : '\n]\n')
}

async function yaml(rows: AsyncIterable<OutputRow>, shown: Shown, output: Output): Promise<void> {
  const { stringify } = await import('yaml')
  let some = false
  for await (const row of rows) {
    some = true
    await output.write(stringify([chosenOf(row, shown)], { lineWidth: 0 }))
  }
  if (!some) await output.write('[]\n')
}

/** RFC 4180, as in the CSV of saved queries. */
async function csv(rows: AsyncIterable<OutputRow>, { columns }: Shown, output: Output): Promise<void> {
  await output.write(csvLine(columns))
  for await (const row of rows) await output.write(csvLine(columns.map((name) => pick(row, name))))
}

const csvLine = (values: readonly unknown[]) => `${values.map(csvCell).join(',')}\r\n`

/** Marks text that a spreadsheet would evaluate as a formula. */
function csvCell(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : textOf(value).replace(/^(?=[=+\-@\t\r])/, "'")
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
