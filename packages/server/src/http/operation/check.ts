import { type Endpoint, type Problem, problem, type Rule, rule } from '@mainline/contract'
import Type, { type TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { type OriginalPath, shortenLists } from '../bodies/shorten-lists.ts'

/** Path parameters as the endpoint declares them. */
export type ReadParams = (raw: Record<string, string>) => Record<string, unknown>

export function paramsOf({ params: declared }: Endpoint): ReadParams {
  const readers = Object.entries(declared).map(([name, schema]) => {
    const read = Type.IsInteger(schema) ? readInteger : readText
    return { name, read: (text: string) => read(name, text, schema) }
  })
  return (raw) => {
    const params: Record<string, unknown> = {}
    for (const { name, read } of readers) params[name] = read(raw[name] ?? '')
    return params
  }
}

/** Of the schema of a parameter. */
interface Keywords {
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
}

/** An id out of range is reported as an invalid id; for the two numbers of a page the error names the allowed range, as in a body. */
function readInteger(field: string, text: string, keywords: Keywords): number {
  const { minimum = 1, maximum = Number.MAX_SAFE_INTEGER } = keywords
  const number = Number(text)
  if (!/^(0|-?[1-9]\d*)$/.test(text)) throw problem('notInteger', { field })
  if (number >= minimum && number <= maximum) return number
  if (field !== 'start' && field !== 'limit') throw problem('notInteger', { field })
  throw number < minimum ? tooSmall(field, minimum) : tooGreat(field, maximum)
}

function readText(field: string, text: string, { maxLength: max = 128 }: Keywords): string {
  if (text === '') throw problem('unassigned', { field })
  if (text.length > max) throw problem('invalid', { field, rule: rule('atMostCharacters', { max, got: text.length }) })
  if (/\p{Cc}/u.test(text)) throw problem('invalid', { field, rule: rule('text') })
  return text
}

/** Returns the first schema violation of a body as a problem; long lists of a body that violates it are shortened. */
export type BodyCheck = (body: unknown) => Problem | undefined

/** Compiled on first use: compiling all schemas would dominate the start-up time. */
export function bodyCheckOf(schema: TSchema): BodyCheck {
  let compiled: Validator | undefined
  return (body) => {
    compiled ??= Compile(schema)
    const validator = compiled
    if (validator.Check(body)) return undefined
    const { originalPath } = shortenLists(body, () => validator.Check(body))
    const error = tellingError(validator.Errors(body) as SchemaError[], body)
    return error ? translate(error, body, originalPath) : problem('malformedJson')
  }
}

interface SchemaError {
  keyword: string
  instancePath: string
  params: Record<string, unknown>
}

/** The first error; but for a union with a list, the error within the list rather than "none of these types". */
function tellingError(errors: readonly SchemaError[], body: unknown): SchemaError | undefined {
  const [first] = errors
  if (first?.keyword !== 'type' || !Array.isArray(valueAt(body, instancePathOf(first)))) return first
  const { instancePath } = first
  const isOfList = (error: SchemaError) =>
    error.instancePath.startsWith(`${instancePath}/`) ||
    (error.instancePath === instancePath && (error.keyword === 'minItems' || error.keyword === 'maxItems'))
  return errors.find(isOfList) ?? first
}

const instancePathOf = ({ instancePath }: SchemaError): string[] => instancePath.split('/').slice(1)

const valueAt = (body: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    body,
  )

function translate(error: SchemaError, body: unknown, originalPath: OriginalPath): Problem {
  const { keyword, params } = error
  const path = instancePathOf(error)
  const field = originalPath(path).join('.')
  if (keyword === 'required') {
    const [missing] = params.requiredProperties as string[]
    return problem('unassigned', { field: [...originalPath(path), missing].join('.') })
  }
  const value = valueAt(body, path)
  if (path.length === 0) return problem('malformedJson', { rule: rule(params.type === 'array' ? 'array' : 'object') })
  if (value === null || value === '') return problem('unassigned', { field })
  switch (keyword) {
    case 'type':
      // For an entry of a list the value is shown too: a bare index is hard to find in the request.
      return wrongType(field, String(params.type), /^\d+$/.test(path.at(-1) ?? '') ? { rule: shownValue(value) } : {})
    case 'minItems':
      return problem('unassigned', { field })
    case 'maxItems':
      return problem('tooMany', { what: field, limit: Number(params.limit) })
    case 'maxLength':
      return problem('invalid', {
        field,
        rule: rule('atMostCharacters', { max: Number(params.limit), got: String(value).length }),
      })
    case 'maximum':
      return tooGreat(field, Number(params.limit))
    case 'minimum':
      return tooSmall(field, Number(params.limit))
    default:
      return problem('invalid', { field, rule: shownValue(value) })
  }
}

const tooSmall = (field: string, min: number) => problem('invalid', { field, rule: rule('atLeast', { min }) })

const tooGreat = (field: string, max: number) =>
  /(^|\.)limit$/.test(field) ? problem('pageLimit') : problem('invalid', { field, rule: rule('atMost', { max }) })

const shownValue = (value: unknown): Rule => rule('value', { value: JSON.stringify(value)?.slice(0, 100) ?? '' })

function wrongType(field: string, type: string, entry: { rule?: Rule }): Problem {
  switch (type) {
    case 'string':
      return problem('notString', { field, ...entry })
    case 'integer':
      return problem('notInteger', { field, ...entry })
    case 'number':
      return problem('notFloat', { field, ...entry })
    case 'boolean':
      return problem('notBoolean', { field, ...entry })
    case 'array':
      return problem('invalid', { field, rule: rule('array') })
    default:
      return problem('invalid', { field, rule: rule('object') })
  }
}
