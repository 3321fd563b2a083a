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

/** Where null is a value: attributes, JSON that is passed on, keys that null clears. */
const takesNull = ({ type, const: only, anyOf }: Schema): boolean =>
  anyOf ? anyOf.some(takesNull) : type === 'null' || (type === undefined && only === undefined)

type Strip = (value: unknown) => unknown
const asItIs: Strip = (value) => value

/**
 * Removes null parameters from a body, so that one rule applies everywhere: an optional parameter is then absent, and a required one is reported as
 * missing. Undeclared properties are kept.
 */
export const withoutNulls = (schema: TSchema): Strip => stripOf(schema as Schema)

function stripOf({ anyOf, items, patternProperties, properties }: Schema): Strip {
  if (anyOf) return anyOf.map(stripOf).reduce(inTurn, asItIs)
  if (items) {
    const each = stripOf(items)
    return each === asItIs ? asItIs : (value) => (Array.isArray(value) ? mapItems(value, each) : value)
  }
  const [ofAny] = Object.values(patternProperties ?? {})
  if (ofAny) {
    const each = stripOf(ofAny)
    return each === asItIs
      ? asItIs
      : (value) => (isMembers(value) ? mapMembers(value, (_, member) => each(member)) : value)
  }
  if (!properties) return asItIs
  const declared = new Map(
    Object.entries(properties).map(([name, each]) => [name, { keepsNull: takesNull(each), strip: stripOf(each) }]),
  )
  const stripMember = (name: string, member: unknown) => {
    const known = declared.get(name)
    if (!known) return member
    return member === null && !known.keepsNull ? undefined : known.strip(member)
  }
  return (value) => (isMembers(value) ? mapMembers(value, stripMember) : value)
}

const inTurn = (first: Strip, second: Strip): Strip => {
  if (first === asItIs) return second
  return second === asItIs ? first : (value) => second(first(value))
}

/**
 * Replaces members by the returned value, or removes them if it is undefined. Copies only if there is a difference: nearly all requests contain no
 * null.
 */
function mapMembers(members: Members, replace: (name: string, member: unknown) => unknown): Members {
  let copy: Record<string, unknown> | undefined
  for (const name of Object.keys(members)) {
    const replaced = replace(name, members[name])
    if (replaced === members[name]) continue
    copy ??= { ...members }
    if (replaced === undefined) delete copy[name]
    else copy[name] = replaced
  }
  return copy ?? members
}

function mapItems(items: readonly unknown[], each: Strip): readonly unknown[] {
  const mapped = items.map(each)
  return mapped.every((item, index) => item === items[index]) ? items : mapped
}
