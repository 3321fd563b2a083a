import { problem, type Rule, rule, type Words } from '@mainline/contract'
import type { Spelling } from '../../../http/dialect.ts'
import { nameText, plainText, systemFields } from '../check.ts'
import { allNames, storedName } from '../names.ts'

const longestId = 64
const longestLabel = 256
/** Record kinds that the log and saved queries already use for something else. */
const kindsOfRecords = [
  'object',
  'model',
  'userapi',
  'usergroup',
  'privilege',
  'subscription',
  'history',
  'instassociation',
]
/** Event kinds without an object, and their watch resources: events of an object with such a name could not be watched. */
const kindsOfEvents = [
  'moduletransfer',
  'hostidentifier',
  'host_relation',
  'host_identifier',
  'inst_asst',
  'customquery',
]
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

/** A new identifier of an attribute; the names of system fields are reserved. */
export function newAttributeId(id: string): string {
  const field = 'bk_property_id'
  if (!/^[a-z][a-z0-9_]*$/.test(id) || id.length > longestId) {
    throw problem('invalid', { field, rule: rule('attributeId', { max: longestId }) })
  }
  // `id in {}` also rejects `constructor` and other properties of every JavaScript object.
  if (systemFields.has(id) || id in {}) throw problem('invalid', { field, rule: rule('reserved', { value: id }) })
  return id
}

/** The name after an update; a built-in name in any language is stored in its stored spelling. */
export const renamed = (field: string, sent: string | undefined, stored: string, words: Words | undefined): string =>
  sent === undefined ? stored : storedName(words, nameText(field, sent))

/** An icon or a unit, which may be empty. */
export const labelText = (field: string, label: string): string => plainText(field, label, longestLabel)

/** Bounds what every request that reads the model has to hold. */
export function refuseTooMany(what: Rule, existing: number, limit: number): void {
  if (existing >= limit) throw problem('tooMany', { what, limit })
}

export function refuseTakenId(field: string, id: string, taken: readonly string[]): void {
  if (taken.some((other) => other.toLowerCase() === id.toLowerCase())) throw problem('duplicate', { what: field })
}

interface IdentifiedBy {
  readonly name: string
  readonly words: Words | undefined
}

/** Compares with built-in names in every language. */
export function refuseTakenName(field: string, named: IdentifiedBy, others: readonly IdentifiedBy[]): void {
  const own = allNames(named.words, named.name)
  const taken = new Set(others.flatMap((other) => allNames(other.words, other.name)))
  if (own.some((name) => taken.has(name))) throw problem('duplicate', { what: field })
}

/** A field that cannot be changed may be sent with its current value, or as null, which counts as not sent. */
export function refuseOther(field: string, sent: unknown, stored: string): void {
  if (sent !== undefined && sent !== null && sent !== stored)
    throw problem('invalid', { field, rule: rule('unchangeable') })
}
