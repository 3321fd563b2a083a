import {
  type Endpoint,
  failed,
  listProblems,
  Problem,
  type ProblemKind,
  storesChange,
  succeeded,
  takesKey,
} from '@mainline/contract'
import { keysOf } from '../../common/keys.ts'
import { fileTypes } from '../../http/bodies/body.ts'
import type { Dialect } from '../../http/dialect.ts'
import { answerOf } from '../reference/answers.ts'
import { need } from '../reference/need.ts'
import { isInteger, querySchema } from '../reference/query-types.ts'
import { type Listed, refusalsOf } from '../reference/refusals.ts'
import { type changeParameters, headerParameters, headersOf, ifNoneMatch, lastEventId } from './headers.ts'
import type { JsonSchema } from './json-schema.ts'
import { reference, type SchemaWriter } from './schemas.ts'

/** One operation in the form of OpenAPI, at a path whose parameters may have other names than the endpoint's. */
export function operationOf(endpoint: Endpoint, path: string, dialect: Dialect, schemas: SchemaWriter) {
  const { name, area, summary, anonymous } = endpoint
  return {
    operationId: name,
    tags: [area],
    summary,
    description: `Needs: ${need(endpoint)}.`,
    ...(anonymous && { security: [{}] }),
    parameters: [...pathParameters(endpoint, path, schemas), ...queryParameters(endpoint), ...headersFor(endpoint)],
    ...requestBody(endpoint, dialect, schemas),
    responses: responsesOf(endpoint, dialect, schemas),
  }
}

const pathParameters = ({ params, path: own, example }: Endpoint, path: string, schemas: SchemaWriter) => {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  return [...own.matchAll(/:(\w+)/g)].map(([, parameter = ''], index) => ({
    name: names[index],
    in: 'path',
    required: true,
    schema: schemas.write(params[parameter]),
    example: example?.params?.[parameter],
  }))
}

const queryParameters = ({ query = {}, example }: Endpoint) =>
  Object.entries(query).map(([name, description]) => ({
    name,
    in: 'query',
    description,
    schema: querySchema(name),
    ...(example?.query?.[name] !== undefined && {
      example: isInteger(name) ? Number(example.query[name]) : example.query[name],
    }),
  }))

const headersFor = (endpoint: Endpoint) => [
  ...keysOf(headerParameters).map(parameter),
  ...(storesChange(endpoint) ? [parameter('ChangeReason')] : []),
  ...(takesKey(endpoint) ? [parameter('IdempotencyKey')] : []),
  ...(endpoint.conditional ? [parameter('IfMatch')] : []),
  ...(endpoint.etag ? [ifNoneMatch] : []),
  ...(endpoint.streams === 'text/event-stream' ? [lastEventId] : []),
]

const parameter = (name: keyof typeof headerParameters | keyof typeof changeParameters) => ({
  $ref: `#/components/parameters/${name}`,
})

function requestBody(endpoint: Endpoint, dialect: Dialect, schemas: SchemaWriter) {
  const { takes, example } = endpoint
  if (takes) return { requestBody: { required: true, content: fileContent(example?.body) } }
  if (!endpoint.hasBody) return {}
  const schema = dialect.overrideOf(endpoint)?.sends ?? endpoint.body
  // An empty body is read as {}.
  const { required = [], type }: { required?: readonly string[]; type?: string } = schema
  const content = { schema: schemas.writeSent(schema), example: example?.body ?? {} }
  return {
    requestBody: { required: required.length > 0 || type === 'array', content: { 'application/json': content } },
  }
}

const fileContent = (example: unknown) =>
  Object.fromEntries(
    fileTypes.map((type) => [
      type,
      { schema: { type: 'string', format: 'binary' }, ...(type.startsWith('text/') && { example }) },
    ]),
  )

function responsesOf(endpoint: Endpoint, dialect: Dialect, schemas: SchemaWriter) {
  const refusals = refusalsOf(endpoint, dialect)
  const [type, success] = successContent(endpoint, dialect, schemas)
  const etag = endpoint.etag ?? endpoint.versioned ?? false
  const replayed = takesKey(endpoint)
  const asOf = endpoint.readsPast ?? false
  const unchanged = endpoint.etag && {
    304: { description: 'Not modified: the ETag is still current.', headers: headersOf(304) },
  }
  if (dialect.name === 'bk-cmdb') {
    const failure = { schema: reference('Problem'), examples: examplesOf(refusals) }
    const json = 'application/json'
    const content =
      type === json
        ? {
            [json]: {
              schema: { oneOf: [success.schema, failure.schema] },
              examples: { success: { summary: 'success', value: success.example }, ...failure.examples },
            },
          }
        : { [type]: success, [json]: failure }
    const description = `Success, or a refusal: \`result\` is false.\n\n${listed(refusals)}`
    return {
      200: { description, headers: headersOf(200, { etag, replayed, asOf, refusals: true }), content },
      ...unchanged,
    }
  }
  return {
    200: {
      description: successDescription(endpoint),
      headers: headersOf(200, { etag, replayed, asOf }),
      content: { [type]: success },
    },
    ...unchanged,
    ...Object.fromEntries(
      [...byStatus(refusals)].map(([status, ofStatus]) => [
        status,
        isShared(ofStatus) ? { $ref: `#/components/responses/${refusalNameOf(ofStatus)}` } : refusal(status, ofStatus),
      ]),
    ),
  }
}

