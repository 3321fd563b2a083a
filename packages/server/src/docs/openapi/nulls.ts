import type { JsonSchema } from './json-schema.ts'

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The schema of a request body for clients: null in an optional parameter counts as not sent. */
export function nullableWhereOptional(schema: JsonSchema): JsonSchema {
  const { properties, required, items, anyOf } = schema
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name)
  return {
    ...schema,
    ...(isSchema(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => {
          const inner = isSchema(each) ? nullableWhereOptional(each) : each
          return [name, isRequired(name) || !isSchema(inner) ? inner : orNull(inner)]
        }),
      ),
    }),
    ...(isSchema(items) && { items: nullableWhereOptional(items) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map((each) => (isSchema(each) ? nullableWhereOptional(each) : each)) }),
  }
}

function orNull(schema: JsonSchema): JsonSchema {
  const { type, anyOf, $ref, enum: words } = schema
  if (Array.isArray(type)) return type.includes('null') ? schema : { ...schema, type: [...type, 'null'] }
  if (Array.isArray(anyOf)) {
    const takesNull = anyOf.some((each) => isSchema(each) && each.type === 'null')
    return takesNull ? schema : { ...schema, anyOf: [...anyOf, { type: 'null' }] }
  }
  if (typeof $ref === 'string' || words !== undefined) return { anyOf: [schema, { type: 'null' }] }
  // Without a type any value is valid, null included.
  return typeof type === 'string' ? { ...schema, type: [type, 'null'] } : schema
}
