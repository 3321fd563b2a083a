// Bodies generated from the schemas of the contract, most of them valid and some slightly wrong.
import type { Endpoint } from '@mainline/contract'
import fc from 'fast-check'
import { anything, condition, info, number, text } from './values.ts'

interface Schema {
  readonly type?: string
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly properties?: Record<string, Schema>
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
  readonly patternProperties?: Record<string, Schema>
  readonly items?: Schema
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
}

/** A placeholder for an id that is known when the request is sent. */
export class Known {
  readonly name: string
  readonly nth: number
  constructor(name: string, nth: number) {
    this.name = name
    this.nth = nth
  }
}
const isIdName = (name: string) => /(^|_)ids?$/.test(name)
const known = (name: string) => fc.nat(20).map((nth) => new Known(name.replace(/ids$/, 'id'), nth))

/** Names of attributes, and keys with a special meaning somewhere. */
export function namesIn(endpoints: readonly Endpoint[]): string[] {
  const names = new Set<string>()
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, inner] of Object.entries(value)) {
      if (/^[a-z_]{2,}$/.test(name)) names.add(name)
      look(inner)
    }
  }
  for (const { example, data, body } of endpoints) {
    look(example?.body)
    look((data as Schema).properties)
    look((body as Schema).properties)
  }
  return [...names].toSorted()
}

/** Bodies of the endpoint by its schema; undefined if it has none. */
export function bodyOf(endpoint: Endpoint, field: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  if (!endpoint.hasBody) return fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, anything)
  return drawnValue(endpoint.body as Schema, 'body', field)
}

function drawnValue(schema: Schema, name: string, field: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 9, arbitrary: rightValue(schema, name, field) }, { weight: 1, arbitrary: anything })
}

function rightValue(schema: Schema, name: string, field: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  if (/^(condition|cond)$/.test(name) && schema.type !== 'array') return condition(field)
  if (/^(info|query_params)$/.test(name))
    return info(field).chain((value) => fc.constantFrom(value, JSON.stringify(value)))
  if (isIdName(name) && schema.type !== 'array' && schema.type !== 'object') return known(name)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => rightValue(each, name, field)))
  if (schema.const !== undefined) return fc.constant(schema.const)
  switch (schema.type) {
    case 'object':
      return objectOf(schema, field)
    case 'array':
      return fc.array(drawnValue(schema.items ?? {}, name, field), { minLength: schema.minItems ?? 0, maxLength: 4 })
    case 'integer':
    case 'number':
      return fc.integer({
        min: schema.minimum ?? -5,
        max: Math.min(schema.maximum ?? 1_000, (schema.minimum ?? 0) + 500),
      })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'string':
      return fc.oneof(field, text, fc.constantFrom('a', 'name 1', '1', 'admin'))
    default:
      return fc.oneof(text, number, fc.constantFrom<unknown>('1', 1, true, null, 'admin', 'UTC', '10.1.2.3'))
  }
}

function objectOf(schema: Schema, field: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const rows = Object.values(schema.patternProperties ?? {})[0]
  if (rows)
    return fc.dictionary(
      fc.oneof(fc.constantFrom('1', '2', '0', '-1', 'x'), field, text),
      drawnValue(rows, '', field),
      {
        maxKeys: 3,
      },
    )
  const properties = Object.entries(schema.properties ?? {})
  const parts = Object.fromEntries(properties.map(([name, inner]) => [name, drawnValue(inner, name, field)]))
  const declared = fc.record(parts, { requiredKeys: [...(schema.required ?? [])] })
  if (schema.additionalProperties !== true) return declared
  const more = fc.dictionary(fc.oneof({ weight: 5, arbitrary: field }, text), fc.oneof(text, number, anything), {
    maxKeys: 3,
  })
  return fc.tuple(declared, more).map(([own, others]) => ({ ...others, ...own }))
}
