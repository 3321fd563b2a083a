import Type, { type Static } from 'typebox'
import { anyone, byGroup, ofAssociation, ofInstances, ofNewAssociation } from './allow.ts'
import { endpoint } from './endpoint.ts'
import { InstanceRecord } from './instances.ts'
import {
  Account,
  AnyNumericId,
  ConditionBody,
  FieldNames,
  Found,
  Id,
  JsonValue,
  Limit,
  literals,
  NumericId,
  OptionalPage,
  Start,
  Success,
  Text,
} from './vocabulary.ts'

export const directions = ['none', 'src_to_dest', 'dest_to_src', 'bidirectional'] as const
/** The cardinality: how many targets a source may have, and how many sources a target. */
export const mappings = ['1:1', '1:n', 'n:n'] as const
export type Mapping = (typeof mappings)[number]
export const deletions = ['none', 'delete_src', 'delete_dest'] as const
export type Deletion = (typeof deletions)[number]

const Direction = Type.Union(literals(directions), { description: 'how it is drawn' })
const MappingOf = Type.Union(literals(mappings), {
  description: 'how many targets a source, and how many sources a target may have',
})
const OnDelete = Type.Union(literals(deletions), {
  description:
    'none: neither end can be deleted while associated; delete_src, delete_dest: the named end is deleted with the other one, and may itself be deleted at any time',
})
const Note = Type.Optional(Type.String({ description: 'at most 256 bytes' }))

export const KindRecord = Type.Object({
  id: Type.Integer(),
  bk_asst_id: Type.String(),
  bk_asst_name: Type.String(),
  bk_supplier_account: Type.String(),
  src_des: Type.String({ description: 'how the source is related to the target' }),
  dest_des: Type.String({ description: 'how the target is related to the source' }),
  direction: Direction,
  ispre: Type.Boolean({ description: 'built in: can be neither changed nor deleted' }),
})
export type KindRecord = Static<typeof KindRecord>

export const ObjectAssociationRecord = Type.Object({
  id: Type.Integer({ description: 'negative for associations of the main line, which follow from the levels' }),
  bk_supplier_account: Type.String(),
  bk_obj_asst_id: Type.String(),
  bk_obj_asst_name: Type.String(),
  bk_obj_id: Type.String({ description: 'the source' }),
  bk_asst_obj_id: Type.String({ description: 'the target' }),
  bk_asst_id: Type.String({ description: 'the association kind' }),
  mapping: MappingOf,
  on_delete: OnDelete,
  ispre: Type.Boolean({ description: 'built in: can be neither changed nor deleted' }),
})
export type ObjectAssociationRecord = Static<typeof ObjectAssociationRecord>

const one = { id: Id }
/** The default cloud area has the id 0. */
const InstanceId = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Identifier = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[A-Za-z][A-Za-z0-9_]*$',
  description: 'letters, digits and _, a letter first; unique, ignoring case',
})

export const searchKinds = endpoint({
  name: 'search_association_kind',
  method: 'POST',
  effect: 'read',
  readsPast: true,
  path: '/topo/association/type/action/search',
  area: 'Associations',
  summary: 'Search association kinds: what an association means, such as "runs on".',
  allow: anyone,
  body: Type.Object({
    condition: Type.Optional(ConditionBody),
    page: Type.Optional(Type.Partial(Type.Object({ start: Start, limit: Limit }))),
  }),
  data: Found(KindRecord),
  example: { body: { condition: { ispre: true } } },
})

export const createKind = endpoint({
  name: 'create_association_kind',
  method: 'POST',
  effect: 'write',
  path: '/topo/association/type/action/create',
  area: 'Associations',
  summary: 'Create an association kind.',
  allow: byGroup('model'),
  body: Type.Object({
    bk_asst_id: Identifier,
    bk_asst_name: Note,
    src_des: Note,
    dest_des: Note,
    direction: Type.Optional(Direction),
  }),
  refuses: ['outOfBounds', 'duplicate', 'tooMany'],
  data: KindRecord,
  example: {
    body: {
      bk_asst_id: 'backup',
      bk_asst_name: 'Backup',
      src_des: 'backs up',
      dest_des: 'is backed up by',
      direction: 'src_to_dest',
    },
  },
})

