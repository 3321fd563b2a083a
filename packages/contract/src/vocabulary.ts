import Type, { type Static, type TLiteral, type TObject, type TProperties, type TSchema } from 'typebox'

/** Above it a JSON number is not exact, and soon exceeds the integers of databases. */
const largest = Number.MAX_SAFE_INTEGER
/** A public id: a positive integer. */
export const Id = Type.Integer({ minimum: 1, maximum: largest })
/** A text parameter of a path. */
export const Text = Type.String({ minLength: 1, maxLength: 128 })
export const longestAccount = 64
export const Account = Type.String({ minLength: 1, maxLength: longestAccount, description: 'supplier account code' })

export const pageLimit = 200
export const defaultLimit = 20

export const Start = Type.Integer({ minimum: 0, maximum: largest, description: 'record offset' })
export const Limit = Type.Integer({ minimum: 1, maximum: pageLimit, description: 'page size' })
export const Sort = Type.String({ maxLength: 1_000, description: 'field, -field for descending, or a comma list' })

/** A page in the path. */
export const pageOfPath = { start: Start, limit: Limit }

export const Page = Type.Object({ start: Start, limit: Limit, sort: Type.Optional(Sort) })
export type Page = Static<typeof Page>
/** A page; all of its parts are optional. */
export const OptionalPage = Type.Partial(Page)

export const operators = [
  '$eq',
  '$ne',
  '$neq',
  '$in',
  '$nin',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$regex',
  '$exists',
] as const
export type Operator = (typeof operators)[number]

/** A value that this schema accepts as it is, since something else validates it (mostly the model), with its shape for the API document. */
export const shaped = (shape: TSchema, description: string) => Type.Unknown({ description, shape })

export const anyJson = Type.Union([
  Type.String(),
  Type.Number(),
  Type.Boolean(),
  Type.Array(Type.Unknown()),
  Type.Record(Type.String(), Type.Unknown()),
  Type.Null(),
])
export const JsonValue = shaped(anyJson, 'any JSON value')
export const JsonObject = Type.Record(Type.String(), JsonValue)

const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])
/** The value of an attribute of an instance. */
export const AttributeValue = shaped(Scalar, 'of the type that the model gives the attribute; null when it is not set')
/** The requested attributes of an instance. */
export const Attributes = Type.Record(Type.String(), AttributeValue)

export const ConditionBody = Type.Record(Type.String(), JsonValue, {
  description: `Fields with a value (equality) or with operators: ${operators.join(' ')}; $or and $and at the top.`,
})
/** Which events are wanted, by the record before and after the change. */
export const EventFilter = Type.Record(Type.String(), JsonValue, {
  description:
    'a condition over `before.<field>`, `after.<field>` and `changed`, the names of the fields that differ: {"changed": {"$in": ["bk_state_name"]}, "after.bk_os_type": 1}. Operators as in searches, except $regex; $or and $and at the top. {} and null mean no filter.',
})
/** Maximum number of requested fields of one kind of record. */
export const mostFields = 500
export const FieldNames = Type.Array(Type.String(), {
  maxItems: mostFields,
  description: 'fields to return; [] returns all, `*` means all fields beside others',
})

/** For records that are always complete, except for their revision. */
export const WithRevision = Type.Array(Type.String(), {
  maxItems: mostFields,
  description: '`bk_revision` adds the revision; all other fields are always returned',
})
export const Revision = Type.Integer({
  minimum: 1,
  description: 'present if requested in `fields`: for the If-Match of a change',
})

/** An id in a body: clients send it as a number or as text. */
export const NumericId = Type.Union([Id, Type.String({ pattern: '^[1-9][0-9]{0,15}$' })])

/** The same, where an impossible id is answered like an unknown one. */
export const AnyNumericId = Type.Union([
  Type.Integer({ minimum: -largest, maximum: largest }),
  Type.String({ pattern: '^-?[0-9]{1,15}$' }),
])

/** Whether a name consists only of white space, of any kind in Unicode. */
export const isBlank = (text: string): boolean => /^[\p{White_Space}\uFEFF]*$/u.test(text)

/** A user-chosen identifier of an object or a classification; its syntax depends on the dialect and is checked by the model. */
const spelling = { minLength: 1, spelled: 'identifier', description: 'unique, ignoring case' }
export const Identifier = Type.String(spelling)
export const ShortIdentifier = Type.String({ ...spelling, maxLength: 64 })

/** An optional key that can be cleared with null. */
export const clearable = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]))

/** An optional attribute in a request body. Its value is checked against the model; null clears it. */
export const attribute = (description: string, shape: TSchema = Type.String()) =>
  Type.Optional(shaped(Type.Union([shape, Type.Null()]), description))

/** A map of attributes of an instance; the model of the account defines which ones exist. */
export const attributesOf = <Known extends TProperties>(known: Known) =>
  Type.Object(known, { additionalProperties: true })

/** Each of the words as its own schema, for a union; a plain map would lose the literal types. */
export const literals = <const Words extends readonly string[]>(words: Words) =>
  words.map((word) => Type.Literal(word)) as unknown as { -readonly [At in keyof Words]: TLiteral<Words[At]> }

/** A moment of the past; parsed by the server, which knows the zone. */
export const momentForms =
  'a time such as `2026-11-18T02:00:00+08:00` (without an offset in the configured zone), a day, a duration back such as `-2h` or `-7d`, or `position:<n>`'
export const MomentText = Type.String({ minLength: 1, maxLength: 64, description: momentForms })

export const Timestamp = Type.String({ description: 'ISO 8601 with milliseconds and offset' })
export const Success = Type.Literal('success')
export const Nothing = Type.Null()

/** The requested fields of a record. */
export const selectionOf = <Properties extends TProperties>(row: TObject<Properties>) =>
  Type.Partial(row, 'additionalProperties' in row ? { additionalProperties: true } : {})

/** A page of records; a search returns only the requested fields. */
export const Found = <Properties extends TProperties>(row: TObject<Properties>) =>
  Type.Object({
    count: Type.Integer({ description: 'how many match, before paging' }),
    info: Type.Array(selectionOf(row)),
  })
