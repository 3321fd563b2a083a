// Operations of the contract as methods of Python.
import { type Endpoint, storesChange, takesKey } from '@mainline/contract'
import type { JsonSchema } from '../../packages/server/src/docs/openapi/json-schema.ts'
import type { SchemaWriter } from '../../packages/server/src/docs/openapi/schemas.ts'
import { need } from '../../packages/server/src/docs/reference/need.ts'
import { querySchema } from '../../packages/server/src/docs/reference/query-types.ts'
import { classNameOf, docString, isOpen, type TypeWriter } from './types.ts'

interface Parameter {
  readonly name: string
  readonly type: string
  /** Absent for those that must be given. */
  readonly byDefault?: string
}

const pageKeys = ['page', 'start', 'limit']

export class OperationWriter {
  readonly #schemas: SchemaWriter
  readonly #types: TypeWriter

  constructor(schemas: SchemaWriter, types: TypeWriter) {
    this.#schemas = schemas
    this.#types = types
  }

  /** What the client has to know of it at run time. */
  constant(endpoint: Endpoint): string {
    const { name, method, path, hasBody, paging } = endpoint
    const facts = [
      ...[name, method, path.replace(/:(\w+)/g, '{$1}')].map((each) => JSON.stringify(each)),
      `answers="${answersOf(endpoint)}"`,
      ...(hasBody ? ['has_body=True'] : []),
      ...(takesKey(endpoint) ? ['takes_key=True'] : []),
      ...(paging && isPaged(endpoint) ? [`paging="${paging === 'pageById' ? 'page_by_id' : paging}"`] : []),
    ]
    return `${constantOf(endpoint)} = Operation(${facts.join(', ')})`
  }

  methods(endpoint: Endpoint): string[] {
    return [this.#call(endpoint), ...(isPaged(endpoint) ? [this.#iteration(endpoint)] : [])]
  }

  #call(endpoint: Endpoint): string {
    const { name, summary } = endpoint
    const parameters = [
      ...this.#path(endpoint),
      ...this.#query(endpoint),
      ...this.#body(endpoint, 'Body'),
      ...(endpoint.takes ? [{ name: 'content', type: 'bytes' }] : []),
      ...(endpoint.takes ? [{ name: 'content_type', type: 'str', byDefault: '"text/csv"' }] : []),
      ...(storesChange(endpoint) ? [optional('reason', 'str')] : []),
      ...(endpoint.conditional ? [optional('if_match', 'int')] : []),
      ...(takesKey(endpoint) ? [optional('idempotency_key', 'str')] : []),
    ]
    const given = ['body', 'content', 'content_type', 'reason', 'if_match', 'idempotency_key']
    const passed = given.filter((each) => parameters.some((parameter) => parameter.name === each))
    const answer = this.#answer(endpoint)
    const call = `self.call(${constantOf(endpoint)}, ${callOf(endpoint, this.#path(endpoint), passed)})`
    return method({
      name,
      parameters,
      answer,
      about: `${summary}\n\nNeeds: ${need(endpoint)}.`,
      // `call` returns Any: strict type checkers refuse to return that directly.
      lines: answer === 'None' ? [`${call}`] : [`answer: ${answer} = ${call}`, 'return answer'],
    })
  }

