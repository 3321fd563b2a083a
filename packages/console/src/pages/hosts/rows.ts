import { type Attribute, type CheckWords, check, toValue } from '../../forms/attributes.ts'
import { listed } from '../../forms/filters.ts'
import { hosts } from '../../words/hosts.ts'
import { parseCsv } from './csv.ts'
import { address } from './questions.ts'

/** A host to be added, and what is wrong with it as far as can be told without asking. */
export interface NewHost {
  /** Its line, from 1. */
  readonly row: number
  readonly address: string
  readonly values: Readonly<Record<string, unknown>>
  readonly problem?: string | undefined
}

export interface RowWords extends CheckWords {
  noColumn(name: string): string
  noAddress: string
  twice: string
}

/** Reads what was pasted: a table whose first line names attributes, or a mere list of addresses. */
export function readHosts(text: string, attributes: readonly Attribute[], words: RowWords): NewHost[] {
  const table = parseCsv(text)
  const head = table[0] ?? []
  const columns = head.map((name) => attributes.find((each) => isNamed(each, name)))
  const isTable = columns.some((column) => column?.bk_property_id === address)
  const rows = isTable
    ? table.slice(1).map((cells, index) => readRow(index + 2, cells, head, columns, words))
    : listed(text).map((each, index) => ({ row: index + 1, address: each, values: { [address]: each } }))
  return withoutRepeats(rows, words)
}

const isNamed = (attribute: Attribute, name: string) =>
  [attribute.bk_property_id, attribute.bk_property_name].some((each) => each.toLowerCase() === name.toLowerCase())

/** An exported table also tells where each host stands. That is no attribute; where to add hosts is said above the rows. */
const placeNames = Object.values(hosts).map(({ where }) => where.toLowerCase())
const isPlace = (name: string) => placeNames.includes(name.toLowerCase())

function readRow(
  row: number,
  cells: readonly string[],
  head: readonly string[],
  columns: readonly (Attribute | undefined)[],
  words: RowWords,
): NewHost {
  const values: Record<string, unknown> = {}
  let problem: string | undefined
  for (const [index, text] of cells.entries()) {
    const attribute = columns[index]
    const name = head[index] ?? ''
    if (text === '' || (!attribute && isPlace(name))) continue
    if (!attribute) problem ??= words.noColumn(name)
    else {
      const wrong = check(attribute, text, words)
      problem ??= wrong && `${attribute.bk_property_name}: ${wrong}`
      values[attribute.bk_property_id] = toValue(attribute, text)
    }
  }
  const own = String(values[address] ?? '')
  return { row, address: own, values, problem: own ? problem : words.noAddress }
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
