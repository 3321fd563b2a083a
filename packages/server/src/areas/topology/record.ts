import type { Field } from '../../platform/condition/condition.ts'
import type { Snapshot } from '../../platform/storage/index.ts'
import type { Attribute, ObjectModel, Showing } from '../model/index.ts'
import { shownName } from './built-in.ts'
import { fieldsOf } from './fields.ts'
import type { Node } from './nodes.ts'

/** The record of an instance with the fields asked for, all of them when none are; names the model does not have are left out. */
export function show(object: ObjectModel, node: Node, showing: Showing, wanted?: readonly string[]): Snapshot {
  const fields = fieldsOf(object)
  const attributes = JSON.parse(node.attributes) as Record<string, unknown>
  const record: Snapshot = {}
  for (const name of wanted && wanted.length > 0 ? wanted : fields.keys()) {
    const field = fields.get(name)
    if (field) record[name] = shownValue(object, node, attributes, field, showing)
  }
  return record
}

function shownValue(
  object: ObjectModel,
  node: Node,
  attributes: Record<string, unknown>,
  field: Field,
  showing: Showing,
): unknown {
  if ('attribute' in field.at) {
    const id = field.at.attribute
    return attributeValue(attributes[id], object.attribute.get(id)?.type)
  }
  if (field.at.column === 'name') return shownName(object.id, node.built_in, node.name, showing.language)
  const value = node[field.at.column as keyof Node]
  return field.type === 'instant' ? showing.zone.write(value as number) : value
}

/** Unset reads '' for texts and null for the rest; so does what an attribute of another type left behind. */
export function attributeValue(value: unknown, type: Attribute['type'] | undefined): unknown {
  switch (type) {
    case 'int':
    case 'float':
      return typeof value === 'number' ? value : null
    case 'bool':
      return typeof value === 'boolean' ? value : null
    case 'singlechar':
    case 'longchar':
    case 'objuser':
      return typeof value === 'string' ? value : ''
    default:
      return typeof value === 'string' ? value : null
  }
}

/** A stored row as conditions see it: times as numbers, built-in names as stored. */
export function storedValue(object: ObjectModel, node: Node): (name: string) => unknown {
  const attributes = JSON.parse(node.attributes) as Record<string, unknown>
  const fields = fieldsOf(object)
  return (name) => {
    const field = fields.get(name)
    if (!field) return null
    if ('attribute' in field.at) return attributes[field.at.attribute] ?? null
    return node[field.at.column as keyof Node]
  }
}
