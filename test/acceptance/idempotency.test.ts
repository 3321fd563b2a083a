// `Idempotency-Key`: section 1 of what goes beyond the requirement.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fillEstate } from '../../packages/server/src/commands/demo/estate.ts'
import { endpoints } from '../../packages/server/src/commands/openapi.ts'
import { dialectOf } from '../../packages/server/src/compat/bk-cmdb.ts'
import { openApi } from '../../packages/server/src/docs/openapi/openapi.ts'
import { forgetOldKeys } from '../../packages/server/src/storage/change/idempotency.ts'
import { IdempotentRequest } from '../../packages/server/src/storage/index.ts'
import { type ApiDocument, type Operation, walk } from '../../packages/server/src/testing/clients/walk.ts'
import { findSets, makeBusiness, makeSet, setBody } from '../../packages/server/src/testing/data/factories.ts'
import {
  configOf,
  eachEngine,
  makeStore,
  openedStores,
  startServer,
  type TestServer,
} from '../../packages/server/src/testing/harness.ts'

const keyed = (key: string) => ({ 'idempotency-key': key })
const replayed = ({ headers }: { headers: Headers }) => headers.get('idempotency-replayed')
const takesKey = ({ parameters }: Operation) =>
  parameters.some((each) => '$ref' in each && String(each.$ref).endsWith('/IdempotencyKey'))

