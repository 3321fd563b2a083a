import { model } from '@mainline/contract'
import { didYouMean } from '../../common/nearest.ts'
import type { Connection } from '../connection/connection.ts'
import { misused } from './usage.ts'
import { type Term, wrongAt } from './where.ts'

/** The known fields, each with the type of its attribute if the model has one. */
export type KnownFields = ReadonlyMap<string, string | undefined>

/** The fields of a record type in the contract, and those that the model of this server adds. */
export async function knownFields({ client }: Connection, object: string, record: object): Promise<KnownFields> {
  const attributes = await client.call(model.searchAttributes, { body: { bk_obj_id: object } })
  return new Map<string, string | undefined>([
    ...fixedFields(record),
    ...attributes.map((each) => [each.bk_property_id, each.bk_property_type] as const),
  ])
}

/** The fields of a record type in the contract. */
export const fixedFields = (record: object): KnownFields =>
  new Map(Object.keys((record as { properties: object }).properties).map((name) => [name, undefined]))

export function refuseUnknownFields(flag: string, names: readonly string[], known: KnownFields): void {
  for (const name of names) {
    if (!known.has(name)) throw misused(`--${flag}: there is no field '${name}'.${didYouMean(name, [...known.keys()])}`)
  }
}

const numbers = new Set(['int', 'float'])
const noTexts = new Set(['int', 'float', 'bool', 'date', 'time'])

/** Refuses a wrong field here, to mark it in the text that the user typed; the server would name a path into the request. */
export function refuseWrongTerm({ field, operator, value, text }: Term, known: KnownFields): void {
  if (!known.has(field.is)) {
    throw wrongAt(text, field.at, `there is no field '${field.is}'.${didYouMean(field.is, [...known.keys()])}`)
  }
  const type = known.get(field.is) ?? ''
  if (operator.is === '$regex' && noTexts.has(type)) {
    throw wrongAt(text, operator.at, `~ applies to text fields, but '${field.is}' is of type ${type}`)
  }
  const values = typeof value.is === 'string' ? [value.is] : value.is
  if (numbers.has(type) && values.some((each) => each.trim() === '' || Number.isNaN(Number(each)))) {
    throw wrongAt(text, value.at, `'${field.is}' is a number`)
  }
}
