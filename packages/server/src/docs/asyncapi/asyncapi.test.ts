import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { Ajv } from 'ajv'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeBusiness, makeSet } from '../../testing/data/factories.ts'
import { subscribe } from '../../testing/data/subscriptions.ts'
import { startServer, type TestServer } from '../../testing/harness.ts'
import { startReceiver } from '../../testing/servers/receiver.ts'
import type { asyncApi } from './asyncapi.ts'

/** The schema of the specification: schemas/3.0.0-without-$id.json of @asyncapi/specs 6.11.1, Apache License 2.0. */
const specification = new URL('../../testing/asyncapi-3.0.0.schema.json.gz', import.meta.url)

type Document = ReturnType<typeof asyncApi>

let server: TestServer
let document: Document
beforeAll(async () => {
  server = await startServer('sqlite')
  document = (await (await fetch(`${server.url}/asyncapi.json`)).json()) as Document
})
afterAll(() => server.close())

it('is valid by the schema of AsyncAPI 3.0, is the one of docs/asyncapi.json, and what it refers to exists', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false })
  const isValid = ajv.compile(JSON.parse(gunzipSync(readFileSync(specification)).toString()))
  expect(isValid(document) ? [] : isValid.errors).toEqual([])
  expect(isValid({ ...document, channels: { receiver: { address: 1 } } })).toBe(false)
  const kept = readFileSync(new URL('../../../../../docs/asyncapi.json', import.meta.url), 'utf8')
  expect(document).toEqual(JSON.parse(kept))
  const named = [...kept.matchAll(/"\$ref": "#\/([^"]+)"/g)].map(([, path = '']) => path.split('/'))
  for (const path of named) {
    const found = path.reduce<unknown>((value, key) => (value as Record<string, unknown>)?.[key], document)
    expect(found, path.join('/')).toBeDefined()
  }
})

it('describes what receivers get, in every format', async () => {
  const ajv = new Ajv({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: 'events', ...document })
  const business = await makeBusiness(server)
  const formats = {
    event: {},
    batch: { batch: { max: 2 } },
    cloudEvent: { format: 'cloudevents' },
    cloudEventBatch: { format: 'cloudevents', batch: { max: 2 } },
  }
  for (const [name, more] of Object.entries(formats)) {
    const receiver = await startReceiver()
    await subscribe(server, receiver, { subscription_form: 'setcreate', ...more })
    await makeSet(server, business)
    const [request] = await receiver.received(1)
    await receiver.close()
    const message = document.components.messages[name as keyof typeof formats]
    expect(request?.headers['content-type']).toBe(message.contentType)
    const isDescribed = ajv.getSchema(`events#/components/messages/${name}/payload`)
    expect(isDescribed?.(JSON.parse(request?.body ?? '')) ? [] : isDescribed?.errors, name).toEqual([])
    expect(isDescribed?.({ action: 'create' })).toBe(false)
  }
})