eachEngine((engine) => {
  let server: TestServer
  let business: number
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
  })
  afterAll(() => server.close())

  const create = (name: string, key: string, more: Record<string, string> = {}) =>
    server.call('POST', `/set/${business}`, setBody(business, { bk_set_name: name }), { ...keyed(key), ...more })
  const countOf = async (name: string) => (await findSets(server, business, { bk_set_name: name })).data.count

  it('repeats the first answer for a repeated request, and changes nothing again', async () => {
    const [first, second] = [await create('once', 'key-1'), await create('once', 'key-1')]
    expect(first).toMatchObject({ result: true })
    expect(second.data).toEqual(first.data)
    expect([replayed(first), replayed(second)]).toEqual([null, 'true'])
    expect(await countOf('once')).toBe(1)
  })

  it('refuses the key for another body or path, and keeps it available to other callers', async () => {
    await create('of amy', 'key-2', { bk_user: 'amy' })
    const refused = { status: 422, bk_error_code: 1199422 }
    expect(await create('another', 'key-2', { bk_user: 'amy' })).toMatchObject(refused)
    const elsewhere = await makeBusiness(server)
    const body = setBody(elsewhere, { bk_set_name: 'of amy' })
    expect(await server.call('POST', `/set/${elsewhere}`, body, { ...keyed('key-2'), bk_user: 'amy' })).toMatchObject(
      refused,
    )
    expect(await create('of an administrator', 'key-2')).toMatchObject({ result: true })
    expect(await countOf('another')).toBe(0)
  })

  it('compares large bodies to their last character', async () => {
    const add = (lastName: string) => {
      const host_info = Object.fromEntries(
        Array.from({ length: 300 }, (_, row) => [
          row + 1,
          { bk_host_innerip: `10.201.${row >> 8}.${row & 255}`, bk_host_name: row === 299 ? lastName : 'x'.repeat(60) },
        ]),
      )
      return server.call('POST', '/hosts/add', { host_info }, keyed('key-large'))
    }
    const [first, second] = [await add('last'), await add('last')]
    expect(first).toMatchObject({ result: true })
    expect(second.data).toEqual(first.data)
    expect([replayed(first), replayed(second)]).toEqual([null, 'true'])
    expect(await add('lost')).toMatchObject({ status: 422, bk_error_code: 1199422 })
  })

  it('stores no refusal: the request is judged again', async () => {
    await create('taken', 'key-3')
    expect(await create('taken', 'key-4')).toMatchObject({ bk_error_code: 1199014 })
    const { data } = await findSets(server, business, { bk_set_name: 'taken' })
    await server.call('DELETE', `/set/${business}/${data.info[0]?.bk_set_id}`)
    const again = await create('taken', 'key-4')
    expect(again).toMatchObject({ result: true })
    expect(replayed(again)).toBe(null)
  })

  it('executes one of several concurrent requests; the others get the same answer, or that it is still running', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => create('raced', 'key-5')))
    const [made] = answers.filter(({ result }) => result)
    for (const answer of answers) {
      if (answer.result) expect(answer.data).toEqual(made?.data)
      else expect(answer).toMatchObject({ status: 409, bk_error_code: 1199409 })
    }
    expect(await countOf('raced')).toBe(1)
    expect((await create('raced', 'key-5')).data).toEqual(made?.data)
  })

  it('is kept for a day', async () => {
    const age = (ms: number) =>
      server.service.storage.change({ user: 'test', account: '0', requestId: '' }, async (tx) => {
        const made_at = Date.now() - ms
        await tx.updateTable('idempotent_change').set({ made_at }).where('key', '=', 'key-6').execute()
      })
    await create('day', 'key-6')
    await age(24 * 3_600_000 - 60_000)
    expect(replayed(await create('day', 'key-6'))).toBe('true')
    await age(24 * 3_600_000 + 1)
    expect(await create('day', 'key-6')).toMatchObject({ bk_error_code: 1199014 })
  })

  it('belongs to an account', async () => {
    const name = (account: string) =>
      server.call('POST', `/biz/${account}`, { bk_biz_name: 'of a key' }, keyed('key-10'))
    const [one, other] = [await name('0'), await name('elsewhere')]
    expect([one, other]).toMatchObject([{ result: true }, { result: true }])
    expect([replayed(one), replayed(other)]).toEqual([null, null])
  })

  it('removes what is older than a day, some at a time', async () => {
    for (let nth = 0; nth < 5; nth++) await create(`old ${nth}`, `old-${nth}`)
    await create('young', 'young')
    const { storage } = server.service
    await storage.upkeep(async (writer) => {
      const made_at = Date.now() - 24 * 3_600_000 - 60_000
      await writer.updateTable('idempotent_change').set({ made_at }).where('key', 'like', 'old-%').execute()
    })
    const kept = async () => {
      const rows = await storage.read
        .selectFrom('idempotent_change')
        .select('key')
        .where('key', 'like', 'old-%')
        .execute()
      return rows.length
    }
    await storage.upkeep(async (writer) => {
      for (const nth of [0, 1, 2, 3, 4]) {
        const made_at = Date.now() - 2 * 24 * 3_600_000 + nth
        await writer.updateTable('idempotent_change').set({ made_at }).where('key', '=', `old-${nth}`).execute()
      }
    })
    expect(await forgetOldKeys(storage.engine, Date.now(), 2)).toBe(true)
    expect(await kept()).toBe(3)
    while (await forgetOldKeys(storage.engine, Date.now(), 2));
    expect(await kept()).toBe(0)
    expect(replayed(await create('young', 'young'))).toBe('true')
  })

  it('repeats the answer of a completed change even if the caller has lost the privilege since', async () => {
    const bob = { bk_user: 'bob' }
    const own = await makeBusiness(server)
    expect(await server.call('PUT', `/biz/0/${own}`, { bk_biz_maintainer: 'bob' })).toMatchObject({ result: true })
    const resign = (more: Record<string, string>) =>
      server.call('PUT', `/biz/0/${own}`, { bk_biz_maintainer: 'carl' }, { ...bob, ...more })
    expect(await resign(keyed('key-11'))).toMatchObject({ result: true })
    const again = await resign(keyed('key-11'))
    expect(again).toMatchObject({ result: true, data: 'success' })
    expect(replayed(again)).toBe('true')
    const denied = { status: 403, bk_error_code: 9900403 }
    expect(await resign({})).toMatchObject(denied)
    expect(await resign(keyed('key-12'))).toMatchObject(denied)
    const set = () => server.call('POST', `/set/${own}`, setBody(own), { ...bob, ...keyed('key-11') })
    expect(await set()).toMatchObject(denied)
    const { data } = await findSets(server, own, { default: 0 })
    expect(data.count).toBe(0)
  })

  it('does nothing for a caller without the privilege once the key has expired', async () => {
    const eve = { bk_user: 'eve' }
    const own = await makeBusiness(server)
    await server.call('PUT', `/biz/0/${own}`, { bk_biz_maintainer: 'eve' })
    const body = setBody(own)
    const make = () => server.call('POST', `/set/${own}`, body, { ...eve, ...keyed('key-13') })
    expect(await make()).toMatchObject({ result: true })
    await server.call('PUT', `/biz/0/${own}`, { bk_biz_maintainer: 'amy' })
    expect(replayed(await make())).toBe('true')
    // Simulates that the day ends between reading the stored answer and the change.
    const request = new IdempotentRequest('key-14', 'hash')
    request.onlyReplay(new Error('not permitted'))
    const actor = { user: 'eve', account: '0', requestId: '', idempotent: request }
    const change = server.service.storage.change(actor, async () => 'done')
    await expect(change).rejects.toThrow('not permitted')
    const rows = server.service.storage.read.selectFrom('idempotent_change').select('key').where('key', '=', 'key-14')
    expect(await rows.execute()).toEqual([])
  })

  it('is not accepted by operations that store nothing', async () => {
    const ping = () => server.call('POST', '/event/subscribe/telnet', { callback_url: server.url }, keyed('key-15'))
    const answers = await Promise.all([ping(), ping(), ping()])
    for (const answer of answers) expect(answer).toMatchObject({ result: true })
    expect(answers.map(replayed)).toEqual([null, null, null])
  })

  it('stores the report of rows, also if some failed', async () => {
    const rows = { 1: { bk_host_innerip: '10.200.0.1' }, 2: { bk_host_innerip: 'none' } }
    const add = () => server.call('POST', '/hosts/add', { host_info: rows }, keyed('key-7'))
    const [first, second] = [await add(), await add()]
    expect(first).toMatchObject({ result: false, data: { success: ['1'] } })
    expect(second).toMatchObject({ bk_error_code: first.bk_error_code, data: first.data })
    expect(replayed(second)).toBe('true')
  })

  it('is 1 to 128 printable characters, and not for imports', async () => {
    const refused = { status: 400, bk_error_code: 1199006 }
    for (const key of ['', 'x'.repeat(129), 'schl\u00fcssel'])
      expect(await create('bad key', key)).toMatchObject(refused)
    expect(await create('long key', 'x'.repeat(128))).toMatchObject({ result: true })
    const csv = 'bk_host_innerip\n10.200.0.9\n'
    const answer = await fetch(`${server.url}/api/v3/import/hosts/${business}`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv', ...keyed('key-8') },
      body: csv,
    })
    expect(await answer.json()).toMatchObject({ bk_error_code: 1199006 })
    expect(await countOf('bad key')).toBe(0)
  })

  it('is ignored by requests that change nothing', async () => {
    const set = await makeSet(server, business)
    const dry = () => server.call('DELETE', `/set/${business}/${set}?dry_run=true`, undefined, keyed('key-9'))
    expect(await dry()).toMatchObject({ result: true })
    expect(await server.call('DELETE', `/set/${business}/${set}`, undefined, keyed('key-9'))).toMatchObject({
      result: true,
    })
  })
})

