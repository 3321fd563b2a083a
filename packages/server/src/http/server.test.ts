import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { anyone, endpoint } from '@mainline/contract'
import { pino } from 'pino'
import Type from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { endpoints } from '../commands/openapi.ts'
import { readConfig } from '../common/config.ts'
import { open } from '../identity/index.ts'
import { findSets, makeBusiness, makeSet, setBody } from '../testing/data/factories.ts'
import { call, eachEngine, makeStore, startServer, type TestServer } from '../testing/harness.ts'
import { refuses } from '../testing/inspect/rows.ts'
import { asDocumented } from './dialect.ts'
import { createMetrics } from './observe/metrics.ts'
import { handle } from './route.ts'
import { createServer } from './server.ts'

describe('a request', () => {
  let server: TestServer
  let business: number
  let set: number
  beforeAll(async () => {
    server = await startServer('sqlite')
    business = await makeBusiness(server)
    set = await makeSet(server, business)
  })
  afterAll(() => server.close())

  // Each request has one error less than the previous one, and the answer reports the first error.
  const unsure = { BK_User: 'bob', 'BK-User': 'amy' }
  const bob = { BK_User: 'bob' }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  it.each<[first: string, code: number, path: () => string, body: string, headers: Record<string, string>]>([
    ['its route', 1199037, () => '/sets/x/y', '{', unsure],
    ['where it comes from', 9900403, () => '/set/x/y', '{', { ...unsure, origin: 'http://evil.example' }],
    ['its caller', 1199006, () => '/set/x/y', '{', { ...unsure, ...form }],
    ['the type of its body', 1199415, () => '/set/x/y', '{', { ...bob, ...form }],
    ['its JSON', 1199000, () => '/set/x/y', '{', bob],
    ['its path', 1199009, () => '/set/x/y', '{}', bob],
    ['its privilege', 9900403, () => '/set/999/999', '{}', bob],
    ['whether the business exists', 1199019, () => '/set/999/999', '{"bk_biz_id":1}', {}],
    ['whether the set exists', 1199019, () => `/set/${business}/999`, '{"bk_capacity":"x"}', {}],
    ['its body', 1199010, () => `/set/${business}/${set}`, '{"bk_capacity":"x"}', {}],
  ])('is checked in the documented order: %s', async (_, code, path, body, headers) => {
    await refuses(server, code, '', () => server.call('PUT', path(), body, headers))
  })

  it.each<[operation: string, method: string, path: string, body: unknown]>([
    ['create_set, another business in the body', 'POST', '/set/999', { ...setBody(1) }],
    ['create_set, empty body', 'POST', '/set/999', {}],
    ['update_set, another business in the body', 'PUT', '/set/999/1', { bk_biz_id: 1 }],
    ['batch_delete_set, too many', 'DELETE', '/set/999/batch', { delete: { inst_ids: Array(201).fill(1) } }],
    ['search_set, empty body', 'POST', '/set/search/0/999', {}],
    [
      'search_set, unknown field',
      'POST',
      '/set/search/0/999',
      { page: { start: 0, limit: 1 }, fields: [], condition: { x: 1 } },
    ],
    ['update_business, unknown attribute', 'PUT', '/biz/0/999', { nonsense: 1 }],
  ])(
    'learns that the business does not exist before what is wrong with its body: %s',
    async (_, method, path, body) => {
      await refuses(server, 1199019, '', () => server.call(method, path, body))
    },
  )
})

