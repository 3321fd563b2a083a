import Type, { type Static } from 'typebox'
import { anyone, byGroup } from './allow.ts'
import { endpoint } from './endpoint.ts'
import {
  Account,
  anyJson,
  attribute,
  Id,
  Identifier,
  NumericId,
  Success,
  shaped,
  Text,
  Timestamp,
} from './vocabulary.ts'

export const ClassificationRecord = Type.Object({
  id: Type.Integer(),
  bk_classification_id: Type.String(),
  bk_classification_name: Type.String(),
  bk_classification_icon: Type.String(),
  bk_classification_type: Type.String({ description: 'inner if built in, else empty' }),
  bk_supplier_account: Type.String(),
})
export type ClassificationRecord = Static<typeof ClassificationRecord>

export const ObjectRecord = Type.Object({
  id: Type.Integer(),
  bk_obj_id: Type.String(),
  bk_obj_name: Type.String(),
  bk_obj_icon: Type.String(),
  bk_classification_id: Type.String(),
  bk_supplier_account: Type.String(),
  ispre: Type.Boolean({ description: 'built in' }),
  bk_ispaused: Type.Boolean({ description: 'no new instances' }),
  creator: Type.String(),
  create_time: Timestamp,
  last_time: Timestamp,
})
export type ObjectRecord = Static<typeof ObjectRecord>

const option =
  'enum: [{id, name, type, is_default}]; int and float: {min, max}; singlechar and longchar: a pattern of RE2'

export const AttributeRecord = Type.Object({
  id: Type.Integer(),
  bk_supplier_account: Type.String(),
  bk_obj_id: Type.String(),
  bk_property_id: Type.String(),
  bk_property_name: Type.String(),
  bk_property_type: Type.String(),
  bk_property_group: Type.String(),
  bk_property_group_name: Type.String(),
  bk_property_index: Type.Integer({ description: 'its place among the attributes of the object' }),
  option: shaped(anyJson, option),
  unit: Type.String(),
  placeholder: Type.String(),
  editable: Type.Boolean({ description: 'whether forms offer to change it' }),
  isrequired: Type.Boolean(),
  ispre: Type.Boolean({ description: 'built in: cannot be deleted' }),
  isreadonly: Type.Boolean(),
  isonly: Type.Boolean({ description: 'the name or address that identifies instances' }),
  searchable: Type.Boolean({ description: 'indexed: conditions find instances by its value without a scan' }),
  bk_searchable_state: Type.String({
    description: 'filling while existing instances are indexed, then ready; empty if it is not searchable',
  }),
  creator: Type.String(),
  create_time: Timestamp,
  last_time: Timestamp,
})
export type AttributeRecord = Static<typeof AttributeRecord>

export const GroupRecord = Type.Object({
  id: Type.Integer(),
  bk_group_id: Type.String(),
  bk_group_name: Type.String(),
  bk_group_index: Type.Integer(),
  bk_obj_id: Type.String(),
  bk_isdefault: Type.Boolean(),
  ispre: Type.Boolean({ description: 'built in: cannot be deleted' }),
  bk_supplier_account: Type.String(),
})
export type GroupRecord = Static<typeof GroupRecord>

const account = { bk_supplier_account: Type.Optional(Account) }
const one = { id: Id }
const Name = Type.String({ minLength: 1, description: 'at most 256 bytes' })
export const GroupIndex = Type.Integer({ minimum: 0, maximum: 1_000_000 })

/** The body of a search is itself the condition: fields of the record with a value or with operators. */
const anyOf = <Names extends string>(fields: Record<Names, string>) => {
  const each = Object.entries<string>(fields).map(([name, means]) => [name, attribute(means)])
  return Type.Object(
    { ...account, ...(Object.fromEntries(each) as Record<Names, ReturnType<typeof attribute>>) },
    { additionalProperties: true, description: 'any fields of the record, each with a value or with operators' },
  )
}

export const createClassification = endpoint({
  name: 'create_classification',
  method: 'POST',
  effect: 'write',
  path: '/object/classification',
  area: 'Model',
  summary: 'Create a classification of objects.',
  allow: byGroup('model'),
  body: Type.Object({
    ...account,
    bk_classification_id: Identifier,
    bk_classification_name: Name,
    bk_classification_icon: Type.Optional(Type.String()),
  }),
  refuses: ['outOfBounds', 'duplicate', 'tooMany'],
  data: ClassificationRecord,
  example: { body: { bk_classification_id: 'storage', bk_classification_name: 'Storage' } },
})

