// Schemas of the API document as types of Python.
import type { JsonSchema } from '../../packages/server/src/docs/openapi/json-schema.ts'

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const schemasIn = (value: unknown): JsonSchema[] => (Array.isArray(value) ? value.filter(isSchema) : [])
const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []

/** `search_set` is `SearchSet`. */
export const classNameOf = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')

const scalars: Record<string, string> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
  array: 'list[Any]',
  object: 'dict[str, Any]',
}

const reserved = new Set(['is', 'in', 'from', 'not', 'and', 'or', 'if', 'for', 'class', 'def', 'pass', 'with', 'as'])
const isFieldName = (name: string) => /^[A-Za-z][A-Za-z0-9_]*$/.test(name) && !reserved.has(name)

/** Writes types, and keeps the records among them in the order in which they must be declared. */
export class TypeWriter {
  readonly #declared = new Map<string, string>()

  get declarations(): string[] {
    return [...this.#declared.values()]
  }

  /** A component: a record where it is one, otherwise another name for a type. */
  component(name: string, schema: JsonSchema): void {
    if (isRecord(schema)) this.record(name, schema, [])
    else this.#keep(name, `${name}: TypeAlias = ${JSON.stringify(this.type(schema, `${name}Item`))}${docOf(schema)}`)
  }

  /** `name` is what a record gets that has none of its own. */
  type(schema: JsonSchema, name: string): string {
    const { $ref, enum: words, anyOf, oneOf, allOf, type, items, additionalProperties } = schema
    if (typeof $ref === 'string') return $ref.replace('#/components/schemas/', '')
    if (Array.isArray(words)) return `Literal[${words.map(literal).join(', ')}]`
    const alternatives = schemasIn(anyOf ?? oneOf)
    if (alternatives.length > 0)
      return union(alternatives.map((each, index) => this.type(each, `${name}${index || ''}`)))
    if (Array.isArray(allOf)) return this.#merged(name, schemasIn(allOf))
    if (Array.isArray(type)) return union(textsIn(type).map((each) => this.type({ ...schema, type: each }, name)))
    if (isRecord(schema)) return this.record(name, schema, [])
    if (type === 'array' && isSchema(items)) return `list[${this.type(items, name)}]`
    if (type === 'object' && isSchema(additionalProperties)) {
      return `dict[str, ${this.type(additionalProperties, `${name}Value`)}]`
    }
    return typeof type === 'string' ? (scalars[type] ?? 'Any') : 'Any'
  }

  /** A record: its own fields, and with the fields of others. Returns its name. */
  record(name: string, schema: JsonSchema, bases: readonly string[]): string {
    const { properties, required, description } = schema
    const isRequired = (field: string) => textsIn(required).includes(field)
    const fields = Object.entries(isSchema(properties) ? properties : {}).map(([field, each]) => {
      const written = isSchema(each) ? this.type(each, name + classNameOf(field)) : 'Any'
      const about = isSchema(each) && typeof each.description === 'string' ? each.description : undefined
      return { field, type: isRequired(field) ? written : `NotRequired[${written}]`, about }
    })
    const parents = bases.length > 0 ? bases.join(', ') : 'TypedDict'
    if (!fields.every(({ field }) => isFieldName(field))) {
      const members = fields.map(({ field, type }) => `    ${JSON.stringify(field)}: ${JSON.stringify(type)},`)
      return this.#keep(
        name,
        `${name} = TypedDict(\n    "${name}",\n    {\n${members.map((each) => `    ${each}\n`).join('')}    },\n)`,
      )
    }
    const lines = fields.flatMap(({ field, type, about }) => [
      `    ${field}: ${type}`,
      ...(about === undefined ? [] : [`    ${docString(about)}`]),
    ])
    const about = typeof description === 'string' ? [`    ${docString(description)}`] : []
    const inner = about.length + lines.length > 0 ? [...about, ...lines] : ['    pass']
    return this.#keep(name, `class ${name}(${parents}):\n${inner.join('\n')}`)
  }

  /** All of several schemas: a record with the fields of the others. */
  #merged(name: string, parts: readonly JsonSchema[]): string {
    const bases = parts.filter(({ $ref }) => $ref !== undefined).map((each) => this.type(each, name))
    const own = parts.filter(({ $ref }) => $ref === undefined)
    return this.record(name, Object.assign({}, ...own), bases)
  }

  #keep(name: string, declaration: string): string {
    const known = this.#declared.get(name)
    if (known !== undefined && known !== declaration) throw new Error(`two types are called ${name}`)
    this.#declared.set(name, declaration)
    return name
  }
}

/** Attributes of instances are open: users define more of them. */
export const isOpen = ({ additionalProperties, properties }: JsonSchema): boolean =>
  additionalProperties === true && isSchema(properties)

const isRecord = ({ type, properties }: JsonSchema): boolean => type === 'object' && isSchema(properties)

export const docString = (text: string): string =>
  `"""${text.replaceAll('\\', '\\\\').replaceAll('"""', "'''")}${text.endsWith('"') ? ' ' : ''}"""`

const docOf = ({ description }: JsonSchema) => (typeof description === 'string' ? `\n${docString(description)}` : '')

function literal(word: unknown): string {
  if (typeof word === 'boolean') return word ? 'True' : 'False'
  return JSON.stringify(word)
}

function union(types: readonly string[]): string {
  const distinct = [...new Set(types)]
  const known = distinct.includes('Any') ? ['Any'] : distinct
  return [...known.filter((each) => each !== 'None'), ...known.filter((each) => each === 'None')].join(' | ')
}