describe('an internal error', () => {
  const crashing = endpoint({
    name: 'crash',
    method: 'POST',
    effect: 'write',
    path: '/crash',
    area: 'Model',
    summary: 'Fails.',
    allow: anyone,
    data: Type.Null(),
  })

  it('is answered with the request id only, and explained in the log', async () => {
    const written: string[] = []
    const secret = 'SELECT password FROM vault'
    const app = await createServer({
      config: { ...readConfig([], {}), bodyLimit: 1024 },
      identification: open,
      routes: [handle(crashing, () => Promise.reject(new Error(secret)))],
      guards: {
        guard: async () => {},
        guardInChange: () => undefined,
        openAccount: async () => {},
        hasStoredResult: async () => false,
        openPast: () => Promise.reject(new Error('no past')),
      },
      ready: () => Promise.reject(new Error(secret)),
      metrics: createMetrics('sqlite'),
      dialect: asDocumented,
      log: pino({ level: 'error' }, { write: (line) => void written.push(line) }),
    })
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    try {
      const answer = await call(url, 'POST', '/crash', {}, { cc_request_id: 'case-7' })
      expect(answer).toMatchObject({ status: 500, result: false, bk_error_code: 1199999, data: null })
      expect(answer.bk_error_msg).toBe("'case-7' Internal Server Error")
      expect(written).toHaveLength(1)
      expect(JSON.parse(written[0] ?? '')).toMatchObject({ request_id: 'case-7', err: { message: secret } })

      // A client that disconnects while sending a body is not an internal error.
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      socket.write('POST /api/v3/crash HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{')
      await pause(50)
      socket.destroy()
      await pause(50)
      expect(written).toHaveLength(1)

      const unready = await fetch(`${url}/readyz`)
      expect(unready.status).toBe(503)
      expect(await unready.text()).not.toContain(secret)
    } finally {
      await app.close()
    }
  })
})

eachEngine((engine) => {
  it('finishes running requests before it stops, and accepts no new connections', async () => {
    const store = await makeStore(engine)
    const server = await startServer(engine, { store })
    const business = await makeBusiness(server)
    const body = JSON.stringify(setBody(business, { bk_set_name: 'in time' }))
    const head = `POST /api/v3/set/${business} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n`

    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    const answer = socket.setEncoding('utf8').toArray()
    socket.write(head + body.slice(0, 10))
    await pause(50)
    let closed = false
    const closing = server.close().then(() => {
      closed = true
    })
    const isListening = () =>
      new Promise<boolean>((resolve) => {
        const probe = connect(Number(port), hostname, () => resolve(true))
        probe.once('error', () => resolve(false))
        probe.once('connect', () => probe.destroy())
      })
    await expect.poll(isListening).toBe(false)
    expect(closed).toBe(false)

    // The rest of the request, and a second one: on an open connection it is answered as usual.
    socket.write(body.slice(10) + head + body.replace('in time', 'at last'))
    const answers = (await answer).join('').split(/(?=HTTP\/1\.1)/)
    expect(answers).toEqual([
      expect.stringMatching(/^HTTP\/1\.1 200 [\s\S]*"bk_set_name":"in time"/),
      expect.stringMatching(/^HTTP\/1\.1 200 [\s\S]*"bk_set_name":"at last"/),
    ])
    await closing

    const again = await startServer(engine, { store })
    expect((await findSets(again, business, { default: 0 })).data.count).toBe(2)
    await again.close()
    store.remove()
  })
})

describe('beside the API', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer('sqlite')
  })
  afterAll(() => server.close())
  const get = (path: string) => fetch(server.url + path)

  it('reports liveness and readiness', async () => {
    expect(await (await get('/healthz')).json()).toEqual({ status: 'alive', version: manifest.version })
    expect(await (await get('/readyz')).json()).toEqual({ status: 'ready', version: manifest.version })
  })

  it('counts and times every operation by name', async () => {
    await server.call('POST', '/audit/search', {})
    await server.call('POST', '/audit/search', { limit: 0 })
    const text = await (await get('/metrics')).text()
    for (const status of [200, 400]) {
      expect(text).toContain(
        `mainline_request_duration_seconds_count{operation="get_operation_log",status="${status}"} 1`,
      )
    }
  })

  it('serves the API document of docs/openapi.json', async () => {
    const served = await (await get('/openapi.json')).json()
    const kept = readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8')
    expect(served, 'the interface has changed: run `npm run openapi`').toEqual(JSON.parse(kept))
  })

  it('describes every operation once, with a unique name and its required privileges', async () => {
    const document = (await (await get('/openapi.json')).json()) as {
      paths: Record<string, Record<string, { operationId: string; description: string }>>
    }
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path))
    const names = operations.map((operation) => operation.operationId)
    expect(new Set(names).size).toBe(names.length)
    expect(names.toSorted()).toEqual(endpoints.map((each) => each.name).toSorted())
    for (const operation of operations) expect(operation.description).toMatch(/^Needs: \S/)
    for (const each of endpoints) expect(each.allow, each.name).toMatchObject({ need: expect.any(String) })
  })
})