export const updateKind = endpoint({
  name: 'update_association_kind',
  method: 'PUT',
  effect: 'write',
  path: '/topo/association/type/:id/action/update',
  area: 'Associations',
  summary: 'Update the texts or the direction of an association kind.',
  allow: byGroup('model'),
  params: one,
  body: Type.Object({ bk_asst_name: Note, src_des: Note, dest_des: Note, direction: Type.Optional(Direction) }),
  refuses: ['notFound', 'outOfBounds', 'presetAssociationKind'],
  data: Success,
  example: { params: { id: 101 }, body: { bk_asst_name: 'Backup copy' } },
})

export const deleteKind = endpoint({
  name: 'delete_association_kind',
  method: 'DELETE',
  effect: 'write',
  path: '/topo/association/type/:id/action/delete',
  area: 'Associations',
  summary: 'Delete an association kind that no association of objects uses.',
  allow: byGroup('model'),
  params: one,
  refuses: ['notFound', 'presetAssociationKind', 'associationKindInUse'],
  data: Success,
  example: { params: { id: 101 } },
})

export const searchByKinds = endpoint({
  name: 'search_object_association_by_kind',
  method: 'POST',
  effect: 'read',
  readsPast: true,
  path: '/topo/association/type/action/search/batch',
  area: 'Associations',
  summary: 'The associations of objects of several kinds.',
  allow: anyone,
  body: Type.Object({ asst_ids: Type.Array(Type.String(), { maxItems: 200, description: 'association kinds' }) }),
  data: Type.Object({
    associations: Type.Array(Type.Object({ bk_asst_id: Type.String(), assts: Type.Array(ObjectAssociationRecord) })),
  }),
  example: { body: { asst_ids: ['connect'] } },
})

export const createObjectAssociation = endpoint({
  name: 'create_object_association',
  method: 'POST',
  effect: 'write',
  path: '/object/association/action/create',
  area: 'Associations',
  summary: 'Declare that instances of two objects may be associated.',
  allow: byGroup('model'),
  body: Type.Object({
    bk_obj_asst_id: Type.Optional(
      Type.String({
        maxLength: 256,
        description: 'unique; default: source, kind and target, joined by _',
      }),
    ),
    bk_obj_asst_name: Note,
    bk_obj_id: Type.String({ minLength: 1, description: 'the source' }),
    bk_asst_obj_id: Type.String({ minLength: 1, description: 'the target' }),
    bk_asst_id: Type.String({ minLength: 1, description: 'the association kind' }),
    mapping: Type.Optional(MappingOf),
    on_delete: Type.Optional(OnDelete),
  }),
  refuses: ['outOfBounds', 'unknown', 'duplicate', 'objectsAssociated', 'mainLineKind', 'tooMany'],
  data: ObjectAssociationRecord,
  example: {
    body: {
      bk_obj_id: 'bk_switch',
      bk_asst_obj_id: 'host',
      bk_asst_id: 'connect',
      bk_obj_asst_name: 'uplink',
      mapping: '1:n',
      on_delete: 'none',
    },
  },
})

export const searchObjectAssociations = endpoint({
  name: 'search_object_association',
  method: 'POST',
  effect: 'read',
  readsPast: true,
  path: '/object/association/action/search',
  area: 'Associations',
  summary: 'Search associations of objects, those of the main line included.',
  allow: anyone,
  body: Type.Object({ condition: Type.Optional(ConditionBody) }),
  data: Type.Array(ObjectAssociationRecord),
  example: { body: { condition: { bk_obj_id: 'bk_switch' } } },
})

export const updateObjectAssociation = endpoint({
  name: 'update_object_association',
  method: 'PUT',
  effect: 'write',
  path: '/object/association/:id/action/update',
  area: 'Associations',
  summary: 'Update the name, the kind or the deletion rule of an association of objects.',
  allow: byGroup('model'),
  params: one,
  body: Type.Object(
    {
      bk_obj_asst_name: Note,
      bk_asst_id: Type.Optional(Type.String({ description: 'the association kind' })),
      on_delete: Type.Optional(OnDelete),
    },
    { additionalProperties: true },
  ),
  refuses: ['noObjectAssociation', 'outOfBounds', 'unknown', 'objectsAssociated', 'mainLineKind', 'associationFixed'],
  data: Success,
  example: { params: { id: 1 }, body: { bk_obj_asst_name: 'uplinks' } },
})

