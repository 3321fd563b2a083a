// What the columns of a file mean, and what their cells say.
import { languages, problem, rule } from '@mainline/contract'
import { nearest } from '../../platform/nearest.ts'
import { errorColumn, type Sheet } from '../../platform/sheets/index.ts'
import { type Attribute, type Attributes, attributeName, shownWord, systemFields, wordsOf } from '../model/index.ts'

/** Where something stands, as a path of names. */
export const pathColumn = 'topo_path'

/** An attribute in a file; `object` where rows are of several objects. */
export interface Column {
  readonly id: string
  readonly attribute: Attribute
  readonly object?: string
}

/** Which column of a file is what. */
export interface Reading {
  readonly path: number | undefined
  readonly columns: readonly (Column | undefined)[]
}

/** Refuses a file whose columns are not all known: a misspelt one would be left out of every row without a word. */
export function readColumns(sheet: Sheet, known: readonly Column[], needed: string): Reading {
  const names = sheet.columns.map((name) => name.toLowerCase())
  const seen = new Set<Column | string>()
  let path: number | undefined
  const columns = names.map((name, index) => {
    const header = (sheet.columns[index] ?? '').slice(0, 64)
    const column = known.find((each) => each.id === name) ?? known.find((each) => isCalled(each, name))
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

/** By the name that people see, in either language, where rows are of one object. */
const isCalled = ({ attribute, object }: Column, name: string) =>
  object === undefined && languages.some((language) => attributeName(attribute, language).toLowerCase() === name)

function unknownColumn(header: string, known: readonly Column[]) {
  const column = JSON.stringify(header)
  const values = nearest(header, [...known.map((each) => each.id), pathColumn]).join(', ')
  return problem('badFile', { why: rule('columnUnknown', { column, values }) })
}

/** What the cells say; an empty one says nothing. */
export function readCells({ columns }: Reading, cells: readonly string[]): { column: Column; value: unknown }[] {
  return columns.flatMap((column, index) => {
    const text = (cells[index] ?? '').trim()
    return column && text !== '' ? { column, value: meaningOf(column.attribute, text) } : []
  })
}

export const attributesOf = (said: readonly { column: Column; value: unknown }[]): Attributes =>
  Object.fromEntries(said.map(({ column, value }) => [column.attribute.id, value]))

/** A cell is text; what it means depends on the attribute. What it cannot mean is left for the model to refuse. */
function meaningOf(attribute: Attribute, text: string): unknown {
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

/** Spreadsheets keep times as days since the end of 1899. */
function dayOf(text: string): string | undefined {
  const days = Number(text)
  if (!/^\d{4,6}(\.\d+)?$/.test(text) || days > 2_958_465) return undefined
  return new Date(Math.round((days - 25_569) * 86_400) * 1_000).toISOString().slice(0, 19).replace('T', ' ')
}
