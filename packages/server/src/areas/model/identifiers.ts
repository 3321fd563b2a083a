import { problem, rule, type Words } from '@mainline/contract'
import type { Spelling } from '../../platform/http/compat.ts'
import { nameText, plainText, systemFields } from './check.ts'
import { allNames, storedName } from './names.ts'

const longestId = 64
const longestLabel = 256
/** Kinds that the log and custom queries already use for something else. */
const kindsOfRecords = ['object', 'model', 'userapi', 'usergroup', 'privilege', 'subscription']
/** Events that are of no object, and the resources by which they are watched: those of an object called so would never be found. */
const kindsOfEvents = ['moduletransfer', 'hostidentifier', 'host_relation', 'host_identifier', 'customquery']
const reservedObjects = new Set([...kindsOfRecords, ...kindsOfEvents])

/** A new identifier of a classification, an object or a group. */
export function newIdentifier(field: string, id: string, { pattern, rule: spelled }: Spelling): string {
  if (!pattern.test(id)) throw problem('invalid', { field, rule: spelled })
  if (id.length > longestId) throw problem('outOfBounds', { rule: rule('maxCharacters', { field, max: longestId }) })
  if (field === 'bk_obj_id' && reservedObjects.has(id.toLowerCase())) {
    throw problem('invalid', { field, rule: rule('reserved', { value: id }) })
  }
  return id
}

/** A new identifier of an attribute: not one of the fields that every record has. */
export function newAttributeId(id: string): string {
  const field = 'bk_property_id'
  if (!/^[a-z][a-z0-9_]*$/.test(id) || id.length > longestId) {
    throw problem('invalid', { field, rule: rule('attributeId', { max: longestId }) })
  }
  // `constructor` is what JavaScript finds in every map.
  if (systemFields.has(id) || id in {}) throw problem('invalid', { field, rule: rule('reserved', { value: id }) })
  return id
}

/** The name after an update: as it was unless one is sent, and a built-in name in the spelling that is stored. */
export const renamed = (field: string, sent: string | undefined, stored: string, words: Words | undefined): string =>
  sent === undefined ? stored : storedName(words, nameText(field, sent))

/** An icon or a unit: it may be empty. */
export const labelText = (field: string, label: string): string => plainText(field, label, longestLabel)

export function refuseTakenId(field: string, id: string, taken: readonly string[]): void {
  if (taken.some((other) => other.toLowerCase() === id.toLowerCase())) throw problem('duplicate', { what: field })
}

interface Named {
  readonly name: string
  readonly words: Words | undefined
}

/** Built-in names are taken in every language. */
export function refuseTakenName(field: string, named: Named, others: readonly Named[]): void {
  const own = allNames(named.words, named.name)
  const taken = new Set(others.flatMap((other) => allNames(other.words, other.name)))
  if (own.some((name) => taken.has(name))) throw problem('duplicate', { what: field })
}

/** What cannot be changed may be sent back as it is, or as null, which means that it was not sent. */
export function refuseOther(field: string, sent: unknown, stored: string): void {
  if (sent !== undefined && sent !== null && sent !== stored)
    throw problem('invalid', { field, rule: rule('unchangeable') })
}
