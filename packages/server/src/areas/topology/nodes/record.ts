import type { Static, TObject } from 'typebox'
import { type Field, shownFields } from '../../../condition/condition.ts'
import { attributesIn, inColumn, type Snapshot } from '../../../storage/index.ts'
import type { Attribute, ObjectModel, Showing } from '../../model/index.ts'
import { shownName } from './built-in.ts'
import { fieldsOf } from './fields.ts'
import type { Node } from './nodes.ts'

/** Its internal id is not shown. */
type ShownNode = Omit<Node, 'id'>

/** The record of an instance with the wanted fields, or all; unknown field names are ignored. */
export function showNode(object: ObjectModel, node: ShownNode, showing: Showing, wanted?: readonly string[]): Snapshot {
  const fields = fieldsOf(object)
  const attributes = attributesIn(node)
  const record: Snapshot = {}
  for (const name of shownFields(fields, wanted)) {
    const field = fields.get(name)
    if (field) record[name] = shownValue(object, node, attributes, field, showing)
  }
  return record
}

/** Types a record by its schema: the model gives every instance the attributes that the schema requires. */
export function asSchema<Schema extends TObject>(schema: Schema, record: object | undefined): Static<Schema> {
  if (record && isWhole(schema, record)) return record
  throw new Error(`the record is not whole: ${JSON.stringify(record)}`)
}

const isWhole = <Schema extends TObject>({ required }: Schema, record: object): record is object & Static<Schema> =>
  required.every((name) => name in record)

function shownValue(
  object: ObjectModel,
  node: ShownNode,
  attributes: Readonly<Record<string, unknown>>,
  field: Field,
  showing: Showing,
): unknown {
  if ('attribute' in field.at) {
    const id = field.at.attribute
    return attributeValue(attributes[id], object.attribute.get(id)?.type)
  }
  if (field.at.column === 'name') return shownName(object.id, node.built_in, node.name, showing.language)
  const value = inColumn(node, field.at.column)
  return field.type === 'instant' ? showing.zone.write(Number(value)) : value
}

/** An unset value reads '' for text and null otherwise; so does a value left by an attribute of another type. */
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

/** A stored row as conditions compare it: times as numbers, built-in names as stored. */
export function storedValue(object: ObjectModel, node: Node): (name: string) => unknown {
  const attributes = attributesIn(node)
  const fields = fieldsOf(object)
  return (name) => {
    const field = fields.get(name)
    if (!field) return null
    if ('attribute' in field.at) return attributes[field.at.attribute] ?? null
    return inColumn(node, field.at.column)
  }
}
