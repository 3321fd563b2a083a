// What an estate consists of, told by names: the same record means the same thing in another database.
import { model } from '@mainline/contract'
import Type, { type Static, type TSchema } from 'typebox'

const Name = Type.String({ minLength: 1, maxLength: 2_000 })
const Attributes = Type.Record(Type.String(), Type.Unknown())
/** The business by its name; null is the resource pool. */
const InBusiness = Type.Union([Name, Type.Null()])
const PathOfNames = Type.Array(Name, { minItems: 1, maxItems: 20 })

/** In the order in which they must be taken in. */
export const schemas = {
  estate: Type.Object({ is: Type.Literal('estate'), version: Type.Integer() }),
  classification: Type.Object({ is: Type.Literal('classification'), id: Name, name: Name, icon: Type.String() }),
  object: Type.Object({
    is: Type.Literal('object'),
    id: Name,
    name: Name,
    icon: Type.String(),
    classification: Name,
    /** Of a level, the object it stands under. */
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
  role: Type.Object({ is: Type.Literal('role'), object: Name, attribute: Name, privileges: Type.Array(Type.String()) }),
  instance: Type.Object({ is: Type.Literal('instance'), object: Name, name: Name, attributes: Attributes }),
  business: Type.Object({ is: Type.Literal('business'), name: InBusiness, attributes: Attributes }),
  node: Type.Object({ is: Type.Literal('node'), business: InBusiness, path: PathOfNames, attributes: Attributes }),
  host: Type.Object({
    is: Type.Literal('host'),
    business: InBusiness,
    cloud: Name,
    modules: Type.Array(PathOfNames, { minItems: 1, maxItems: 200 }),
    attributes: Attributes,
  }),
  query: Type.Object({ is: Type.Literal('query'), business: InBusiness, name: Name, info: Type.String() }),
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
    /** '' tells that it hears of all businesses. */
    business: Type.Union([Type.String(), Type.Null()]),
    system_name: Type.String(),
    callback_url: Name,
    confirm_mode: Type.String(),
    confirm_pattern: Type.String(),
    timeout: Type.Integer(),
    events: Type.Array(Name),
    queries: Type.Array(Type.Object({ business: InBusiness, name: Name })),
  }),
  /** Last, since it would keep instances from being made that were made before it. */
  required: Type.Object({ is: Type.Literal('required'), object: Name, attribute: Name }),
  paused: Type.Object({ is: Type.Literal('paused'), object: Name }),
} as const satisfies Record<string, TSchema>

export const version = 1

export type Kind = keyof typeof schemas
export type RecordOf<K extends Kind> = Static<(typeof schemas)[K]>
export type AnyRecord = { [K in Kind]: RecordOf<K> }[Kind]

/** What tells a record from others of its kind. */
export function keyOf(record: AnyRecord): string {
  switch (record.is) {
    case 'estate':
      return ''
    case 'classification':
    case 'object':
      return record.id
    case 'attribute_group':
    case 'attribute':
      return JSON.stringify([record.object, record.id])
    case 'role':
    case 'required':
      return JSON.stringify([record.object, record.attribute])
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

/** The names of what differs; attributes one by one. */
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

/** Without regard to the order in which keys were written. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
