import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { emptyHistory } from '../../../../storage/index.ts'
import { sealNext } from '../../../../storage/log/seals.ts'
import { cursorNow, eventsSince, markOf, recordSets, waitingFor, watch } from '../../../../testing/clients/watching.ts'
import { makeBusiness, makeSet } from '../../../../testing/data/factories.ts'
import { makeInstance, makeModule, putLevel } from '../../../../testing/data/levels.ts'
import { eachEngine, makeStore, startServer, type TestServer, type TestStore } from '../../../../testing/harness.ts'
import { readLog } from '../../../../testing/inspect/log.ts'
import { after } from './cursor.ts'
import { startOf, waitForEvents } from './watch.ts'

eachEngine((engine) => {
  let store: TestStore
  let server: TestServer
  let business: number
  beforeAll(async () => {
    store = await makeStore(engine)
    server = await startServer(engine, { store })
    business = await makeBusiness(server)
  })
  afterAll(async () => {
    await server.close()
    store.remove()
  })
  const rename = (set: number, name: string) =>
    server.call('PUT', `/set/${business}/${set}`, { bk_biz_id: business, bk_set_name: name })

  it('answers the events after its cursor, in order, and can continue from each of them', async () => {
    const from = await cursorNow(server)
    const set = await makeSet(server, business, { bk_set_name: 'ledger' })
    await rename(set, 'books')
    await server.call('DELETE', `/set/${business}/${set}`)
    const seen = await eventsSince(server, 'set', from)
    expect(seen).toMatchObject([
      { bk_resource: 'set', bk_event_type: 'create', bk_detail: { bk_set_name: 'ledger', bk_set_id: set } },
      { bk_resource: 'set', bk_event_type: 'update', bk_detail: { bk_set_name: 'books' } },
      { bk_resource: 'set', bk_event_type: 'delete', bk_detail: { bk_set_name: 'books' } },
    ])
    expect(await eventsSince(server, 'set', from)).toEqual(seen)
    expect(await eventsSince(server, 'set', seen[0]?.bk_cursor ?? '')).toEqual(seen.slice(1))
    expect(await eventsSince(server, 'set', seen[1]?.bk_cursor ?? '')).toEqual(seen.slice(2))
  })

  it('answers only the requested types and fields', async () => {
    const from = await cursorNow(server)
    const set = await makeSet(server, business)
    await rename(set, 'renamed')
    const more = { bk_event_types: ['update'], bk_fields: ['bk_set_name', 'bk_set_id', 'nonsense', '__proto__'] }
    const seen = await eventsSince(server, 'set', from, more)
    expect(seen.map((each) => [each.bk_event_type, each.bk_detail])).toEqual([
      ['update', { bk_set_id: set, bk_set_name: 'renamed' }],
    ])
  })

  it('answers only the events that match a filter, and a cursor after all others', async () => {
    const from = await cursorNow(server)
    const set = await makeSet(server, business)
    await rename(set, 'wanted')
    await rename(set, 'unwanted')
    const filter = { changed: { $in: ['bk_set_name'] }, 'after.bk_set_name': 'wanted', 'before.bk_set_id': set }
    const seen = await eventsSince(server, 'set', from, { filter })
    expect(seen).toMatchObject([{ bk_event_type: 'update', bk_detail: { bk_set_name: 'wanted' } }])
    expect(await eventsSince(server, 'set', from, { filter: null })).toHaveLength(3)
    const refused = await watch(server, 'set', { bk_cursor: from, filter: { 'after.bk_host_name': 'x' } })
    expect(refused).toMatchObject({ result: false, bk_error_code: 1199011 })
  })

  it('includes built-in sets and modules of a new business; each event of a record has its own cursor', async () => {
    const from = await cursorNow(server)
    const other = await makeBusiness(server)
    expect(await eventsSince(server, 'biz', from)).toMatchObject([{ bk_detail: { bk_biz_id: other } }])
    expect(await eventsSince(server, 'set', from)).toMatchObject([{ bk_detail: { bk_set_name: 'idle pool' } }])
    const modules = await eventsSince(server, 'module', from)
    expect(modules.map((each) => each.bk_detail?.bk_module_name)).toEqual(['idle machine', 'fault machine'])
    expect(await eventsSince(server, 'module', modules[0]?.bk_cursor ?? '')).toEqual(modules.slice(1))
  })

  it('answers as soon as a matching event happens', async () => {
    const modules = watch(server, 'module')
    const businesses = watch(server, 'biz')
    await waitingFor(server, 2)
    const module = await makeModule(server, business, await makeSet(server, business), 'web')
    expect((await modules).data.bk_events).toMatchObject([{ bk_detail: { bk_module_id: module } }])
    await waitingFor(server, 1)
    const another = await makeBusiness(server)
    expect((await businesses).data.bk_events).toMatchObject([{ bk_detail: { bk_biz_id: another } }])
  })

  it('without matching events it answers a cursor after those that did not match', async () => {
    const { storage, tail } = server.service
    const log = await readLog(storage.read)
    const nothing = { account: '0', objTypes: ['module'], actions: ['delete' as const] }
    const feed = {
      storage,
      tail,
      identities: undefined,
      followsQuery: async () => false,
      objectsBehindQuery: async () => [],
    }
    const batch = await waitForEvents(
      feed,
      nothing,
      { cursor: after(emptyHistory), era: storage.history.era },
      AbortSignal.timeout(50),
    )
    expect(batch).toMatchObject({ seen: [], cursor: after(markOf(log.at(-1))) })
  })

  it('answers at most 200 events, and the rest in the next answers', async () => {
    const from = await cursorNow(server)
    await recordSets(server, 230)
    const first = await eventsSince(server, 'set', from)
    const second = await eventsSince(server, 'set', first.at(-1)?.bk_cursor ?? '')
    expect([first.length, second.length]).toEqual([200, 30])
    expect(new Set([...first, ...second].map((each) => each.bk_detail?.bk_set_id)).size).toBe(230)
  })

  it('starts from a given second, inclusive, or from now', async () => {
    const now = Math.floor(Date.now() / 1000)
    while (Math.floor(Date.now() / 1000) === now) await pause(10)
    const set = await makeSet(server, business)
    await readLog(server.service.storage.read)
    const { data } = await watch(server, 'set', { bk_start_from: now + 1 })
    expect(data.bk_events[0]).toMatchObject({ bk_event_type: 'create', bk_detail: { bk_set_id: set } })
    const late = watch(server, 'set')
    await waitingFor(server, 1)
    const next = await makeSet(server, business)
    expect((await late).data.bk_events).toMatchObject([{ bk_detail: { bk_set_id: next } }])
  })

  it('searches the start time no further back than segments sealed well before it', async () => {
    const { storage, tail } = server.service
    const log = await readLog(storage.read)
    while (await sealNext(storage.engine, Date.now() - 120_000, true));
    const now = Math.floor(Date.now() / 1000)
    while (Math.floor(Date.now() / 1000) === now) await pause(10)
    await makeSet(server, business)
    await readLog(storage.read)
    const feed = {
      storage,
      tail,
      identities: undefined,
      followsQuery: async () => false,
      objectsBehindQuery: async () => [],
    }
    const from = await startOf(feed, '0', { cursor: undefined, since: (now + 1) * 1000 })
    expect(from.cursor).toEqual(after(markOf(log.at(-1))))
    const all = await startOf(feed, '0', { cursor: undefined, since: 1 })
    expect(all.cursor).toEqual(after(emptyHistory))
  })

  it('is answered immediately when the server stops, and continues after a restart, also from an empty cursor', async () => {
    const from = await cursorNow(server)
    const waiting = watch(server, 'set', { bk_cursor: from })
    await waitingFor(server, 1)
    await server.close()
    const { data } = await waiting
    expect(data).toEqual({
      bk_watched: false,
      bk_events: [{ bk_cursor: from, bk_resource: 'set', bk_event_type: '', bk_detail: null }],
    })
    server = await startServer(engine, { store })
    const set = await makeSet(server, business)
    expect(await eventsSince(server, 'set', from)).toMatchObject([{ bk_detail: { bk_set_id: set } }])
  })

  it('sees only its own account', async () => {
    const from = await cursorNow(server)
    await server.call('POST', '/biz/elsewhere', { bk_biz_name: 'other', bk_biz_maintainer: 'amy' })
    const own = await makeBusiness(server)
    expect(await eventsSince(server, 'biz', from)).toMatchObject([{ bk_detail: { bk_biz_id: own } }])
    const there = { HTTP_BK_SUPPLIER_ACCOUNT: 'elsewhere' }
    const { data } = await watch(server, 'biz', { bk_cursor: from }, there)
    expect(data.bk_events).toMatchObject([{ bk_detail: { bk_biz_name: 'other' } }])
  })

  it('covers any object, including levels and objects outside the main line', async () => {
    await server.call('POST', '/object', { bk_obj_id: 'rack', bk_obj_name: 'rack', bk_classification_id: 'bk_network' })
    await putLevel(server, 'region')
    const from = await cursorNow(server)
    const rack = await makeInstance(server, 'rack', { bk_inst_name: 'r1' })
    const place = { bk_biz_id: business, bk_parent_id: business }
    const region = await makeInstance(server, 'region', { bk_inst_name: 'north', ...place })
    expect(await eventsSince(server, 'rack', from)).toMatchObject([{ bk_detail: { bk_inst_id: rack } }])
    expect(await eventsSince(server, 'region', from)).toMatchObject([{ bk_detail: { bk_inst_id: region } }])
  })
})

