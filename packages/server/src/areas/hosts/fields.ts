import type { Field, Fields } from '../../condition/condition.ts'
import { indexOf, isList, type ObjectModel } from '../model/index.ts'
import { fieldTypes } from '../topology/index.ts'

/** Attributes with a column of their own. */
const columns: Record<string, Field> = {
  bk_host_id: { type: 'integer', at: { column: 'host_id' } },
  bk_host_innerip: { type: 'text', at: { column: 'inner_ip' }, isList: true },
  bk_cloud_id: { type: 'integer', at: { column: 'cloud_id' } },
}

/** Every field of a host that can be selected, filtered and sorted by, in the order of records. */
export function hostFields(host: ObjectModel): Fields {
  const known = host.derived.get('host fields')
  if (known) return known
  const fields = new Map<string, Field>(Object.entries(columns))
  fields.set('bk_supplier_account', { type: 'text', at: { column: 'account' } })
  for (const attribute of host.attributes) {
    if (fields.has(attribute.id) || attribute.id === 'create_time') continue
    fields.set(attribute.id, {
      type: fieldTypes[attribute.type],
      at: { attribute: attribute.id },
      ...(isList(attribute) && { isList: true }),
      ...indexOf(attribute),
    })
  }
  fields.set('create_time', { type: 'instant', at: { column: 'create_time' } })
  fields.set('last_time', { type: 'instant', at: { column: 'last_time' } })
  fields.set('bk_revision', { type: 'integer', at: { column: 'revision' }, isHidden: true })
  host.derived.set('host fields', fields)
  return fields
}

/** Attributes stored as JSON: all that have no column. */
export const isKeptAsJson = (id: string) => !Object.hasOwn(columns, id) && id !== 'create_time'