export const updateClassification = endpoint({
  name: 'update_classification',
  method: 'PUT',
  effect: 'write',
  path: '/object/classification/:id',
  area: 'Model',
  summary: 'Update the name or the icon of a classification.',
  allow: byGroup('model'),
  params: one,
  body: Type.Object({
    ...account,
    bk_classification_id: attribute('cannot be changed'),
    bk_classification_name: Type.Optional(Name),
    bk_classification_icon: Type.Optional(Type.String()),
  }),
  refuses: ['notFound', 'duplicate', 'outOfBounds'],
  data: Success,
  example: { params: { id: 6 }, body: { bk_classification_name: 'Disks' } },
})

export const deleteClassification = endpoint({
  name: 'delete_classification',
  method: 'DELETE',
  effect: 'write',
  path: '/object/classification/:id',
  area: 'Model',
  summary: 'Delete a classification without objects.',
  allow: byGroup('model'),
  params: one,
  refuses: ['notFound', 'builtInModel', 'classificationInUse'],
  data: Success,
  example: { params: { id: 6 } },
})

export const searchClassifications = endpoint({
  name: 'search_classifications',
  method: 'POST',
  effect: 'read',
  readsPast: true,
  path: '/object/classifications',
  area: 'Model',
  summary: 'Search classifications.',
  allow: anyone,
  body: anyOf({ bk_classification_id: 'identifier', bk_classification_name: 'name' }),
  data: Type.Array(ClassificationRecord),
  example: { body: {} },
})

export const searchClassifiedObjects = endpoint({
  name: 'search_classification_objects',
  method: 'POST',
  effect: 'read',
  readsPast: true,
  path: '/object/classification/:bk_supplier_account/objects',
  area: 'Model',
  summary: 'Search classifications, each with its objects.',
  allow: anyone,
  params: { bk_supplier_account: Account },
  body: anyOf({ bk_classification_id: 'identifier', bk_classification_name: 'name' }),
  data: Type.Array(Type.Object({ ...ClassificationRecord.properties, bk_objects: Type.Array(ObjectRecord) })),
  example: { params: { bk_supplier_account: '0' }, body: {} },
})

export const createObject = endpoint({
  name: 'create_object',
  method: 'POST',
  effect: 'write',
  path: '/object',
  area: 'Model',
  summary: 'Create an object outside the main line, with the attribute bk_inst_name.',
  allow: byGroup('model'),
  body: Type.Object({
    ...account,
    bk_obj_id: Identifier,
    bk_obj_name: Name,
    bk_classification_id: Type.String({ minLength: 1, description: 'an existing classification' }),
    bk_obj_icon: Type.Optional(Type.String()),
  }),
  refuses: ['outOfBounds', 'duplicate', 'unknown', 'tooMany'],
  data: ObjectRecord,
  example: { body: { bk_obj_id: 'rack', bk_obj_name: 'Rack', bk_classification_id: 'bk_network' } },
})

export const updateObject = endpoint({
  name: 'update_object',
  method: 'PUT',
  effect: 'write',
  path: '/object/:id',
  area: 'Model',
  summary: 'Update the name, icon or classification of an object, or pause it.',
  allow: byGroup('model'),
  params: one,
  body: Type.Object({
    ...account,
    bk_obj_id: attribute('cannot be changed'),
    bk_obj_name: Type.Optional(Name),
    bk_obj_icon: Type.Optional(Type.String()),
    bk_classification_id: Type.Optional(Type.String({ minLength: 1 })),
    bk_ispaused: Type.Optional(Type.Boolean()),
  }),
  refuses: ['notFound', 'builtInModel', 'duplicate', 'unknown', 'outOfBounds'],
  data: Success,
  example: { params: { id: 17 }, body: { bk_obj_name: 'Cabinet' } },
})

export const deleteObject = endpoint({
  name: 'delete_object',
  method: 'DELETE',
  effect: 'write',
  path: '/object/:id',
  area: 'Model',
  summary: 'Delete an object without instances, with its attributes and groups.',
  allow: byGroup('model'),
  params: one,
  refuses: ['notFound', 'builtInModel', 'objectHasInstances', 'objectAssociated'],
  data: Success,
  example: { params: { id: 17 } },
})

