import type { Field, Fields, FieldType } from '../../../condition/condition.ts'
import { type Attribute, indexOf, nameField, type ObjectModel } from '../../model/index.ts'
import { aliases } from './built-in.ts'

/** The name of an object's id field in the interface. */
const idFields: Record<string, string> = {
  biz: 'bk_biz_id',
  set: 'bk_set_id',
  module: 'bk_module_id',
  plat: 'bk_cloud_id',
}

export const idField = (object: string) => idFields[object] ?? 'bk_inst_id'

export const fieldTypes: Record<Attribute['type'], FieldType> = {
  singlechar: 'text',
  longchar: 'text',
  enum: 'word',
  date: 'day',
  time: 'time',
  objuser: 'text',
  timezone: 'word',
  int: 'integer',
  float: 'float',
  bool: 'boolean',
}

/** A role: a user attribute of the business, to which privileges can be bound. */
const isRole = (attribute: Attribute) => attribute.object === 'biz' && attribute.type === 'objuser'

/**
 * Every field of a main-line instance that can be selected, filtered and sorted by, in the order of records.
 * `node` and, for businesses, `business` are the tables of the search statement.
 */
export function fieldsOf(object: ObjectModel): Fields {
  const known = object.derived.get('fields')
  if (known) return known
  const fields = new Map<string, Field>()
  fields.set(idField(object.id), { type: 'integer', at: { column: 'inst_id' } })
  const name = object.attribute.get(nameField(object.id))
  fields.set(nameField(object.id), {
    type: 'text',
    at: { column: 'name' },
    alsoCalled: aliases(object.id),
    ...(name && indexOf(name)),
  })
  if (object.id === 'plat') fields.set('bk_inst_id', { type: 'integer', at: { column: 'inst_id' } })
  if (object.id === 'biz') {
    fields.set('bk_data_status', { type: 'text', at: { table: 'business', column: 'status' } })
  } else {
    if (object.id === 'module') fields.set('bk_set_id', { type: 'integer', at: { column: 'parent_id' } })
    fields.set('bk_parent_id', { type: 'integer', at: { column: 'parent_id' } })
    fields.set('bk_biz_id', { type: 'integer', at: { column: 'biz_id' } })
  }
  fields.set('bk_supplier_account', { type: 'text', at: { column: 'account' } })
  fields.set('default', { type: 'integer', at: { column: 'built_in' } })
  for (const attribute of object.attributes) {
    if (fields.has(attribute.id)) continue
    fields.set(attribute.id, {
      type: fieldTypes[attribute.type],
      at: { attribute: attribute.id },
      ...(isRole(attribute) && { isList: true }),
      ...indexOf(attribute),
    })
  }
  fields.set('bk_obj_id', { type: 'text', at: { column: 'object_id' } })
  fields.set('creator', { type: 'text', at: { column: 'creator' } })
  fields.set('create_time', { type: 'instant', at: { column: 'create_time' } })
  fields.set('last_time', { type: 'instant', at: { column: 'last_time' } })
  fields.set('bk_revision', { type: 'integer', at: { column: 'revision' }, isHidden: true })
  object.derived.set('fields', fields)
  return fields
}
