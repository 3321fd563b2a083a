import {
  Account,
  Attributes,
  AttributeValue,
  audit,
  businesses,
  ConditionBody,
  favourites,
  hosts,
  Id,
  instances,
  JsonObject,
  JsonValue,
  Loss,
  model,
  modules,
  OptionalPage,
  Page,
  privileges,
  queries,
  selectionOf,
  sets,
  settings,
  subscriptions,
  topology,
  transfer,
} from '@mainline/contract'
import type { TObject, TSchema } from 'typebox'
import type { Spelling } from '../../http/dialect.ts'
import type { JsonSchema } from './json-schema.ts'
import { nullableWhereOptional } from './nulls.ts'

/** Records with selectable fields: `Set` is complete, `SetSelection` partial. */
const selectable = {
  Business: businesses.BusinessRecord,
  Set: sets.SetRecord,
  Module: modules.ModuleRecord,
  Instance: instances.InstanceRecord,
  Host: hosts.HostRecord,
  OperationLog: audit.OperationRecord,
  HostFavorite: favourites.FavouriteRecord,
  HostHistory: favourites.HistoryRecord,
} satisfies Record<string, TObject>

/** Every schema with a name of its own, which other schemas refer to. */
const named: Record<string, TSchema> = {
  ...selectable,
  ...Object.fromEntries(
    Object.entries(selectable).map(([name, record]) => [`${name}Selection`, selectionOf(record as TObject)]),
  ),
  TopologyNode: topology.TopologyNode,
  MainlineObject: topology.ModelNode,
  DeletionPreview: Loss,
  CustomQuery: queries.QueryRecord,
  CustomQueryData: queries.Rows,
  HostRow: queries.HostRow,
  HostFilter: hosts.KindConditions,
  AddHostReport: hosts.AddReport,
  HostAttributes: hosts.HostAttributes,
  UserGroup: privileges.UserGroup,
  GroupPrivilege: privileges.GroupPrivilege,
  UserPrivilege: privileges.UserPrivilege,
  ModelConfig: privileges.ModelConfig,
  SystemConfig: privileges.SystemConfig,
  UserCustom: settings.SettingRecord,
  UserDefaultCustom: settings.DefaultSettingRecord,
  Subscription: subscriptions.SubscriptionRecord,
  DeliveryAttempt: subscriptions.AttemptRecord,
  DeadLetter: subscriptions.DeadLetterRecord,
  Classification: model.ClassificationRecord,
  ModelObject: model.ObjectRecord,
  ModelAttribute: model.AttributeRecord,
  AttributeGroup: model.GroupRecord,
  ImportRow: transfer.RowResult,
  ImportSummary: transfer.Summary,
  ImportFailure: transfer.BrokenOff,
  EstateRecord: transfer.EstateRecord,
  Id,
  Account,
  Condition: ConditionBody,
  Page,
  PartialPage: OptionalPage,
  Attributes,
  AttributeValue,
  JsonObject,
  JsonValue,
}

/** Components used in request bodies only. */
const sentOnly = new Set(['Page', 'PartialPage', 'HostFilter'])

const keyOf = (schema: unknown) => JSON.stringify(schema)
const nameOf = new Map(Object.entries(named).map(([name, schema]) => [keyOf(schema), name]))
export const reference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

/** Converts schemas of the contract to JSON Schema, and collects the named ones. */
export class SchemaWriter {
  readonly #written = new Map<string, JsonSchema>()
  readonly #identifiers: Spelling

  constructor(identifiers: Spelling) {
    this.#identifiers = identifiers
  }

  /** Referenced schemas by name. */
  get components(): Record<string, JsonSchema> {
    const sorted = [...this.#written].toSorted(([one], [other]) => (one < other ? -1 : 1))
    return Object.fromEntries(
      sorted.map(([name, schema]) => [name, sentOnly.has(name) ? nullableWhereOptional(schema) : schema]),
    )
  }

  /** A request body, in which optional parameters may also be null. */
  writeSent(schema: unknown): JsonSchema {
    return nullableWhereOptional(this.write(schema))
  }

  /** Registers a schema under a name. */
  define(name: string, schema: JsonSchema): JsonSchema {
    this.#written.set(name, schema)
    return reference(name)
  }

  write(schema: unknown): JsonSchema {
    const name = nameOf.get(keyOf(schema))
    if (name === undefined) return this.#plain(schema as JsonSchema)
    if (!this.#written.has(name)) {
      // The name first, since a tree refers to itself.
      this.#written.set(name, {})
      this.#written.set(name, this.#plain(schema as JsonSchema))
    }
    return reference(name)
  }

  #plain(schema: JsonSchema): JsonSchema {
    const { $id: _id, shape, spelled, $defs, $ref, patternProperties, description, ...rest } = schema
    const told = description === undefined ? {} : { description }
    if (shape !== undefined) return { ...this.write(shape), ...told }
    const defined = $ref === undefined ? undefined : $defs?.[$ref]
    if (defined !== undefined) return this.#plain(defined)
    if ($ref !== undefined) return reference($ref)
    if (patternProperties !== undefined) {
      const [values] = Object.values(patternProperties)
      return { type: 'object', additionalProperties: this.write(values), ...told }
    }
    if (Array.isArray(rest.anyOf)) return { ...this.#anyOf(rest.anyOf), ...told }
    if (spelled === 'identifier') {
      return { ...rest, maxLength: 64, pattern: this.#identifiers.pattern.source, ...told }
    }
    return { ...this.#keywords(rest), ...told }
  }

  #keywords(schema: JsonSchema): JsonSchema {
    const { const: only, properties, items, allOf, additionalProperties, type, ...rest } = schema
    if (only !== undefined) return { type: typeof only === 'number' ? 'integer' : typeof only, enum: [only] }
    return {
      ...(type !== undefined && { type }),
      ...(type === 'integer' && { format: 'int64' }),
      ...rest,
      ...(properties !== undefined && { properties: this.#each(properties) }),
      ...(items !== undefined && { items: this.write(items) }),
      ...(allOf !== undefined && { allOf: allOf.map((each) => this.write(each)) }),
      ...(additionalProperties !== undefined && { additionalProperties: this.#additional(additionalProperties) }),
    }
  }

  #each = (properties: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, this.write(each)]))

  #additional = (schema: unknown) => (typeof schema === 'object' ? this.write(schema) : schema)

  /** Literals become an enumeration, and null an additional type: client generators handle both better than unions. */
  #anyOf(alternatives: readonly unknown[]): JsonSchema {
    const written = alternatives.map((each) => this.write(each))
    const words = written.flatMap((each) => (Array.isArray(each.enum) && each.type === 'string' ? each.enum : []))
    if (words.length === written.length) return { type: 'string', enum: words }
    const others = written.filter((each) => each.type !== 'null')
    const [one] = others
    const isNullable = others.length < written.length
    if (isNullable && one && others.length === 1 && typeof one.type === 'string' && one.enum === undefined) {
      return { ...one, type: [one.type, 'null'] }
    }
    return { anyOf: written }
  }
}
