// Columns of import files, and conversion of their cells.
import { languages, problem, rule } from '@mainline/contract'
import { nearest } from '../../common/nearest.ts'
import { errorColumn, type Sheet } from '../../sheets/index.ts'
import { type Attribute, type Attributes, attributeName, shownWord, systemFields, wordsOf } from '../model/index.ts'

/** The placement column: a path of names. */
export const pathColumn = 'topo_path'

/** An attribute as a column; `object` if the rows of the file are of several objects. */
export interface Column {
  readonly id: string
  readonly attribute: Attribute
  readonly object?: string
}

/** The meaning of each column of a file. */
interface ColumnMapping {
  readonly path: number | undefined
  readonly columns: readonly (Column | undefined)[]
}

/** Refuses a file with unknown columns: the values of a misspelt one would be lost without notice. */
export function readColumns(sheet: Sheet, known: readonly Column[], needed: string): ColumnMapping {
  const names = sheet.columns.map((name) => name.toLowerCase())
  const seen = new Set<Column | string>()
  let path: number | undefined
  const columns = names.map((name, index) => {
    const header = (sheet.columns[index] ?? '').slice(0, 64)
    const column = known.find((each) => each.id === name) ?? known.find((each) => isNamed(each, name))
    const isOther = name === errorColumn || systemFields.has(name)
    if (name === '' || (!column && name !== pathColumn && !isOther)) throw unknownColumn(header, known)
    const what = column ?? name
    if (seen.has(what)) throw problem('badFile', { why: rule('fileTwice', { column: header }) })
    seen.add(what)
    if (name === pathColumn) path = index
    return column
  })
  const found = [...columns.map((each) => each?.id), path === undefined ? undefined : pathColumn]
  if (!found.includes(needed)) {
    const list = sheet.columns.slice(0, 8).join(' | ').slice(0, 200)
    throw problem('badFile', { why: rule('fileNoColumn', { column: needed, found: list }) })
  }
  return { path, columns }
}

/** Matches the display name in either language, if all rows are of one object. */
const isNamed = ({ attribute, object }: Column, name: string) =>
  object === undefined && languages.some((language) => attributeName(attribute, language).toLowerCase() === name)

function unknownColumn(header: string, known: readonly Column[]) {
  const column = JSON.stringify(header)
  const values = nearest(header, [...known.map((each) => each.id), pathColumn]).join(', ')
  return problem('badFile', { why: rule('columnUnknown', { column, values }) })
}

/** The values of the cells; empty cells are left out. */
export function readCells({ columns }: ColumnMapping, cells: readonly string[]): { column: Column; value: unknown }[] {
  return columns.flatMap((column, index) => {
    const text = (cells[index] ?? '').trim()
    return column && text !== '' ? { column, value: parseCell(column.attribute, text) } : []
  })
}

export const attributesOfRow = (said: readonly { column: Column; value: unknown }[]): Attributes =>
  Object.fromEntries(said.map(({ column, value }) => [column.attribute.id, value]))

/** Converts the text of a cell by the type of its attribute; text that does not fit is left for the model to refuse. */
function parseCell(attribute: Attribute, text: string): unknown {
  switch (attribute.type) {
    case 'enum': {
      const byName = attribute.choices.find(({ id, name }) =>
        namesOfChoice(attribute, id, name).includes(text.toLowerCase()),
      )
      return attribute.choices.some(({ id }) => id === text) ? text : (byName?.id ?? text)
    }
    case 'bool':
      return { true: true, '1': true, false: false, '0': false }[text.toLowerCase()] ?? text
    case 'date':
      return dayOf(text)?.slice(0, 10) ?? text
    case 'time':
      return dayOf(text) ?? text
    default:
      return text
  }
}

const namesOfChoice = ({ object, id }: Attribute, choice: string, stored: string) =>
  languages.map((language) => shownWord(wordsOf.choice(object, id, choice), stored, language).toLowerCase())

/** Spreadsheets store times as days since the end of 1899. */
function dayOf(text: string): string | undefined {
  const days = Number(text)
  if (!/^\d{4,6}(\.\d+)?$/.test(text) || days > 2_958_465) return undefined
  return new Date(Math.round((days - 25_569) * 86_400) * 1_000).toISOString().slice(0, 19).replace('T', ' ')
}
