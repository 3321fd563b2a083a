/** The part of JSON Schema that the contract uses. */
export interface Schema {
  readonly type?: string
  readonly const?: unknown
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly additionalProperties?: unknown
  /** The type of a value that the model validates. */
  readonly shape?: Schema
  readonly $defs?: Readonly<Record<string, Schema>>
  readonly $ref?: string
}

export interface Field {
  /** Dots separate nested properties; [] marks members of a list. */
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly meaning: string
}

/** A short description of a schema. */
export function typeOf(schema: Schema): string {
  if (schema.shape) return typeOf(schema.shape)
  if (schema.$ref !== undefined) return schema.$ref
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ')
  if (schema.type === 'array') return `list of ${schema.items ? typeOf(schema.items) : 'anything'}`
  return (schema.type ?? 'any') + boundsOf(schema)
}

function boundsOf({ minimum, maximum = Number.MAX_SAFE_INTEGER, maxLength }: Schema): string {
  if (maxLength !== undefined) return ` ≤ ${maxLength.toLocaleString('en')} characters`
  if (maximum < Number.MAX_SAFE_INTEGER) return ` ${minimum ?? 0}–${maximum.toLocaleString('en')}`
  return minimum === undefined ? '' : ` ≥ ${minimum}`
}

/** Trees are recursive. */
const maxShownDepth = 4

/** All properties of a schema, outermost first. */
export function fieldsOf(schema: Schema, prefix = '', depth = 0): Field[] {
  if (depth > maxShownDepth) return []
  if (schema.$defs) return fieldsOf(schema.$defs[schema.$ref ?? ''] ?? {}, prefix, depth)
  if (schema.anyOf) return schema.anyOf.flatMap((each) => fieldsOf(each, prefix, depth))
  if (schema.type === 'array' && schema.items) return fieldsOf(schema.items, `${prefix}[]`, depth)
  const join = (name: string) => (prefix === '' ? name : `${prefix}.${name}`)
  return Object.entries(schema.properties ?? {}).flatMap(([name, each]) => [
    {
      name: join(name),
      type: typeOf(each),
      required: schema.required?.includes(name) ?? false,
      meaning: meaningOf(each),
    },
    ...fieldsOf(each, join(name), depth + 1),
  ])
}

const meaningOf = ({ description = '', maxItems }: Schema) =>
  [description, maxItems === undefined ? '' : `at most ${maxItems.toLocaleString('en')}`].filter(Boolean).join('; ')