  /** All pages of a search. */
  #iteration(endpoint: Endpoint): string {
    const path = this.#path(endpoint).filter(({ name }) => !pageKeys.includes(name))
    const sorts = endpoint.paging === 'page' || endpoint.paging === 'pageById'
    const body = this.#body(endpoint, 'Criteria')
    const parameters = [
      ...path,
      ...this.#query(endpoint),
      ...body,
      ...(sorts ? [optional('sort', 'str')] : []),
      { name: 'limit', type: 'int', byDefault: '200' },
    ]
    const call = callOf(endpoint, path, body.length > 0 ? ['body'] : [])
    return method({
      name: `iter_${endpoint.name}`,
      parameters,
      answer: `Iterator[${this.#row(endpoint)}]`,
      about: `Every record that ${endpoint.name} finds, read in pages of \`limit\`.`,
      lines: [`return self.iterate(${constantOf(endpoint)}, ${call}, sort=${sorts ? 'sort' : 'None'}, limit=limit)`],
    })
  }

  #path({ path, params }: Endpoint): Parameter[] {
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
    return names.map((name) => ({ name, type: this.#types.type(this.#schemas.write(params[name]), classNameOf(name)) }))
  }

  #query = ({ query = {} }: Endpoint): Parameter[] =>
    Object.keys(query).map((name) => optional(queryArgument(name), this.#types.type(querySchema(name), '')))

  #body({ name, body, hasBody, ...endpoint }: Endpoint, suffix: 'Body' | 'Criteria'): Parameter[] {
    if (!hasBody) return []
    const schema = this.#schemas.writeSent(body)
    const title = classNameOf(name)
    const written = isPaged({ name, body, hasBody, ...endpoint })
      ? this.#pagedBody(schema, title, suffix)
      : this.#types.type(schema, `${title}Body`)
    const type = isOpen(schema) ? `${written} | Mapping[str, Any]` : written
    const left = suffix === 'Criteria' ? pageKeys : []
    const required = requiredIn(schema).filter((each) => !left.includes(each))
    return [required.length > 0 || schema.type === 'array' ? { name: 'body', type } : optional('body', type)]
  }

  /** The body as what is searched for and, with fields of its own, the page. */
  #pagedBody(schema: JsonSchema, title: string, suffix: 'Body' | 'Criteria'): string {
    const properties = Object.entries(schema.properties ?? {})
    const only = (isIn: boolean) => ({
      ...schema,
      properties: Object.fromEntries(properties.filter(([name]) => pageKeys.includes(name) === isIn)),
    })
    this.#types.record(`${title}Criteria`, only(false), [])
    if (!properties.some(([name]) => pageKeys.includes(name))) return `${title}Criteria`
    this.#types.record(`${title}Body`, only(true), [`${title}Criteria`])
    return title + suffix
  }

  #answer(endpoint: Endpoint): string {
    const { name, streams, bare } = endpoint
    if (streams === 'text/csv') return 'bytes'
    if (bare === 'text/csv') return 'str'
    const data = this.#types.type(this.#schemas.write(endpoint.data), `${classNameOf(name)}Answer`)
    return streams ? `Iterator[${data}]` : data
  }

  #row({ name, data }: Endpoint): string {
    const { info } = (data as { properties?: Record<string, { items?: unknown }> }).properties ?? {}
    return this.#types.type(this.#schemas.write(info?.items), `${classNameOf(name)}AnswerInfo`)
  }
}

/** A search that answers a page of records and how many there are. */
function isPaged({ paging, data }: Endpoint): boolean {
  const { count, info } = (data as { properties?: { count?: unknown; info?: { type?: string } } }).properties ?? {}
  return paging !== undefined && count !== undefined && info?.type === 'array'
}

const requiredIn = ({ required }: JsonSchema): string[] => (Array.isArray(required) ? required : [])
const optional = (name: string, type: string): Parameter => ({ name, type: `${type} | None`, byDefault: 'None' })
const constantOf = ({ name }: Endpoint) => name.toUpperCase()
/** `from` is a keyword of Python. */
const queryArgument = (name: string) => (name === 'from' ? 'from_' : name)

function answersOf({ streams, bare }: Endpoint): string {
  if (streams === 'text/event-stream') return 'events'
  if (streams === 'application/x-ndjson') return 'lines'
  if (streams) return 'file'
  return bare === 'text/csv' ? 'csv' : bare ? 'json' : 'envelope'
}

const dictionary = (names: readonly (readonly [key: string, argument: string])[]) =>
  `{${names.map(([key, argument]) => `${JSON.stringify(key)}: ${argument}`).join(', ')}}`

function callOf({ query = {} }: Endpoint, path: readonly Parameter[], passed: readonly string[]): string {
  const behind = Object.keys(query).map((name) => [name, queryArgument(name)] as const)
  return `Call(${[
    dictionary(path.map(({ name }) => [name, name] as const)),
    ...(behind.length > 0 ? [`query=${dictionary(behind)}`] : []),
    ...passed.map((name) => `${name}=${name}`),
  ].join(', ')})`
}

interface Method {
  readonly name: string
  readonly parameters: readonly Parameter[]
  readonly answer: string
  readonly about: string
  readonly lines: readonly string[]
}

function method({ name, parameters, answer, about, lines }: Method): string {
  const names = parameters.map((each) => each.name)
  if (new Set(names).size < names.length) throw new Error(`${name} has two parameters of one name: ${names.join(', ')}`)
  const ordered = [...parameters.filter((each) => !each.byDefault), ...parameters.filter((each) => each.byDefault)]
  const declared = ordered.map(
    (each) => `        ${each.name}: ${each.type}${each.byDefault ? ` = ${each.byDefault}` : ''},\n`,
  )
  const head = ordered.length > 0 ? `(\n        self,\n        *,\n${declared.join('')}    )` : '(self)'
  const text = docString(about.includes('\n') ? `\n${about}\n` : about)
    .replaceAll('\n', '\n        ')
    .replace(/ +$/gm, '')
  return `    def ${name}${head} -> ${answer}:\n        ${text}\n${lines.map((line) => `        ${line}`).join('\n')}`
}
