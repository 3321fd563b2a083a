import { model } from '@mainline/contract'
import { didYouMean } from '../../platform/nearest.ts'
import type { Connection } from './connection.ts'
import { misused } from './usage.ts'
import { type Term, wrongAt } from './where.ts'

/** The fields that there are, each with the type of its attribute where the model has one. */
export type Known = ReadonlyMap<string, string | undefined>

/** What records of a kind have, and what the model adds to that for objects, here and now. */
export async function knownFields({ client }: Connection, object: string, record: object): Promise<Known> {
  const attributes = await client.call(model.searchAttributes, { body: { bk_obj_id: object } })
  return new Map<string, string | undefined>([
    ...fixedFields(record),
    ...attributes.map((each) => [each.bk_property_id, each.bk_property_type] as const),
  ])
}

/** What the contract says that a record has. */
export const fixedFields = (record: object): Known =>
  new Map(Object.keys((record as { properties: object }).properties).map((name) => [name, undefined]))

export function refuseUnknownFields(flag: string, names: readonly string[], known: Known): void {
  for (const name of names) {
    if (!known.has(name)) throw misused(`--${flag}: there is no field '${name}'.${didYouMean(name, [...known.keys()])}`)
  }
}

const numbers = new Set(['int', 'float'])
const noTexts = new Set(['int', 'float', 'bool', 'date', 'time'])

/** What the server would refuse with a path into the request is told with a mark below what was typed. */
export function refuseWrongTerm({ field, operator, value, text }: Term, known: Known): void {
  if (!known.has(field.is)) {
    throw wrongAt(text, field.at, `there is no field '${field.is}'.${didYouMean(field.is, [...known.keys()])}`)
  }
  const type = known.get(field.is) ?? ''
  if (operator.is === '$regex' && noTexts.has(type)) {
    throw wrongAt(text, operator.at, `~ searches in texts, and '${field.is}' is of type ${type}`)
  }
  const values = typeof value.is === 'string' ? [value.is] : value.is
  if (numbers.has(type) && values.some((each) => each.trim() === '' || Number.isNaN(Number(each)))) {
    throw wrongAt(text, value.at, `'${field.is}' is a number`)
  }
}