export const searchObjects = endpoint({
  name: 'search_objects',
  method: 'POST',
  effect: 'read',
  readsPast: true,
  path: '/objects',
  area: 'Model',
  summary: 'Search objects.',
  allow: anyone,
  body: anyOf({ bk_obj_id: 'identifier', bk_obj_name: 'name', bk_classification_id: 'its classification' }),
  data: Type.Array(ObjectRecord),
  example: { body: { bk_classification_id: 'bk_network' } },
})

const described = {
  option: attribute(option, anyJson),
  unit: Type.Optional(Type.String()),
  placeholder: Type.Optional(Type.String()),
  editable: Type.Optional(Type.Boolean({ description: 'default true' })),
  isrequired: Type.Optional(Type.Boolean({ description: 'default false' })),
  searchable: Type.Optional(
    Type.Boolean({
      description: 'whether its values are indexed for searches; not for longchar; default false',
    }),
  ),
  bk_property_group: Type.Optional(
    Type.String({ minLength: 1, description: 'a group of the object; default "default"' }),
  ),
}

export const createAttribute = endpoint({
  name: 'create_object_attribute',
  method: 'POST',
  effect: 'write',
  path: '/object/attr',
  area: 'Model',
  summary: 'Create an attribute; it can be used from the next request on.',
  allow: byGroup('model'),
  body: Type.Object({
    ...account,
    bk_obj_id: Type.String({ minLength: 1 }),
    bk_property_id: Type.String({
      minLength: 1,
      description: 'lowercase letters, digits and _; at most 64 characters',
    }),
    bk_property_name: Name,
    bk_property_type: Type.String({
      minLength: 1,
      description: 'singlechar, longchar, int, float, enum, date, time, objuser, timezone or bool',
    }),
    ...described,
  }),
  refuses: ['outOfBounds', 'unknown', 'duplicate', 'notInteger', 'notFloat', 'tooMany'],
  data: AttributeRecord,
  example: {
    body: {
      bk_obj_id: 'set',
      bk_property_id: 'colour',
      bk_property_name: 'Colour',
      bk_property_type: 'enum',
      option: [{ id: 'r', name: 'red', type: 'text', is_default: true }],
    },
  },
})

export const updateAttribute = endpoint({
  name: 'update_object_attribute',
  method: 'PUT',
  effect: 'write',
  path: '/object/attr/:id',
  area: 'Model',
  summary: 'Update an attribute; its identifier and type cannot be changed.',
  allow: byGroup('model'),
  params: one,
  body: Type.Object({
    ...account,
    bk_obj_id: attribute('cannot be changed'),
    bk_property_id: attribute('cannot be changed'),
    bk_property_type: attribute('cannot be changed'),
    bk_property_name: Type.Optional(Name),
    ...described,
  }),
  refuses: ['notFound', 'duplicate', 'unknown', 'outOfBounds', 'notInteger', 'notFloat', 'tooMany'],
  data: Success,
  example: { params: { id: 62 }, body: { bk_property_name: 'Paint' } },
})

export const deleteAttribute = endpoint({
  name: 'delete_object_attribute',
  method: 'DELETE',
  effect: 'write',
  path: '/object/attr/:id',
  area: 'Model',
  summary: 'Delete an attribute that is not built in. Its values are no longer shown.',
  allow: byGroup('model'),
  params: one,
  refuses: ['notFound', 'attributeNotDeleted', 'attributeInUniqueRule'],
  data: Success,
  example: { params: { id: 62 } },
})

export const searchAttributes = endpoint({
  name: 'search_object_attributes',
  method: 'POST',
  effect: 'read',
  readsPast: true,
  path: '/object/attr/search',
  area: 'Model',
  summary: 'Search attributes, in the order of the object.',
  allow: anyone,
  body: anyOf({
    bk_obj_id: 'the object, or {$in: [...]}',
    bk_property_id: 'identifier',
    bk_property_name: 'name',
    bk_property_type: 'type',
    bk_property_group: 'group',
  }),
  data: Type.Array(AttributeRecord),
  example: { body: { bk_obj_id: 'set' } },
})

