import { type Attribute, type CheckWords, check, toValue } from '../../forms/attributes.ts'
import { listed } from '../../forms/filters.ts'
import { addressesIn, areAddresses } from './addresses.ts'
import { type ChosenColumns, type Column, columnsOf, hasHeader, withAddressColumn } from './columns.ts'
import { parseCsv, separatorOf } from './csv.ts'
import { address } from './questions.ts'

/** A host to be added, with the errors that can be detected here. */
export interface NewHost {
  /** Its line number, from 1. */
  readonly row: number
  readonly address: string
  readonly values: Readonly<Record<string, unknown>>
  readonly problem?: string | undefined
}

interface RowWords extends CheckWords {
  noColumn(name: string): string
  noAddress: string
  badAddress: string
  twice: string
}

export interface HostRows {
  readonly rows: readonly NewHost[]
  /** For a table; empty for a list of addresses. */
  readonly columns: readonly Column[]
}

/** Parses pasted text: a table with a header, or a list of addresses and ranges. */
export function readHosts(
  text: string,
  attributes: readonly Attribute[],
  words: RowWords,
  chosen: ChosenColumns = {},
): HostRows {
  const table = parseCsv(text, separatorOf(text))
  const [head = [], ...below] = table
  if (!hasHeader(table, attributes)) return { rows: withoutRepeats(readList(text, words), words), columns: [] }
  const columns = withAddressColumn(columnsOf(head, attributes, chosen), below, attributes)
  const rows = below.map((cells, index) => readRow(index + 2, cells, columns, words))
  return { rows: withoutRepeats(rows, words), columns }
}

const readList = (text: string, words: RowWords): NewHost[] =>
  listed(text.replaceAll(/[^\S\n]+-[^\S\n]+/g, '-'))
    .flatMap((each) => addressesIn(each) ?? [each])
    .map((each, index) => ({
      row: index + 1,
      address: each,
      values: { [address]: each },
      problem: areAddresses(each) ? undefined : words.badAddress,
    }))

function readRow(row: number, cells: readonly string[], columns: readonly Column[], words: RowWords): NewHost {
  const values: Record<string, unknown> = {}
  let problem: string | undefined
  for (const [index, cell] of cells.entries()) {
    const { header = '', attribute, isLeftOut = false, factor = 1 } = columns[index] ?? {}
    if (cell === '' || isLeftOut) continue
    if (!attribute) problem ??= words.noColumn(header)
    else {
      const text = factor !== 1 && Number.isFinite(Number(cell)) ? String(Number(cell) * factor) : cell
      const wrong = check(attribute, text, words)
      problem ??= wrong && `${attribute.bk_property_name}: ${wrong}`
      values[attribute.bk_property_id] = toValue(attribute, text)
    }
  }
  const own = String(values[address] ?? '')
  const noAddress = own === '' ? words.noAddress : areAddresses(own) ? undefined : words.badAddress
  return { row, address: own, values, problem: noAddress ?? problem }
}

function withoutRepeats(rows: readonly NewHost[], words: RowWords): NewHost[] {
  const seen = new Set<string>()
  return rows.map((row) => {
    const key = `${row.values.bk_cloud_id ?? 0} ${row.address}`
    const repeated = row.address !== '' && seen.has(key)
    seen.add(key)
    return repeated ? { ...row, problem: words.twice } : row
  })
}
