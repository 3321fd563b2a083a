// The parameters of an operation's body, as its schema declares them.
import type { TSchema } from 'typebox'

interface Schema {
  readonly type?: string
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

export interface Parameters {
  /** Paths, with dots between nested properties and `[]` for members of a list. */
  readonly optional: readonly string[]
  readonly required: readonly string[]
}

/** Any JSON: a value of an attribute, or JSON that is passed on. There null is a value. */
const isAnything = ({ type, const: only, anyOf }: Schema) =>
  type === undefined && only === undefined && anyOf === undefined

const takesNull = (schema: Schema): boolean => schema.type === 'null' || (schema.anyOf ?? []).some(takesNull)

export function parametersOf(schema: TSchema): Parameters {
  const found = declared(schema as Schema, '')
  const paths = (required: boolean) => found.filter((each) => each.required === required).map((each) => each.path)
  return { optional: paths(false), required: paths(true) }
}

function declared(schema: Schema, at: string): { path: string; required: boolean }[] {
  if (schema.anyOf) return schema.anyOf.flatMap((each) => declared(each, at))
  if (schema.items) return declared(schema.items, `${at}[]`)
  return Object.entries(schema.properties ?? {}).flatMap(([name, each]) => {
    const path = at === '' ? name : `${at}.${name}`
    const own =
      isAnything(each) || takesNull(each) ? [] : [{ path, required: schema.required?.includes(name) ?? false }]
    return [...own, ...declared(each, path)]
  })
}
