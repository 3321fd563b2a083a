import { shownFields } from '../../condition/condition.ts'
import { attributesIn, inColumn, type Snapshot } from '../../storage/index.ts'
import type { Attributes, ObjectModel, Showing } from '../model/index.ts'
import { attributeValue } from '../topology/index.ts'
import { hostFields, isKeptAsJson } from './fields.ts'
import type { Host } from './rows.ts'

/** The record of a host with the requested fields, or all; unknown names are ignored. */
export function showHost(object: ObjectModel, host: Host, { zone }: Showing, wanted?: readonly string[]): Snapshot {
  const fields = hostFields(object)
  const attributes = attributesIn(host)
  const record: Snapshot = {}
  for (const name of shownFields(fields, wanted)) {
    const field = fields.get(name)
    if (!field) continue
    if ('attribute' in field.at) record[name] = attributeValue(attributes[name], object.attribute.get(name)?.type)
    else {
      const value = inColumn(host, field.at.column)
      record[name] = field.type === 'instant' ? zone.write(Number(value)) : value
    }
  }
  return record
}

/** A stored host in the form that conditions are evaluated on. */
export function storedHostValue(object: ObjectModel, host: Host): (name: string) => unknown {
  const attributes = attributesIn(host)
  const fields = hostFields(object)
  return (name) => {
    const field = fields.get(name)
    if (!field) return null
    return 'attribute' in field.at ? (attributes[name] ?? null) : inColumn(host, field.at.column)
  }
}

/** A checked attribute map in stored form: without attributes that have a column and without unset ones. */
export function keptAttributes(attributes: Attributes): string {
  const kept: Attributes = {}
  for (const id in attributes) {
    const value = attributes[id]
    if (isKeptAsJson(id) && value !== null && value !== '') kept[id] = value
  }
  return JSON.stringify(kept)
}

/** All attributes of a stored host, those with a column included. */
export const valuesOfHost = (host: Pick<Host, 'attributes' | 'inner_ip' | 'cloud_id'>): Attributes => ({
  ...attributesIn(host),
  bk_host_innerip: host.inner_ip,
  bk_cloud_id: host.cloud_id,
})
