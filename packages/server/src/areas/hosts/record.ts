import type { Snapshot } from '../../platform/storage/index.ts'
import type { Attributes, ObjectModel, Showing } from '../model/index.ts'
import { attributeValue } from '../topology/index.ts'
import { hostFields, isKeptAsJson } from './fields.ts'
import type { Host } from './rows.ts'

/** The record of a host with the fields asked for, all of them when none are; names the model does not have are left out. */
export function showHost(object: ObjectModel, host: Host, { zone }: Showing, wanted?: readonly string[]): Snapshot {
  const fields = hostFields(object)
  const attributes = JSON.parse(host.attributes) as Attributes
  const record: Snapshot = {}
  for (const name of wanted && wanted.length > 0 ? wanted : fields.keys()) {
    const field = fields.get(name)
    if (!field) continue
    if ('attribute' in field.at) record[name] = attributeValue(attributes[name], object.attribute.get(name)?.type)
    else {
      const value = host[field.at.column as keyof Host]
      record[name] = field.type === 'instant' ? zone.write(value as number) : value
    }
  }
  return record
}

/** A stored host as conditions see it. */
export function storedHostValue(object: ObjectModel, host: Host): (name: string) => unknown {
  const attributes = JSON.parse(host.attributes) as Attributes
  const fields = hostFields(object)
  return (name) => {
    const field = fields.get(name)
    if (!field) return null
    return 'attribute' in field.at ? (attributes[name] ?? null) : host[field.at.column as keyof Host]
  }
}

/** A checked attribute map as it is stored: what has a column is not kept twice, what is unset is left out. */
export function keptAttributes(attributes: Attributes): string {
  const kept: Attributes = {}
  for (const id in attributes) {
    const value = attributes[id]
    if (isKeptAsJson(id) && value !== null && value !== '') kept[id] = value
  }
  return JSON.stringify(kept)
}
