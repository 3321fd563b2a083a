import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { businesses, hosts, integrations, queries, session, sets } from '@mainline/contract'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import { endpoints } from '../../server/src/commands/openapi.ts'
import { makeSet } from '../../server/src/testing/data/factories.ts'
import { makeShop, putHosts, type Shop } from '../../server/src/testing/data/hosts.ts'
import { entry, infoOf, saveQuery } from '../../server/src/testing/data/queries.ts'
import { eachEngine, startServer, type TestServer } from '../../server/src/testing/harness.ts'
import { type Client, createClient, Failure } from './index.ts'

const failing = (call: Promise<unknown>): Promise<Failure> =>
  call.then(
    () => expect.unreachable('it succeeded'),
    (error) => error as Failure,
  )

eachEngine((engine) => {
  let server: TestServer
  let client: Client
  let shop: Shop
  const params = () => ({ bk_supplier_account: '0', bk_biz_id: shop.business })
  beforeAll(async () => {
    server = await startServer(engine)
    client = createClient({ url: `${server.url}/`, user: 'admin' })
    shop = await makeShop(server)
    for (const name of ['a', 'b', 'c', 'd']) await makeSet(server, shop.business, { bk_set_name: name })
    await putHosts(server, shop.web, 450)
  })
  afterAll(() => server.close())

  it('calls an operation by its endpoint and as a method, with typed arguments and results', async () => {
    const body = { page: { start: 0, limit: 2, sort: '-bk_set_name' }, fields: [], condition: { bk_set_name: 'a' } }
    const found = await client.call(sets.searchSet, { params: params(), body })
    expectTypeOf(found.count).toEqualTypeOf<number>()
    expectTypeOf(found.info[0]?.bk_set_name).toEqualTypeOf<string | undefined>()
    expect(found).toMatchObject({ count: 1, info: [{ bk_set_name: 'a' }] })
    expect(await client.sets.searchSet({ params: params(), body })).toEqual(found)
    // @ts-expect-error: the path needs a business
    await failing(client.sets.searchSet({ params: { bk_supplier_account: '0' }, body }))
    expect((await client.session.getSession()).user).toBe('admin')
  })

  it('returns a record with its revision, for a conditional change', async () => {
    const id = await saveQuery(server, shop.business, infoOf(entry('host', [], ['bk_host_innerip'])))
    const asked = { params: { bk_biz_id: shop.business, id } }
    const { data, revision } = await client.callWithRevision(queries.getQuery, asked)
    expect(data).toEqual(await client.queries.getQuery(asked))
    await client.queries.deleteQuery({ ...asked, ifMatch: revision })
    expect((await client.callWithRevision(session.getSession)).revision).toBeUndefined()
  })

  it.each(['李雷', 'josé', "o'neil"])('calls as %s, for an account of that name', async (name) => {
    const called = createClient({ url: server.url, user: name, account: name, retries: 0 })
    expect(await called.session.getSession()).toMatchObject({ user: name, bk_supplier_account: name })
  })

  it('returns answers without an envelope as they are', async () => {
    const id = await saveQuery(server, shop.business, infoOf(entry('host', [], ['bk_host_innerip'])))
    const asked = { params: { bk_biz_id: shop.business, id } }
    const [first] = await client.call(integrations.prometheusTargets, { ...asked, query: { port: 81 } })
    expect(first?.targets[0]).toMatch(/:81$/)
    expect(await client.integrations.queryCsv(asked)).toMatch(/^host.bk_host_id,host.bk_host_innerip\r\n/)
    const nosuch = { params: { ...asked.params, id: 'nosuch' } }
    expect(await failing(client.integrations.queryCsv(nosuch))).toMatchObject({ kind: 'notFound', status: 404 })
  })

  it('throws errors of a server in compatibility mode, whatever their status', async () => {
    const original = await startServer(engine, { flags: ['--compat=bk-cmdb'] })
    try {
      const asked = { params: { bk_biz_id: 999, id: 'nosuch' } }
      const { integrations: bare } = createClient({ url: original.url, retries: 0 })
      for (const call of [bare.prometheusTargets, bare.ansibleInventory, bare.queryCsv]) {
        expect(await failing(call(asked))).toMatchObject({ name: 'Failure', kind: 'notFound', status: 200 })
      }
    } finally {
      await original.close()
    }
  })

  it('distinguishes failures by kind, code, status, text and request id', async () => {
    const failure = await failing(
      client.call(sets.createSet, { params: { bk_biz_id: shop.business }, body: {} as never }),
    )
    expect(failure).toBeInstanceOf(Failure)
    expect(failure).toMatchObject({
      kind: 'unassigned',
      code: 1199010,
      status: 400,
      requestId: expect.stringMatching(/./),
    })
    expect(failure.message).toBe(`create_set: ${failure.text}`)
    const chinese = createClient({ url: server.url, language: 'zh-cn' })
    const unknown = { params: { bk_supplier_account: '0', bk_host_id: 999_999 } }
    expect(await failing(chinese.hosts.getHost(unknown))).toMatchObject({ kind: 'hostNotFound', text: '没有找到主机' })
  })

  it('pages through searches with the page in `page`, in the body, or in the path', async () => {
    const names: (string | undefined)[] = []
    const order = {
      page: { sort: '-bk_set_name' },
      fields: ['bk_set_name'],
      condition: { bk_set_name: { $ne: 'shop' } },
    }
    for await (const set of client.all(sets.searchSet, { params: params(), body: order, limit: 3 })) {
      names.push(set.bk_set_name)
    }
    expect(names).toEqual(['idle pool', 'd', 'c', 'b', 'a'].filter((name) => names.includes(name)))
    expect(names.length).toBeGreaterThanOrEqual(4)

    const saved = await saveQuery(server, shop.business, infoOf(entry('host', [], ['bk_host_id'])))
    await saveQuery(server, shop.business, infoOf())
    const kept = await Array.fromAsync(
      client.all(queries.searchQuery, { params: { bk_biz_id: shop.business }, body: { sort: 'name' }, limit: 1 }),
    )
    expect(new Set(kept.map(({ id }) => id)).size).toBe(kept.length)
    expect(kept.length).toBeGreaterThanOrEqual(2)

    const asked = { params: { bk_biz_id: shop.business, id: saved } }
    const byStart = await Array.fromAsync(client.all(queries.runQuery, asked))
    const byId = await Array.fromAsync(client.all(queries.runQuery, { ...asked, query: { after: 0 } }))
    expect(byStart).toHaveLength(450)
    expect(byId).toEqual(byStart)
    expect(
      await Array.fromAsync(client.pages(businesses.searchBusiness, { params: { bk_supplier_account: 'none' } })),
    ).toEqual([])
  })

  it('misses no host that stays while others are deleted', async () => {
    const body = { bk_biz_id: shop.business, condition: [{ bk_obj_id: 'host', fields: ['bk_host_id'] }] }
    const seen: number[] = []
    let all: number[] = []
    for await (const page of client.pages(hosts.searchHosts, { body, limit: 100 })) {
      seen.push(...page.info.map(({ host }) => host.bk_host_id as number))
      if (all.length > 0) continue
      const everyone = await Array.fromAsync(client.all(hosts.searchHosts, { body }))
      all = everyone.map(({ host }) => host.bk_host_id as number)
      const idle = { bk_biz_id: shop.business, bk_host_id: all.slice(0, 50) }
      await client.moves.moveToIdle({ body: idle })
      await client.moves.moveToPool({ body: idle })
    }
    expect(seen).toEqual(all)
  })
})

