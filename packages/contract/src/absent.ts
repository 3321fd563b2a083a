// `null` in a parameter means that it was not sent.
import type { TSchema } from 'typebox'

/** The part of JSON Schema that bodies are declared with. */
interface Schema {
  readonly type?: string
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Where null is a value of its own: values of attributes, JSON that is passed on, keys that null clears. */
const takesNull = ({ type, const: only, anyOf }: Schema): boolean =>
  anyOf ? anyOf.some(takesNull) : type === 'null' || (type === undefined && only === undefined)

type Strip = (value: unknown) => unknown
const asItIs: Strip = (value) => value

/**
 * Takes the parameters that are null out of a body, so that one rule holds everywhere: an optional parameter is then absent,
 * and a required one is reported as missing. What the schema does not declare stays.
 */
export const withoutNulls = (schema: TSchema): Strip => stripOf(schema as Schema)

function stripOf({ anyOf, items, patternProperties, properties }: Schema): Strip {
  if (anyOf) return anyOf.map(stripOf).reduce(inTurn, asItIs)
  if (items) {
    const each = stripOf(items)
    return each === asItIs ? asItIs : (value) => (Array.isArray(value) ? value.map(each) : value)
  }
  const [ofAny] = Object.values(patternProperties ?? {})
  if (ofAny) {
    const each = stripOf(ofAny)
    return each === asItIs
      ? asItIs
      : (value) => (isMembers(value) ? mapMembers(value, (_, member) => [each(member)]) : value)
  }
  if (!properties) return asItIs
  const declared = new Map(
    Object.entries(properties).map(([name, each]) => [name, { keepsNull: takesNull(each), strip: stripOf(each) }]),
  )
  const stripMember = (name: string, member: unknown) => {
    const known = declared.get(name)
    if (!known) return [member]
    return member === null && !known.keepsNull ? [] : [known.strip(member)]
  }
  return (value) => (isMembers(value) ? mapMembers(value, stripMember) : value)
}

const inTurn = (first: Strip, second: Strip): Strip => {
  if (first === asItIs) return second
  return second === asItIs ? first : (value) => second(first(value))
}

/** A member is replaced by the one that is answered, or left out. */
const mapMembers = (members: Members, replace: (name: string, member: unknown) => unknown[]): Members =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, member]) => replace(name, member).map((each) => [name, each])),
  )
