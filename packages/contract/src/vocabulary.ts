import Type, { type Static, type TLiteral, type TObject, type TProperties, type TSchema } from 'typebox'

/** Beyond it a JSON number is no longer exact, and soon no integer of a database. */
const largest = Number.MAX_SAFE_INTEGER
/** A public id: a positive integer. */
export const Id = Type.Integer({ minimum: 1, maximum: largest })
/** A piece of text that names something in a path. */
export const Text = Type.String({ minLength: 1, maxLength: 128 })
export const longestAccount = 64
export const Account = Type.String({ minLength: 1, maxLength: longestAccount, description: 'supplier account code' })

export const pageLimit = 200
export const defaultLimit = 20

export const Start = Type.Integer({ minimum: 0, maximum: largest, description: 'record offset' })
export const Limit = Type.Integer({ minimum: 1, maximum: pageLimit, description: 'page size' })
export const Sort = Type.String({ maxLength: 1_000, description: 'field, -field for descending, or a comma list' })

/** A page named by the path. */
export const pageOfPath = { start: Start, limit: Limit }

export const Page = Type.Object({ start: Start, limit: Limit, sort: Type.Optional(Sort) })
export type Page = Static<typeof Page>
/** A page whose parts may all be left out. */
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

/**
 * A value that this schema lets pass whatever it is, since something else decides (mostly the model), and what it is
 * according to the API document.
 */
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
/** Attributes of an instance, those that were asked for. */
export const Attributes = Type.Record(Type.String(), AttributeValue)

export const ConditionBody = Type.Record(Type.String(), JsonValue, {
  description: `Fields with a value (equality) or with operators: ${operators.join(' ')}; $or and $and at the top.`,
})
export const FieldNames = Type.Array(Type.String(), { maxItems: 500, description: 'fields to return; [] returns all' })

/** An id in a body: clients send it as a number or as text. */
export const NumericId = Type.Union([Id, Type.String({ pattern: '^[1-9][0-9]{0,15}$' })])

/** The same where an id that cannot be is answered as one that is not there. */
export const AnyNumericId = Type.Union([
  Type.Integer({ minimum: -largest, maximum: largest }),
  Type.String({ pattern: '^-?[0-9]{1,15}$' }),
])

/** Whether nothing of a name is left once its white space is trimmed, whichever Unicode has. */
export const isBlank = (text: string): boolean => /^[\p{White_Space}\uFEFF]*$/u.test(text)

/** What users call an object or a classification that they create: `spelled` as the dialect wants it, which is checked by the model. */
const spelling = { minLength: 1, spelled: 'identifier', description: 'unique whatever the case of its letters' }
export const Identifier = Type.String(spelling)
export const ShortIdentifier = Type.String({ ...spelling, maxLength: 64 })

/** A key that may be left out, or cleared with null. */
export const clearable = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]))

/** An attribute in a request body that may be left out. Its value is checked against the model; null clears it. */
export const attribute = (description: string, shape: TSchema = Type.String()) =>
  Type.Optional(shaped(Type.Union([shape, Type.Null()]), description))

/** A map of attributes of an instance; which ones there are is told by the model, not by this schema. */
export const attributesOf = <Known extends TProperties>(known: Known) =>
  Type.Object(known, { additionalProperties: true })

/** Each of the words as a schema of its own, for a union; a plain map would forget in its type which they are. */
export const literals = <const Words extends readonly string[]>(words: Words) =>
  words.map((word) => Type.Literal(word)) as unknown as { -readonly [At in keyof Words]: TLiteral<Words[At]> }

export const Timestamp = Type.String({ description: 'ISO 8601 with milliseconds and offset' })
export const Success = Type.Literal('success')
export const Nothing = Type.Null()

/** The fields of a record that were asked for. */
export const selectionOf = <Properties extends TProperties>(row: TObject<Properties>) =>
  Type.Partial(row, 'additionalProperties' in row ? { additionalProperties: true } : {})

/** A page of records; a search returns only the fields that were asked for. */
export const Found = <Properties extends TProperties>(row: TObject<Properties>) =>
  Type.Object({
    count: Type.Integer({ description: 'how many match, before paging' }),
    info: Type.Array(selectionOf(row)),
  })