export const InstanceAssociationRecord = Type.Object({
  id: Type.Integer(),
  bk_supplier_account: Type.String(),
  bk_obj_asst_id: Type.String({ description: 'the association of the objects' }),
  bk_asst_id: Type.String({ description: 'the association kind' }),
  bk_obj_id: Type.String(),
  bk_inst_id: Type.Integer({ description: 'the source' }),
  bk_asst_obj_id: Type.String(),
  bk_asst_inst_id: Type.Integer({ description: 'the target' }),
})
export type InstanceAssociationRecord = Static<typeof InstanceAssociationRecord>

/** Maximum number of records without a page; more are refused. */
export const mostAssociations = 2_000
const Listing = Type.Partial(Type.Object({ start: Start, limit: Limit }), {
  description: `without a limit all of them, if these are at most ${mostAssociations}`,
})

export const createInstanceAssociation = endpoint({
  name: 'create_instance_association',
  method: 'POST',
  effect: 'write',
  path: '/inst/association/action/create',
  area: 'Associations',
  summary: 'Associate two instances, as an association of their objects allows.',
  allow: ofNewAssociation,
  body: Type.Object({
    bk_obj_asst_id: Type.String({ minLength: 1, description: 'the association of the objects' }),
    bk_inst_id: AnyNumericId,
    bk_asst_inst_id: AnyNumericId,
  }),
  refuses: [
    'noObjectAssociation',
    'noSourceInstance',
    'noTargetInstance',
    'oneToOne',
    'oneToMany',
    'duplicate',
    'modelPaused',
  ],
  data: InstanceAssociationRecord,
  example: { body: { bk_obj_asst_id: 'bk_switch_connect_host', bk_inst_id: 20, bk_asst_inst_id: 1 } },
})

export const searchInstanceAssociations = endpoint({
  name: 'search_instance_association',
  method: 'POST',
  effect: 'read',
  readsPast: true,
  path: '/inst/association/action/search',
  area: 'Associations',
  summary: 'Search associations of instances, between objects whose instances the caller may search.',
  allow: anyone,
  body: Type.Object({ condition: Type.Optional(ConditionBody), page: Type.Optional(Listing) }),
  refuses: ['tooMany'],
  data: Type.Array(InstanceAssociationRecord),
  example: { body: { condition: { bk_obj_id: 'bk_switch', bk_inst_id: 20 } } },
})

export const searchRelated = endpoint({
  name: 'search_related_instance_association',
  method: 'POST',
  effect: 'read',
  readsPast: true,
  path: '/inst/association/related/action/search',
  area: 'Associations',
  summary: 'The associations in which an instance is the source or the target.',
  allow: anyone,
  body: Type.Object({
    condition: Type.Object({ bk_obj_id: Type.String({ minLength: 1 }), bk_inst_id: NumericId }),
    page: Type.Optional(Listing),
  }),
  refuses: ['tooMany'],
  data: Type.Array(InstanceAssociationRecord),
  example: { body: { condition: { bk_obj_id: 'host', bk_inst_id: 1 } } },
})

/** A condition on instances of one object, as clients of the original send it. */
const FieldConditions = Type.Array(
  Type.Object({ field: Type.String({ minLength: 1 }), operator: Type.String(), value: JsonValue }),
  {
    maxItems: 100,
    description: 'all of which must be met, with the operators of other conditions: $eq, $in, $regex, …',
  },
)

export const searchByAssociation = endpoint({
  name: 'search_inst_by_association',
  method: 'POST',
  effect: 'read',
  readsPast: true,
  path: '/inst/association/search/owner/:bk_supplier_account/object/:bk_obj_id',
  area: 'Associations',
  summary:
    'Search instances of an object by their own fields, and by those of instances that they are associated with.',
  allow: ofInstances('search'),
  params: { bk_supplier_account: Account, bk_obj_id: Text },
  body: Type.Partial(
    Type.Object({
      page: OptionalPage,
      fields: Type.Record(Type.String(), FieldNames, {
        description: 'by bk_obj_id; those of the object itself are answered',
      }),
      condition: Type.Record(Type.String(), FieldConditions, {
        description:
          'by bk_obj_id; for another object, of at most 10, the instance is associated with one that meets them',
      }),
    }),
  ),
  refuses: ['modelNotFound'],
  data: Found(InstanceRecord),
  example: {
    params: { bk_supplier_account: '0', bk_obj_id: 'bk_switch' },
    body: {
      page: { start: 0, limit: 10, sort: 'bk_inst_id' },
      fields: {},
      condition: { bk_switch: [{ field: 'bk_inst_name', operator: '$regex', value: 'spine' }] },
    },
  },
})

