import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { businesses, hosts, integrations, queries, sets } from '@mainline/contract'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import { endpoints } from '../../server/src/commands/openapi.ts'
import { makeSet } from '../../server/src/testing/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../server/src/testing/harness.ts'
import { makeShop, putHosts, type Shop } from '../../server/src/testing/hosts.ts'
import { entry, infoOf, saveQuery } from '../../server/src/testing/queries.ts'
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

  it('calls an operation by its endpoint and as a method, with what it takes and gives in types', async () => {
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

  it.each(['李雷', 'josé', "o'neil"])('calls as %s, for an account of that name', async (name) => {
    const called = createClient({ url: server.url, user: name, account: name, retries: 0 })
    expect(await called.session.getSession()).toMatchObject({ user: name, bk_supplier_account: name })
  })

  it('answers without an envelope come as they are', async () => {
    const id = await saveQuery(server, shop.business, infoOf(entry('host', [], ['bk_host_innerip'])))
    const asked = { params: { bk_biz_id: shop.business, id } }
    const [first] = await client.call(integrations.prometheusTargets, { ...asked, query: { port: 81 } })
    expect(first?.targets[0]).toMatch(/:81$/)
    expect(await client.integrations.queryCsv(asked)).toMatch(/^host.bk_host_id,host.bk_host_innerip\r\n/)
    const nosuch = { params: { ...asked.params, id: 'nosuch' } }
    expect(await failing(client.integrations.queryCsv(nosuch))).toMatchObject({ kind: 'notFound', status: 404 })
  })

  it('a refusal is a failure where clients of bk-cmdb are served, whatever its status', async () => {
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

  it('tells failures by kind, code, status, text and request id', async () => {
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

  it('walks searches to their end wherever the page is told: in a page, in the body, in the path', async () => {
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

  it('loses no host that stays while others go', async () => {
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
  const fake = createServer((request: IncomingMessage, response: ServerResponse) => {
    asked.push(`${request.method} ${request.url}`)
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

  it('what changes nothing is tried again, after the pause that is asked for', async () => {
    answering(lost, busy('0'))
    expect(await search()).toEqual({ count: 0, info: [] })
    expect(asked).toHaveLength(3)
    answering(busy('1'))
    const before = Date.now()
    await search()
    expect(Date.now() - before).toBeGreaterThanOrEqual(990)
  })

  it('but not for ever, not when the pause is too long, and not once it is called off', async () => {
    answering(lost, lost, lost)
    expect(await failing(search())).toMatchObject({ kind: 'unreachable', code: 0, status: 0, cause: expect.any(Error) })
    expect(asked).toHaveLength(3)
    answering(busy('3600'))
    expect(await failing(search())).toMatchObject({ kind: 'tooManyRequests', retryAfter: 3_600 })
    expect(asked).toHaveLength(1)
    answering(busy('20'))
    expect(await failing(search(AbortSignal.timeout(100)))).toMatchObject({ name: 'TimeoutError' })
  })

  it('what changes something is never sent twice', async () => {
    answering(lost)
    const made = client.queries.createQuery({ body: { bk_biz_id: 1, name: 'x', info: '{}' } })
    expect(await failing(made)).toMatchObject({ kind: 'unreachable' })
    expect(asked).toEqual(['POST /api/v3/userapi'])
  })

  it('what something else answers is no success', async () => {
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

it('knows nothing of Node: it runs in browsers too', () => {
  const folder = new URL('.', import.meta.url)
  const sources = readdirSync(folder).filter((name) => !name.includes('.test.'))
  expect(sources.length).toBeGreaterThan(5)
  for (const name of sources) {
    expect(readFileSync(new URL(name, folder), 'utf8'), name).not.toMatch(
      /from '(?!\.\/|@mainline\/contract')|\b(process|Buffer|require)\b/,
    )
  }
})
