// Validates every answer that a test receives against the contract.
import type { Endpoint } from '@mainline/contract'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { endpointsIn } from '../commands/openapi.ts'
import { readConfig } from '../common/config.ts'
import { dialectOf } from '../compat/bk-cmdb.ts'
import { isObject } from '../http/dialect.ts'

/** Throws unless `data` of a successful answer matches the schema of its operation. `path` is below /api/v3. */
export function checkAnswer(
  method: string,
  path: string,
  { data, bk_error_msg }: { data: unknown; bk_error_msg: string | null },
) {
  const endpoint = endpointAt(method, path)
  if (!endpoint) throw new Error(`${method} ${path} succeeded, but is no operation of the contract`)
  checkData(endpoint, data, bk_error_msg === bkCmdb.success ? bkCmdb.overrideOf(endpoint)?.data : undefined)
}

function checkData(endpoint: Endpoint, data: unknown, schema: TSchema = endpoint.data): void {
  const validator = validators.get(schema) ?? Compile(strict(schema))
  validators.set(schema, validator)
  if (validator.Check(data)) return
  const [error] = validator.Errors(data)
  const shown = JSON.stringify(data)?.slice(0, 2_000)
  throw new Error(`${endpoint.name} answers what its schema does not allow: ${JSON.stringify(error)} in ${shown}`)
}

const bkCmdb = dialectOf(readConfig(['--compat=bk-cmdb'], {}))
const validators = new WeakMap<TSchema, Validator>()

const segmentsOf = (path: string) => path.split('/').slice(1)
const routes = endpointsIn(bkCmdb).map((endpoint) => ({ endpoint, segments: segmentsOf(endpoint.path) }))
const isParameter = (segment = '') => segment.startsWith(':')

/** As the router does: fixed text takes precedence over a parameter at the first segment that differs. */
function endpointAt(method: string, url: string): Endpoint | undefined {
  const sent = segmentsOf(url.replace(/[?#].*$/, ''))
  const fitting = routes.filter(
    ({ endpoint, segments }) =>
      endpoint.method === method &&
      segments.length === sent.length &&
      segments.every((segment, index) => isParameter(segment) || segment === sent[index]),
  )
  const order = ({ segments }: (typeof routes)[number]) => segments.map((each) => Number(isParameter(each))).join('')
  return fitting.toSorted((one, other) => order(one).localeCompare(order(other)))[0]?.endpoint
}

/** The schema without additional properties, and with the documented shape of free values. */
function strict(schema: unknown): TSchema {
  if (Array.isArray(schema)) return schema.map(strict)
  if (!isObject(schema) || schema.allOf) return schema as TSchema
  if (schema.shape) return strict(schema.shape)
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strict(value)]))
  return schema.properties && schema.additionalProperties === undefined
    ? { ...inner, additionalProperties: false }
    : inner
}