const Instance = {
  bk_obj_id: Type.String(),
  bk_inst_id: Type.Integer(),
  bk_inst_name: Type.String({ description: 'of a host its inner addresses' }),
}

const Neighbour = Type.Object({
  ...Instance,
  id: Type.String({ description: 'bk_inst_id as text' }),
  bk_obj_name: Type.String(),
  bk_obj_icon: Type.String(),
  asso_id: Type.Integer({ description: 'the association of the instances; 0 in a group' }),
})
const NeighbourGroup = Type.Object({
  ...Neighbour.properties,
  count: Type.Integer({ description: 'how many there are, listed or not' }),
  children: Type.Array(Neighbour),
})

export const searchInstanceTopology = endpoint({
  name: 'search_inst_association_topo',
  method: 'POST',
  effect: 'read',
  readsPast: true,
  path: '/inst/association/topo/search/owner/:bk_supplier_account/object/:bk_obj_id/inst/:bk_inst_id',
  area: 'Associations',
  summary:
    'What an instance is associated with, by object: sources in `prev`, targets in `next`, at most 200 of each object and 2,000 in each list.',
  allow: anyone,
  params: { bk_supplier_account: Account, bk_obj_id: Text, bk_inst_id: InstanceId },
  refuses: ['notFound'],
  data: Type.Array(
    Type.Object({ curr: Neighbour, prev: Type.Array(NeighbourGroup), next: Type.Array(NeighbourGroup) }),
  ),
  example: { params: { bk_supplier_account: '0', bk_obj_id: 'bk_switch', bk_inst_id: 20 } },
})

export const impactDirections = ['up', 'down', 'both'] as const
export type ImpactDirection = (typeof impactDirections)[number]
export const deepestImpact = 6
/** Maximum number of instances in one answer. */
export const mostImpact = 1_000

const Step = Type.Object({
  ...Instance,
  through: Type.String({ description: 'bk_mainline, placement, or the bk_obj_asst_id of an association' }),
})

export const getImpact = endpoint({
  name: 'get_impact',
  method: 'GET',
  effect: 'read',
  readsPast: true,
  path: '/impact/:bk_obj_id/:bk_inst_id',
  area: 'Associations',
  summary:
    'What is reached from an instance over the main line, placement and associations, each with the shortest way to it.',
  allow: anyone,
  params: { bk_obj_id: Text, bk_inst_id: InstanceId },
  query: {
    direction:
      'down (default): to children, to hosts in modules, and from sources to targets; up: the other way; both: either of them, not one after the other',
    depth: `1 to ${deepestImpact}, default 3: how many steps`,
    limit: `1 to ${mostImpact}, default 200: how many instances, the nearest first`,
  },
  refuses: ['notFound', 'invalid'],
  data: Type.Object({
    start: Type.Object(Instance),
    count: Type.Integer({ description: 'how many are answered' }),
    truncated: Type.Boolean({ description: 'there are more than `limit`' }),
    info: Type.Array(
      Type.Object({
        ...Instance,
        bk_biz_id: Type.Integer({ description: '0 outside any business' }),
        direction: Type.Union(literals(['up', 'down'])),
        depth: Type.Integer(),
        path: Type.Array(Step, { description: 'the steps that lead to it, itself the last' }),
      }),
    ),
  }),
  example: { params: { bk_obj_id: 'bk_switch', bk_inst_id: 20 }, query: { direction: 'down', depth: '2' } },
})

export const deleteInstanceAssociation = endpoint({
  name: 'delete_instance_association',
  method: 'DELETE',
  effect: 'write',
  path: '/inst/association/:association_id/action/delete',
  area: 'Associations',
  summary: 'Delete an association of two instances; the instances stay.',
  allow: ofAssociation,
  params: { association_id: Id },
  refuses: ['notFound'],
  data: Success,
  example: { params: { association_id: 1 } },
})

export const deleteObjectAssociation = endpoint({
  name: 'delete_object_association',
  method: 'DELETE',
  effect: 'write',
  path: '/object/association/:id/action/delete',
  area: 'Associations',
  summary: 'Delete an association of objects that no instances use.',
  allow: byGroup('model'),
  params: one,
  refuses: ['noObjectAssociation', 'associationInUse'],
  data: Success,
  example: { params: { id: 1 } },
})
