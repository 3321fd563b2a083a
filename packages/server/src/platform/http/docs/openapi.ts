import { allowingNull, areas, type Endpoint, EnvelopeOf, hasBody, listProblems } from '@mainline/contract'
import Type, { type TSchema } from 'typebox'
import { apiRoot } from '../bind.ts'
import { fileTypes } from '../body.ts'
import { need } from './need.ts'

/** OpenAPI 3.1, made from the endpoints: what is served and what is described cannot differ. */
export function openApi(endpoints: readonly Endpoint[]) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const endpoint of endpoints) {
    const path = apiRoot + endpoint.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Mainline',
      version: '3',
      description: `Configuration management over HTTP and JSON. Every answer is an envelope; these are the failures it can carry.\n\n${problemTable()}`,
    },
    tags: areas.filter((area) => endpoints.some((endpoint) => endpoint.area === area)).map((name) => ({ name })),
    paths,
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    // Open and proxied identity need none.
    security: [{}, { bearer: [] }],
  }
}

function operation(endpoint: Endpoint) {
  const { name, area, summary, params, query, body, data, takes, streams, bare, example } = endpoint
  return {
    operationId: name,
    tags: [area],
    summary,
    description: `Needs: ${need(endpoint)}.`,
    parameters: [
      ...Object.entries(params).map(([parameter, schema]) => ({
        name: parameter,
        in: 'path',
        required: true,
        schema,
        ...(example?.params?.[parameter] !== undefined && { example: example.params[parameter] }),
      })),
      ...Object.entries(query ?? {}).map(([name, description]) => ({
        name,
        in: 'query',
        schema: { type: 'string' },
        description,
        ...(example?.query?.[name] !== undefined && { example: example.query[name] }),
      })),
      {
        name: 'BK_User',
        in: 'header',
        schema: { type: 'string' },
        description: 'the caller, with open identity or from a listed proxy',
      },
    ],
    ...(hasBody(endpoint) && {
      requestBody: {
        content: {
          'application/json': {
            schema: allowingNull(body),
            ...(example?.body !== undefined && { example: example.body }),
          },
        },
      },
    }),
    ...(takes && { requestBody: { required: true, content: fileContent(example?.body) } }),
    responses: {
      200: streams ? stream(streams, data) : bare ? plain(bare, data) : answer('Success.', data),
      default: answer('Failure: `bk_error_code` and `bk_error_msg` say why.', Type.Null()),
    },
  }
}

const answer = (description: string, data: TSchema) => ({
  description,
  content: { 'application/json': { schema: EnvelopeOf(data) } },
})

const fileContent = (example: unknown) =>
  Object.fromEntries(
    fileTypes.map((type) => [
      type,
      { schema: { type: 'string', format: 'binary' }, ...(type.startsWith('text/') && { example }) },
    ]),
  )

const streamed = {
  'text/event-stream': 'A stream of these, each in the `data` of an event.',
  'application/x-ndjson': 'These, each in a line of its own.',
  'text/csv': 'The file, in the format that was asked for.',
}

const stream = (type: keyof typeof streamed, data: TSchema) => ({
  description: streamed[type],
  content: { [type]: { schema: data } },
})

const plain = (type: string, data: TSchema) => ({
  description: 'Success, without the envelope.',
  content: { [type]: { schema: data } },
})

function problemTable(): string {
  const rows = listProblems().map(({ code, status, en }) => `| ${code} | ${status} | ${en} |`)
  return ['| Code | HTTP | Text |', '|---|---|---|', ...rows].join('\n')
}