eachEngine((engine) => {
  it('survives a restart', async () => {
    const store = await makeStore(engine, openedStores())
    let server = await startServer(engine, { store })
    const business = await makeBusiness(server)
    const body = setBody(business)
    const make = () => server.call('POST', `/set/${business}`, body, keyed('key'))
    const first = await make()
    await server.close()
    server = await startServer(engine, { store })
    const again = await make()
    expect(again.data).toEqual(first.data)
    expect(replayed(again)).toBe('true')
    expect((await findSets(server, business, { default: 0 })).data.count).toBe(1)
    await server.close()
    store.remove()
  })
})

describe('on postgres', () => {
  it('one of two processes makes the change, and the other sends the same answer', async () => {
    const store = await makeStore('postgres', openedStores())
    const servers = [await startServer('postgres', { store }), await startServer('postgres', { store })]
    const [one, other] = servers as [TestServer, TestServer]
    const business = await makeBusiness(one)
    for (let round = 0; round < 10; round++) {
      const body = setBody(business)
      const send = (server: TestServer) => server.call('POST', `/set/${business}`, body, keyed(`key ${round}`))
      const answers = await Promise.all([send(one), send(other), send(one), send(other)])
      const [made] = answers.filter(({ result }) => result)
      for (const answer of answers) {
        if (answer.result) expect(answer.data).toEqual(made?.data)
        else expect(answer).toMatchObject({ bk_error_code: 1199409 })
      }
      expect((await send(other)).data).toEqual(made?.data)
    }
    expect((await findSets(other, business, { default: 0 })).data.count).toBe(10)
    for (const server of servers) await server.close()
    store.remove()
  })
})

describe.each(['document', 'bk-cmdb'])('in the dialect %s', (compat) => {
  it('every change of the API document can be repeated', async () => {
    const flags = [`--compat=${compat}`]
    const server = await startServer('sqlite', { flags })
    const config = configOf(server.store, flags)
    await fillEstate(server.service.storage, config, { hosts: 500, progress: () => {} })
    const document = openApi(endpoints, dialectOf(config)) as unknown as ApiDocument
    const twice = (operation: Operation) =>
      takesKey(operation) ? [keyed(operation.operationId), keyed(operation.operationId)] : [{}]
    const first = new Map<string, unknown>()
    for await (const { operation, headers, body } of walk(document, server.url, twice)) {
      if (!takesKey(operation)) continue
      const { operationId } = operation
      expect(body, operationId).toMatchObject({ result: true })
      if (first.has(operationId)) expect(body, operationId).toEqual(first.get(operationId))
      else expect(replayed({ headers }), operationId).toBe(null)
      first.set(operationId, body)
    }
    await server.close()
  })
})