export const createGroup = endpoint({
  name: 'create_attribute_group',
  method: 'POST',
  effect: 'write',
  path: '/objectatt/group/new',
  area: 'Model',
  summary: 'Create an attribute group.',
  allow: byGroup('model'),
  body: Type.Object({
    ...account,
    bk_obj_id: Type.String({ minLength: 1 }),
    bk_group_id: Type.String({ minLength: 1, description: 'letters; unique in the object, ignoring case' }),
    bk_group_name: Name,
    bk_group_index: Type.Optional(GroupIndex),
  }),
  refuses: ['outOfBounds', 'unknown', 'duplicate', 'tooMany'],
  data: GroupRecord,
  example: { body: { bk_obj_id: 'set', bk_group_id: 'money', bk_group_name: 'Cost' } },
})

export const updateGroup = endpoint({
  name: 'update_attribute_group',
  method: 'PUT',
  effect: 'write',
  path: '/objectatt/group/update',
  area: 'Model',
  summary: 'Update the name or the position of an attribute group.',
  allow: byGroup('model'),
  body: Type.Object({
    ...account,
    condition: Type.Object({ id: NumericId }),
    data: Type.Object({ bk_group_name: Type.Optional(Name), bk_group_index: Type.Optional(GroupIndex) }),
  }),
  refuses: ['notFound', 'duplicate', 'outOfBounds'],
  data: Success,
  example: { body: { condition: { id: 20 }, data: { bk_group_name: 'Expenses' } } },
})

export const deleteGroup = endpoint({
  name: 'delete_attribute_group',
  method: 'DELETE',
  effect: 'write',
  path: '/objectatt/group/groupid/:id',
  area: 'Model',
  summary: 'Delete an attribute group without attributes.',
  allow: byGroup('model'),
  params: one,
  refuses: ['notFound', 'attributeGroupNotDeleted'],
  data: Success,
  example: { params: { id: 20 } },
})

export const moveAttributes = endpoint({
  name: 'move_object_attributes',
  method: 'PUT',
  effect: 'write',
  path: '/objectatt/group/property',
  area: 'Model',
  summary: 'Move attributes to other groups of their objects or to other positions: all of them or none.',
  allow: byGroup('model'),
  body: Type.Object({
    ...account,
    data: Type.Array(
      Type.Object({
        condition: Type.Object({
          ...account,
          bk_obj_id: Type.String({ minLength: 1 }),
          bk_property_id: Type.String({ minLength: 1 }),
        }),
        data: Type.Object({
          bk_property_group: Type.Optional(Type.String({ minLength: 1, description: 'a group of the object' })),
          bk_property_index: Type.Optional(GroupIndex),
        }),
      }),
      { minItems: 1, maxItems: 200 },
    ),
  }),
  refuses: ['unknown'],
  data: Success,
  example: {
    body: {
      data: [
        {
          condition: { bk_obj_id: 'host', bk_property_id: 'bk_comment' },
          data: { bk_property_group: 'auto', bk_property_index: 30 },
        },
      ],
    },
  },
})

export const removeAttributeFromGroup = endpoint({
  name: 'remove_attribute_from_group',
  method: 'DELETE',
  effect: 'write',
  path: '/objectatt/group/owner/:bk_supplier_account/object/:bk_obj_id/propertyids/:bk_property_id/groupids/:bk_group_id',
  area: 'Model',
  summary: 'Move an attribute out of its group: it is then in the group "default".',
  allow: byGroup('model'),
  params: { bk_supplier_account: Account, bk_obj_id: Text, bk_property_id: Text, bk_group_id: Text },
  refuses: ['notFound'],
  data: Success,
  example: {
    params: { bk_supplier_account: '0', bk_obj_id: 'host', bk_property_id: 'bk_comment', bk_group_id: 'auto' },
  },
})

export const searchGroups = endpoint({
  name: 'search_attribute_groups',
  method: 'POST',
  effect: 'read',
  readsPast: true,
  path: '/objectatt/group/property/owner/:bk_supplier_account/object/:bk_obj_id',
  area: 'Model',
  summary: 'List the attribute groups of an object in order.',
  allow: anyone,
  params: { bk_supplier_account: Account, bk_obj_id: Text },
  refuses: ['notFound'],
  data: Type.Array(GroupRecord),
  example: { params: { bk_supplier_account: '0', bk_obj_id: 'host' } },
})