const refusal = (status: number, problems: readonly Listed[]) => ({
  description: listed(problems),
  headers: headersOf(status),
  content: { 'application/json': { schema: reference('Problem'), examples: examplesOf(problems) } },
})

const byStatus = (refusals: readonly Listed[]) => Map.groupBy(refusals, ({ status }) => status)

/** Errors that nearly every body can cause share one component. */
const ofAnyBody: readonly ProblemKind[] = [
  'malformedJson',
  'invalid',
  'notString',
  'notInteger',
  'unassigned',
  'unknown',
]

function namesOf(problems: readonly Listed[]): string[] {
  const kinds = problems.map(({ kind }) => kind)
  const isWhole = ofAnyBody.every((kind) => kinds.includes(kind))
  return isWhole ? ['invalidBody', ...kinds.filter((kind) => !ofAnyBody.includes(kind))] : kinds
}

/** Many operations have the same few problems for a status; longer lists are specific to one operation. */
const isShared = (problems: readonly Listed[]) => namesOf(problems).length <= 5

const refusalNameOf = (problems: readonly Listed[]) =>
  namesOf(problems)
    .map((name) => name[0]?.toUpperCase() + name.slice(1))
    .join('Or')

/** Error responses that operations refer to, by name. */
export function sharedRefusals(dialect: Dialect, endpoints: readonly Endpoint[]) {
  if (dialect.name === 'bk-cmdb') return {}
  const refused = endpoints.flatMap((each) => [...byStatus(refusalsOf(each, dialect))])
  const shared = refused.filter(([, problems]) => isShared(problems))
  const named = new Map(shared.map(([status, problems]) => [refusalNameOf(problems), refusal(status, problems)]))
  return Object.fromEntries([...named].toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

const listed = (problems: readonly Listed[]) => problems.map(({ code, en }) => `- ${code}: ${en}`).join('\n')

const examplesOf = (problems: readonly Listed[]) =>
  Object.fromEntries(problems.map(({ kind }) => [kind, { $ref: `#/components/examples/${kind}` }]))

/** Example values for the holes of messages. */
const samples = {
  field: 'bk_biz_id',
  what: 'bk_set_name',
  who: 'amy',
  why: '…',
  limit: 200,
  host: 1,
  request: 'c0ffee00000000000000',
  txn: 'c0ffee00000000000000',
}

/** An example of each referenced error. */
export function problemExamples(dialect: Dialect, endpoints: readonly Endpoint[]) {
  const kinds = new Set<ProblemKind>(endpoints.flatMap((each) => refusalsOf(each, dialect).map(({ kind }) => kind)))
  return Object.fromEntries(
    listProblems()
      .filter(({ kind }) => kinds.has(kind))
      .map(({ kind, code }) => [
        kind,
        { summary: `${code} ${kind}`, value: failed(new Problem(kind, samples), dialect.language) },
      ]),
  )
}

const streamed = {
  'text/event-stream': 'A stream of these, each in the `data` of an event.',
  'application/x-ndjson': 'These, each in a line of its own.',
  'text/csv': 'The file, in the format that was asked for.',
}

const successDescription = ({ streams, bare }: Endpoint) =>
  streams ? streamed[streams] : bare ? 'Success, without the envelope.' : 'Success.'

interface Success {
  readonly schema: JsonSchema
  readonly example: unknown
}

function successContent(endpoint: Endpoint, dialect: Dialect, schemas: SchemaWriter): [type: string, Success] {
  const { streams, bare } = endpoint
  const data = schemas.write(dialect.overrideOf(endpoint)?.data ?? endpoint.data)
  const answer = answerOf(endpoint, dialect)
  if (streams)
    return [streams, { schema: { type: 'string', contentMediaType: streams, contentSchema: data }, example: answer }]
  if (bare) return [bare, { schema: data, example: answer }]
  const schema = { allOf: [reference('Envelope'), { type: 'object', required: ['data'], properties: { data } }] }
  return ['application/json', { schema, example: succeeded(answer, dialect.success) }]
}
