// Fields of records as the interface shows them.
import type { Language } from '@mainline/contract'
import type { Snapshot } from '../../../storage/index.ts'
import { attributeName, type Model } from '../../model/index.ts'

/** They differ in every update. */
const differing = new Set(['last_time', 'modify_user'])

/** An attribute that did not exist then, or was not set. */
const isUnset = (value: unknown) => value === undefined || value === null || value === ''
const plain = (value: unknown) => (value === undefined ? null : value)
const isSame = (one: unknown, other: unknown) =>
  (isUnset(one) && isUnset(other)) || JSON.stringify(one) === JSON.stringify(other)

export interface FieldDifference {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
}

export const fieldDifferences = (before: Snapshot | null, after: Snapshot | null): FieldDifference[] =>
  [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
    .filter((field) => !differing.has(field))
    .map((field) => ({ field, before: plain(before?.[field]), after: plain(after?.[field]) }))
    .filter((each) => !isSame(each.before, each.after))

/** Fields with a value, without those that describe the record itself. */
export const valuesIn = (record: Snapshot): [field: string, value: unknown][] =>
  Object.entries(record).filter(([field, value]) => !differing.has(field) && !isUnset(value))

/** The name of a field in the caller's language; the field itself for those that are no attributes. */
export function fieldLabel(model: Model, object: string, field: string, language: Language): string {
  const attribute = model.objects.get(object)?.attribute.get(field)
  return attribute ? attributeName(attribute, language) : field
}