describe('where answers are lost', () => {
  const asked: string[] = []
  let answers: ((response: ServerResponse) => void)[] = []
  const keys: unknown[] = []
  const fake = createServer((request: IncomingMessage, response: ServerResponse) => {
    asked.push(`${request.method} ${request.url}`)
    keys.push(request.headers['idempotency-key'])
    const next = answers.shift()
    if (next) next(response)
    else response.end('{"result":true,"bk_error_code":0,"bk_error_msg":"","data":{"count":0,"info":[]}}')
  })
  let client: Client
  beforeAll(async () => {
    await new Promise<void>((resolve) => fake.listen(0, '127.0.0.1', resolve))
    client = createClient({ url: `http://127.0.0.1:${(fake.address() as AddressInfo).port}`, retries: 2 })
  })
  afterAll(() => fake.close())

  const lost = (response: ServerResponse) => response.destroy()
  const busy = (seconds: string) => (response: ServerResponse) =>
    response
      .writeHead(429, { 'retry-after': seconds })
      .end('{"result":false,"bk_error_code":1199429,"bk_error_msg":"too many requests","data":null}')
  const answering = (...next: typeof answers) => {
    asked.length = 0
    answers = next
  }
  const search = (signal?: AbortSignal) =>
    client.queries.searchQuery({ params: { bk_biz_id: 1 }, body: {}, ...(signal && { signal }) })

  it('a call is retried after the requested pause', async () => {
    answering(lost, busy('0'))
    expect(await search()).toEqual({ count: 0, info: [] })
    expect(asked).toHaveLength(3)
    answering(busy('1'))
    const before = Date.now()
    await search()
    expect(Date.now() - before).toBeGreaterThanOrEqual(990)
  })

  it('but not indefinitely, not after a long pause, and not once it is aborted', async () => {
    answering(lost, lost, lost)
    expect(await failing(search())).toMatchObject({ kind: 'unreachable', code: 0, status: 0, cause: expect.any(Error) })
    expect(asked).toHaveLength(3)
    answering(busy('3600'))
    expect(await failing(search())).toMatchObject({ kind: 'tooManyRequests', retryAfter: 3_600 })
    expect(asked).toHaveLength(1)
    answering(busy('20'))
    expect(await failing(search(AbortSignal.timeout(100)))).toMatchObject({ name: 'TimeoutError' })
  })

  const create = (by: Client, more: object = {}) =>
    by.queries.createQuery({ body: { bk_biz_id: 1, name: 'x', info: '{}' }, ...more })

  it('a change is retried under the key of its first attempt, and each change has its own key', async () => {
    answering(lost, busy('0'))
    keys.length = 0
    await create(client)
    await create(client)
    const [first, second, third, another] = keys
    expect(first).toMatch(/^[0-9a-f]{32}$/)
    expect([second, third]).toEqual([first, first])
    expect(another).not.toBe(first)
    keys.length = 0
    await create(client, { idempotencyKey: 'of the program' })
    expect(keys).toEqual(['of the program'])
  })

  it('a change is sent once, without a key, if retries are disabled', async () => {
    answering(lost)
    keys.length = 0
    const { port } = fake.address() as AddressInfo
    const once = createClient({ url: `http://127.0.0.1:${port}`, retries: 0 })
    expect(await failing(create(once))).toMatchObject({ kind: 'unreachable' })
    expect(keys).toEqual([undefined])
  })

  it('an answer of another program is no success', async () => {
    for (const body of ['<h1>Bad gateway</h1>', '{}', 'null', '[]']) {
      answering((response) => response.writeHead(502).end(body))
      expect(await failing(search())).toMatchObject({ kind: 'unrecognised', status: 502 })
      answering((response) => response.end(body))
      expect(await failing(search())).toMatchObject({ kind: 'unrecognised', status: 200 })
    }
  })

  it('a stream is not a call', async () => {
    await expect(client.feed.streamEvents()).rejects.toThrow('read it with stream')
  })
})

it('every operation of the contract is a method', () => {
  const methods = Object.values(createClient({ url: '' })).flatMap((area) => Object.values(area))
  expect(methods.length).toBe(endpoints.length)
})

it('imports nothing of Node, so it runs in browsers too', () => {
  const folder = new URL('.', import.meta.url)
  const sources = readdirSync(folder).filter((name) => !name.includes('.test.'))
  expect(sources.length).toBeGreaterThan(5)
  for (const name of sources) {
    expect(readFileSync(new URL(name, folder), 'utf8'), name).not.toMatch(
      /from '(?!\.\/|@mainline\/contract')|\b(process|Buffer|require)\b/,
    )
  }
})