it('a watch continues in another process, which sees this one’s changes', async () => {
  const store = await makeStore('postgres')
  const [one, other] = [await startServer('postgres', { store }), await startServer('postgres', { store })]
  const business = await makeBusiness(one)
  const waiting = watch(other, 'set', { bk_cursor: await cursorNow(one) })
  await waitingFor(other, 1)
  const set = await makeSet(one, business)
  const { data } = await waiting
  expect(data.bk_events).toMatchObject([{ bk_detail: { bk_set_id: set } }])
  const next = await makeSet(other, business)
  const seen = await eventsSince(one, 'set', data.bk_events[0]?.bk_cursor ?? '')
  expect(seen).toMatchObject([{ bk_detail: { bk_set_id: next } }])
  await one.close()
  await other.close()
  store.remove()
})

it('a watch from a time includes records numbered before a long change that had started earlier', async () => {
  const server = await startServer('postgres')
  const business = await makeBusiness(server)
  const now = Math.floor(Date.now() / 1000)
  while (Math.floor(Date.now() / 1000) === now) await pause(10)
  const actor = { user: 'test', account: '0', requestId: '' }
  const [set, began] = await server.service.storage.change(actor, async (tx) => {
    const meanwhile = await makeSet(server, business)
    for (let instance = 10_001; instance <= 11_200; instance++) {
      const what = { operation: 'add', object: 'set', instance, business, description: 'create set' } as const
      tx.record({ ...what, revision: 1, before: null, after: { bk_set_id: instance } })
    }
    return [meanwhile, tx.now]
  })
  await readLog(server.service.storage.read)
  const { data } = await watch(server, 'set', { bk_start_from: Math.floor(began / 1000) })
  expect(data.bk_events.slice(0, 2)).toMatchObject([
    { bk_detail: { bk_set_id: set } },
    { bk_detail: { bk_set_id: 10_001 } },
  ])
  await server.close()
})
