// The record schemas of an estate file. Records refer to each other by name, so they mean the same in another database.
import { associations, literals, model } from '@mainline/contract'
import Type, { type Static, type TSchema } from 'typebox'

const Name = Type.String({ minLength: 1, maxLength: 2_000 })
const Attributes = Type.Record(Type.String(), Type.Unknown())
/** The business by its name; null is the resource pool. */
const BusinessName = Type.Union([Name, Type.Null()])
/** An instance beside the main line, a host, or a business and what is below it, to which the path leads. */
const End = Type.Union([
  Type.Object({ object: Name, name: Name }),
  Type.Object({ cloud: Name, ip: Name }),
  Type.Object({ business: BusinessName, path: Type.Array(Name, { maxItems: 20 }) }),
])
export type EndRecord = Static<typeof End>
const PathOfNames = Type.Array(Name, { minItems: 1, maxItems: 20 })

/** In the order in which they must be imported. */
export const schemas = {
  estate: Type.Object({ is: Type.Literal('estate'), version: Type.Integer() }),
  classification: Type.Object({ is: Type.Literal('classification'), id: Name, name: Name, icon: Type.String() }),
  object: Type.Object({
    is: Type.Literal('object'),
    id: Name,
    name: Name,
    icon: Type.String(),
    classification: Name,
    /** Of a level: the object above it. */
    above: Type.Union([Name, Type.Null()]),
  }),
  attribute_group: Type.Object({
    is: Type.Literal('attribute_group'),
    object: Name,
    id: Name,
    name: Name,
    index: model.GroupIndex,
  }),
  attribute: Type.Object({
    is: Type.Literal('attribute'),
    object: Name,
    id: Name,
    name: Name,
    type: Name,
    group: Name,
    option: Type.Unknown(),
    unit: Type.String(),
    placeholder: Type.String(),
    editable: Type.Boolean(),
    searchable: Type.Boolean(),
  }),
  association_kind: Type.Object({
    is: Type.Literal('association_kind'),
    id: Name,
    name: Type.String(),
    source_note: Type.String(),
    target_note: Type.String(),
    direction: Type.Union(literals(associations.directions)),
  }),
  object_association: Type.Object({
    is: Type.Literal('object_association'),
    id: Name,
    name: Type.String(),
    source: Name,
    target: Name,
    kind: Name,
    mapping: Type.Union(literals(associations.mappings)),
    on_delete: Type.Union(literals(associations.deletions)),
  }),
  unique: Type.Object({
    is: Type.Literal('unique'),
    object: Name,
    attributes: Type.Array(Name, { minItems: 1, maxItems: 10 }),
    must_check: Type.Boolean(),
  }),
  role: Type.Object({ is: Type.Literal('role'), object: Name, attribute: Name, privileges: Type.Array(Type.String()) }),
  instance: Type.Object({ is: Type.Literal('instance'), object: Name, name: Name, attributes: Attributes }),
  business: Type.Object({ is: Type.Literal('business'), name: BusinessName, attributes: Attributes }),
  node: Type.Object({ is: Type.Literal('node'), business: BusinessName, path: PathOfNames, attributes: Attributes }),
  host: Type.Object({
    is: Type.Literal('host'),
    business: BusinessName,
    cloud: Name,
    modules: Type.Array(PathOfNames, { minItems: 1, maxItems: 200 }),
    attributes: Attributes,
  }),
  association: Type.Object({ is: Type.Literal('association'), association: Name, source: End, target: End }),
  query: Type.Object({ is: Type.Literal('query'), business: BusinessName, name: Name, info: Type.String() }),
  group: Type.Object({
    is: Type.Literal('group'),
    name: Name,
    users: Type.String(),
    gives: Type.Object({
      global_busi: Type.Array(Type.String()),
      back_config: Type.Array(Type.String()),
      model_config: Type.Record(Type.String(), Type.Record(Type.String(), Type.Array(Type.String()))),
    }),
  }),
  subscription: Type.Object({
    is: Type.Literal('subscription'),
    name: Name,
    /** '' if it receives the events of all businesses. */
    business: Type.Union([Type.String(), Type.Null()]),
    system_name: Type.String(),
    callback_url: Name,
    confirm_mode: Type.String(),
    confirm_pattern: Type.String(),
    timeout: Type.Integer(),
    events: Type.Array(Name),
    queries: Type.Array(Type.Object({ business: BusinessName, name: Name })),
    /** Absent in files of earlier releases, and without one. */
    filter: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    /** Absent for what is usual. */
    parallel: Type.Optional(Type.Integer()),
    format: Type.Optional(Type.String()),
    batch: Type.Optional(Type.Object({ max: Type.Integer(), wait_ms: Type.Integer() })),
  }),
  /** Imported last: a required attribute would refuse older instances without a value. */
  required: Type.Object({ is: Type.Literal('required'), object: Name, attribute: Name }),
  paused: Type.Object({ is: Type.Literal('paused'), object: Name }),
} as const satisfies Record<string, TSchema>

export const version = 1

export type RecordKind = keyof typeof schemas
export type RecordOf<K extends RecordKind> = Static<(typeof schemas)[K]>
export type AnyRecord = { [K in RecordKind]: RecordOf<K> }[RecordKind]

/** An association by the names of its ends. */
export const associationKey = ({ association, source, target }: RecordOf<'association'>): string =>
  JSON.stringify([association, endKey(source), endKey(target)])

export function endKey(end: EndRecord): unknown[] {
  if ('object' in end) return [end.object, end.name]
  return 'ip' in end ? [end.cloud, end.ip] : [end.business, end.path]
}

/** The key that identifies a record within its kind. */
export function keyOf(record: AnyRecord): string {
  switch (record.is) {
    case 'estate':
      return ''
    case 'classification':
    case 'object':
    case 'association_kind':
    case 'object_association':
      return record.id
    case 'association':
      return associationKey(record)
    case 'attribute_group':
    case 'attribute':
      return JSON.stringify([record.object, record.id])
    case 'role':
    case 'required':
      return JSON.stringify([record.object, record.attribute])
    case 'unique':
      return JSON.stringify([record.object, ...record.attributes])
    case 'instance':
      return JSON.stringify([record.object, record.name])
    case 'business':
      return JSON.stringify(record.name)
    case 'node':
      return JSON.stringify([record.business, record.path])
    case 'host':
      return JSON.stringify([record.cloud, record.attributes.bk_host_innerip])
    case 'query':
      return JSON.stringify([record.business, record.name])
    case 'group':
    case 'subscription':
      return record.name
    case 'paused':
      return record.object
  }
}

/** The names of fields that differ; attributes one by one. */
export function differences(one: AnyRecord, other: AnyRecord): string[] {
  const names = (record: AnyRecord): Map<string, string> => {
    const { attributes = {}, ...rest } = record as AnyRecord & { attributes?: Record<string, unknown> }
    const entries = Object.entries(rest).map(([name, value]) => [name, canonical(value)] as const)
    const own = Object.entries(attributes)
      .filter(([, value]) => value !== null && value !== '')
      .map(([name, value]) => [name, canonical(value)] as const)
    return new Map([...entries, ...own])
  }
  const [mine, theirs] = [names(one), names(other)]
  return [...new Set([...mine.keys(), ...theirs.keys()])].filter((name) => mine.get(name) !== theirs.get(name))
}

/** Ignores the order of keys. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
