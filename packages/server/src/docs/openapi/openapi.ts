import { type AreaName, areas, type Endpoint } from '@mainline/contract'
import manifest from '../../../package.json' with { type: 'json' }
import { asDocumented, type Dialect } from '../../http/dialect.ts'
import { apiRoot } from '../../http/operation/bind.ts'
import { changeParameters, headerParameters, responseHeaders } from './headers.ts'
import type { JsonSchema } from './json-schema.ts'
import { operationOf, problemExamples, sharedRefusals } from './operation.ts'
import { SchemaWriter } from './schemas.ts'

/** OpenAPI 3.1 of a dialect, generated from the endpoints, so that it cannot differ from what is served. */
export function openApi(endpoints: readonly Endpoint[], dialect: Dialect = asDocumented) {
  const schemas = new SchemaWriter(dialect.identifiers)
  defineEnvelopes(schemas, dialect)
  const paths: Record<string, object> = {}
  for (const [path, operations] of pathsOf(endpoints)) {
    paths[path] = Object.fromEntries(
      operations.map((each) => [each.method.toLowerCase(), operationOf(each, path, dialect, schemas)]),
    )
  }
  const isTagged = (area: AreaName) => endpoints.some((endpoint) => endpoint.area === area)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Mainline',
      version: manifest.version,
      summary: 'Configuration management over HTTP and JSON.',
      description: description[dialect.name],
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
      contact: { name: 'The documentation that the server itself serves', url: 'http://127.0.0.1:8080/docs' },
    },
    servers: [
      { url: '/', description: 'the server that this document was read from' },
      { url: 'http://127.0.0.1:8080', description: 'mainline serve without settings' },
    ],
    tags: areas.filter(isTagged).map((name) => ({ name, description: tagDescriptions[name] })),
    // Open and proxied identity need none.
    security: [{}, { bearer: [] }, { session: [] }],
    paths,
    components: {
      schemas: schemas.components,
      parameters: { ...headerParameters, ...changeParameters },
      headers: responseHeaders,
      responses: sharedRefusals(dialect, endpoints),
      examples: problemExamples(dialect, endpoints),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'an API token (--auth token), or a token of the identity provider (--auth oidc)',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'mainline',
          description: 'the session of a browser that has signed in (--auth oidc)',
        },
      },
    },
  }
}

const documentedMethods = ['GET', 'POST', 'PUT', 'DELETE']

/**
 * Paths in the order of areas and of declaration; a path of several operations is at the position of the last one. Paths that differ only in
 * parameter names are one path, with the names of the first.
 */
function pathsOf(endpoints: readonly Endpoint[]): Map<string, Endpoint[]> {
  const ordered = endpoints.toSorted(
    (one, other) => areas.indexOf(one.area) - areas.indexOf(other.area) || one.order - other.order,
  )
  const spelled = new Map<string, string>()
  const paths = new Map<string, Endpoint[]>()
  for (const endpoint of ordered) {
    const path = apiRoot + endpoint.path.replace(/:(\w+)/g, '{$1}')
    const key = path.replace(/\{\w+\}/g, '{}')
    const known = spelled.get(key) ?? path
    const operations = [...(paths.get(known) ?? []), endpoint]
    spelled.set(key, known)
    paths.delete(known)
    paths.set(
      known,
      operations.toSorted(
        (one, other) => documentedMethods.indexOf(one.method) - documentedMethods.indexOf(other.method),
      ),
    )
  }
  return paths
}

/** The operations in the order of the document. */
export const inDocumentOrder = (endpoints: readonly Endpoint[]): Endpoint[] => [...pathsOf(endpoints).values()].flat()

function defineEnvelopes(schemas: SchemaWriter, { success }: Dialect): void {
  const envelope = (result: boolean, code: JsonSchema, message: JsonSchema) => ({
    type: 'object',
    required: ['result', 'bk_error_code', 'bk_error_msg', 'data'],
    properties: {
      result: { type: 'boolean', enum: [result] },
      bk_error_code: { type: 'integer', format: 'int64', ...code },
      bk_error_msg: { type: 'string', ...message },
      data: {},
    },
  })
  const succeeded = envelope(true, { enum: [0] }, { enum: [success] })
  schemas.define('Envelope', { ...succeeded, description: 'What an operation answers with when it succeeded.' })
  const failed = envelope(false, { minimum: 1 }, { description: "why, in the caller's language" })
  const data = { type: ['object', 'null'], description: 'null, unless the operation says otherwise' }
  schemas.define('Problem', {
    ...failed,
    properties: { ...failed.properties, data },
    description: 'What an operation answers with when it was refused. Codes never change; texts may.',
  })
}

const inCommon =
  'Every answer is an envelope: `result`, `bk_error_code` (0 on success), `bk_error_msg` and `data`. The examples are for a fresh demo estate (`mainline serve --demo`), sent in the order of this document; long lists in example answers are cut. What each code means and what to do about it: /docs/errors.'

const description: Record<Dialect['name'], string> = {
  document: `${inCommon} A refusal has the HTTP status that fits it.`,
  'bk-cmdb': `${inCommon} This is the dialect of clients of bk-cmdb 3.2 (\`--compat bk-cmdb\`): the HTTP status is 200 also when a request was refused, so go by \`result\`.`,
}

const tagDescriptions: Record<AreaName, string> = {
  Businesses: 'The roots of the topology, and the resource pool.',
  Topology: 'The levels of the main line, and the tree of each business.',
  Sets: 'Sets of a business.',
  Modules: 'Modules of a set.',
  Instances: 'Instances of user-defined levels, and of objects beside the main line.',
  Associations: 'What objects and their instances have to do with each other.',
  History: 'Versions of instances, who set each value, and undo.',
  Hosts: 'Hosts, their placement in modules, and searches that a user keeps.',
  'Custom queries': 'Saved queries over the hosts of a business.',
  Integrations: 'Results of saved queries in the formats of other programs.',
  'Import and export': 'Hosts, topology and whole estates as files.',
  Privileges: 'Roles, groups and their privileges.',
  'User settings': 'Settings that users keep for themselves.',
  Audit: 'The operation log.',
  Events: 'Subscriptions, their deliveries, and events to watch.',
  Model: 'Classifications, objects, attributes and groups of attributes.',
  Identity: 'The caller of a request.',
}
