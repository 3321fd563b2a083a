import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { insertMany } from '../../../../storage/index.ts'
import { removeOldest } from '../../../../storage/log/retention.ts'
import { sealNext } from '../../../../storage/log/seals.ts'
import { makeBusiness, makeSet } from '../../../../testing/data/factories.ts'
import {
  type AttemptRow,
  becomes,
  type DeadLetterRow,
  firstNames,
  positionOf,
  type SubscriptionRow,
  subscribe,
  subscriptionBody,
  told,
} from '../../../../testing/data/subscriptions.ts'
import { eachEngine, makeStore, startServer, type TestServer } from '../../../../testing/harness.ts'
import { readLog } from '../../../../testing/inspect/log.ts'
import { freePort } from '../../../../testing/servers/postgres.ts'
import { type Receiver, type Script, startReceiver } from '../../../../testing/servers/receiver.ts'

/** Rejects events of these names and confirms all others. */
const rejecting =
  (...names: string[]): Script =>
  (request) => ({ status: names.includes(told(request).name) ? 500 : 200 })

eachEngine((engine) => {
  let server: TestServer
  let business: number
  const receivers: Receiver[] = []
  beforeAll(async () => {
    server = await startServer(engine, { flags: ['--retry-schedule=10ms,20ms'] })
    business = await makeBusiness(server)
  })
  afterEach(async () => {
    await Promise.all(receivers.splice(0).map((receiver) => receiver.close()))
  })
  afterAll(() => server.close())

  const receive = async (script?: Script, port = 0) => {
    const receiver = await startReceiver(script, { port })
    receivers.push(receiver)
    return receiver
  }
  const make = (name: string) => makeSet(server, business, { bk_set_name: name })
  const attempts = async (path: string) => (await server.call<AttemptRow[]>('GET', `${path}/attempts`)).data
  const deadLetters = async (path: string) => (await server.call<DeadLetterRow[]>('GET', `${path}/deadletters`)).data

  it('a rejected event is retried by the schedule while the queue continues, and is confirmed late', async () => {
    const receiver = await receive(({ headers }, nth) => ({ status: nth < 2 && headers ? 500 : 200 }))
    const { id, path } = await subscribe(server, receiver)
    await make('late')
    await becomes(server, id, { statistics: { total: 3, failure: 2 }, waiting: 0, dead_letters: 0 })
    const tries = receiver.requests.map(told)
    expect(new Set(tries.map((each) => each.id)).size).toBe(1)
    expect(tries.map((each) => each.distribution)).toEqual([1, 1, 1])
    expect(await deadLetters(path)).toEqual([])
  })

  it('an event becomes a dead letter after its last attempt; later events were sent long before', async () => {
    const receiver = await receive(rejecting('poison'))
    const { id, path } = await subscribe(server, receiver)
    for (const name of ['one', 'poison', 'two', 'three']) await make(name)
    await becomes(server, id, { statistics: { total: 6, failure: 3 }, waiting: 0, dead_letters: 1, lag: 0 })
    expect(firstNames(receiver.requests)).toEqual(['one', 'poison', 'two', 'three'])
    const [dead] = await deadLetters(path)
    expect(dead).toMatchObject({ distribution_id: 2, tries: 3, error: expect.stringContaining('responded with 500') })
    expect((await attempts(path)).filter((attempt) => attempt.webhook_id === dead?.webhook_id)).toHaveLength(3)
  })

  it('the reason of a failed delivery is shown in the caller’s language', async () => {
    const chinese = { HTTP_BLUEKING_LANGUAGE: 'zh-cn' }
    const reason = async (id: number) => {
      const found = await server.call<SubscriptionRow[]>('POST', '/event/subscribe/search/0/0', {}, chinese)
      return found.data.find((each) => each.subscription_id === id)?.state_reason
    }
    const { id, path } = await subscribe(server, await receive({ status: 422 }), {
      confirm_pattern: '2\n0',
      confirm_mode: 'regular',
    })
    await make('unwanted')
    await becomes(server, id, { dead_letters: 1 })
    const letters = await server.call<DeadLetterRow[]>('GET', `${path}/deadletters`, undefined, chinese)
    expect(letters.data[0]?.error).toBe('接收方返回状态码 422，不符合 regular 2 0')
    expect((await attempts(path))[0]?.error).toBe('the receiver responded with 422, which does not match regular 2 0')
    await server.call('POST', `${path}/pause`)
    expect(await reason(id)).toBe('已由 admin 暂停')

    const away = await subscribe(server, { url: `http://127.0.0.1:${await freePort()}/` })
    await make('unheard')
    await becomes(server, away.id, { state: 'unreachable' })
    expect(await reason(away.id)).toBe('127.0.0.1 拒绝连接')
  })

  it('a replay sends dead letters again under the same webhook-id', async () => {
    const receiver = await receive({ status: 422 })
    const { id, path } = await subscribe(server, receiver)
    await make('revived')
    await make('revived, too')
    await becomes(server, id, { dead_letters: 2 })
    const dead = await deadLetters(path)
    const ids = dead.map((row) => row.webhook_id)
    receiver.answer({})
    const again = (range = {}) => server.call('POST', `${path}/replay`, { dead_letters: true, ...range })
    const first = { from_position: dead[0]?.position, to_position: dead[0]?.position }
    expect((await again(first)).data).toEqual({ dead_letters: 1, from_position: null, to_position: null })
    await becomes(server, id, { dead_letters: 1, waiting: 0 })
    expect((await deadLetters(path)).map((row) => row.webhook_id)).toEqual(ids.slice(1))
    expect((await again()).data).toMatchObject({ dead_letters: 1 })
    await becomes(server, id, { dead_letters: 0, waiting: 0, statistics: { total: 8, failure: 6 } })
    expect(
      receiver.requests
        .slice(-2)
        .map((request) => told(request).id)
        .sort(),
    ).toEqual(ids.toSorted())
    expect((await again()).data).toMatchObject({ dead_letters: 0 })
  })

  it('attempts and dead letters tell what was sent, and dead letters can be discarded', async () => {
    const receiver = await receive({ status: 422 })
    const { id, path } = await subscribe(server, receiver)
    const sets = [await make('dead 1'), await make('dead 2'), await make('dead 3')]
    await becomes(server, id, { dead_letters: 3 })
    const dead = await deadLetters(path)
    expect(dead.map(({ event_name, bk_obj_id, bk_inst_id }) => [event_name, bk_obj_id, bk_inst_id])).toEqual(
      sets.map((set) => ['setcreate', 'set', set]),
    )
    const sent = new Set(receiver.requests.map(({ body }) => body))
    expect(new Set(dead.map((letter) => letter.request_body))).toEqual(sent)
    await expect.poll(async () => (await attempts(path)).length).toBe(9)
    expect(new Set((await attempts(path)).map((attempt) => attempt.request_body))).toEqual(sent)

    const discard = (range = {}) => server.call('POST', `${path}/discard`, range)
    expect(await discard({ from_position: 1 })).toMatchObject({ bk_error_code: 1199006 })
    const first = { from_position: dead[0]?.position, to_position: dead[0]?.position }
    expect((await discard(first)).data).toEqual({ dead_letters: 1 })
    expect(await deadLetters(path)).toEqual(dead.slice(1))
    expect((await discard()).data).toEqual({ dead_letters: 2 })
    expect((await discard()).data).toEqual({ dead_letters: 0 })
    await becomes(server, id, { dead_letters: 0, waiting: 0, bk_revision: 3 })
    receiver.answer({})
    await make('dead 4')
    await becomes(server, id, { dead_letters: 0, statistics: { total: 10, failure: 9 } })
  })

  it('replaying a range removes the dead letters that are confirmed, and keeps those rejected again', async () => {
    const receiver = await receive(rejecting('dead', 'dead, too'))
    const { id, path } = await subscribe(server, receiver, { subscription_form: 'setcreate' })
    for (const name of ['dead', 'fine', 'dead, too']) await make(name)
    await becomes(server, id, { dead_letters: 2, waiting: 0, lag: 0 })
    const [first, second] = await deadLetters(path)
    receiver.answer(rejecting('dead, too'))
    const range = { from_position: first?.position, to_position: second?.position }
    expect((await server.call('POST', `${path}/replay`, range)).data).toMatchObject(range)
    await becomes(server, id, { dead_letters: 1, waiting: 0, statistics: { total: 12 } })
    expect((await deadLetters(path)).map((row) => row.webhook_id)).toEqual([second?.webhook_id])
  })

  it('lists dead letters in pages that end with a whole record', async () => {
    const { id, path } = await subscribe(server, await receive())
    await server.call('POST', `${path}/pause`)
    const row = { subscription: id, distribution_id: 1, tries: 3, due: null, time: 0, error: '' }
    // Seven per record, so the 200th is within a record.
    const rows = Array.from({ length: 300 }, (_, nth) => ({
      ...row,
      position: 1 + Math.floor(nth / 7),
      event: nth % 7,
      webhook_id: `event-${nth}`,
    }))
    await server.service.storage.upkeep((writer) => insertMany(writer, 'undelivered', rows))
    const listed: DeadLetterRow[] = []
    const pages: number[] = []
    for (let after = ''; ; after = `?after=${listed.at(-1)?.position}`) {
      const { data } = await server.call<DeadLetterRow[]>('GET', `${path}/deadletters${after}`)
      if (data.length === 0) break
      pages.push(data.length)
      listed.push(...data)
    }
    expect(pages).toEqual([203, 97])
    expect(new Set(listed.map((letter) => letter.webhook_id)).size).toBe(300)
  })

  it('replays any past range, by position or by time, with the current form', async () => {
    const receiver = await receive()
    const { id, path } = await subscribe(server, receiver, { subscription_form: 'setcreate' })
    const from = new Date()
    for (const name of ['first', 'second', 'third']) await make(name)
    const originals = (await receiver.received(3)).map(told)
    await becomes(server, id, { lag: 0 })
    const positions = await Promise.all(originals.map((each) => positionOf(server.service.storage.read, each.id)))

    const range = { from_position: positions[1], to_position: (positions[2] as number) + 1_000 }
    const byPosition = await server.call('POST', `${path}/replay`, range)
    expect(byPosition.data).toMatchObject({ dead_letters: 0, from_position: positions[1], to_position: positions[2] })
    const again = (await receiver.received(5)).slice(3).map(told)
    expect(again.map((each) => each.id)).toEqual(originals.slice(1).map((each) => each.id))
    expect(again.map((each) => each.distribution)).toEqual([4, 5])

    const times = { from_time: from.toISOString(), to_time: new Date().toISOString() }
    expect((await server.call('POST', `${path}/replay`, times)).result).toBe(true)
    expect((await receiver.received(8)).slice(5).map((request) => told(request).name)).toEqual([
      'first',
      'second',
      'third',
    ])
    await make('after')
    const all = (await receiver.received(9)).map(told)
    expect(all[8]).toMatchObject({ name: 'after' })
    // Without gaps, unless the lease expired in between: the next owner skips reserved numbers.
    expect(all[8]?.distribution).toBe(Math.max(...all.map((each) => each.distribution)))
    await becomes(server, id, { lag: 0, statistics: { total: 9, failure: 0 } })
  })

  it('probes an unavailable receiver without counting attempts, then sends everything in order', async () => {
    const port = await freePort()
    const { id, path } = await subscribe(server, { url: `http://127.0.0.1:${port}/` })
    for (const name of ['down one', 'down two', 'down three']) await make(name)
    await becomes(server, id, {
      state: 'unreachable',
      state_reason: expect.stringContaining('refused the connection'),
      waiting: 0,
    })
    const receiver = await receive((_, nth) => ({ status: nth === 0 ? 503 : 200 }), port)
    const requests = await receiver.received(4)
    expect(requests.map((request) => told(request).name)).toEqual(['down one', 'down one', 'down two', 'down three'])
    expect(requests.map((request) => told(request).distribution)).toEqual([1, 1, 2, 3])
    await becomes(server, id, { state: 'active', dead_letters: 0, waiting: 0, lag: 0 })
    const results = (await attempts(path)).map((attempt) => [attempt.result, attempt.http_status])
    expect(results.slice(0, 4)).toEqual([
      ['confirmed', 200],
      ['confirmed', 200],
      ['confirmed', 200],
      ['unreachable', 503],
    ])
    expect(results.at(-1)).toEqual(['unreachable', null])
  })

  it('a receiver that does not answer within its timeout counts as unavailable', async () => {
    const receiver = await receive((_, nth) => (nth === 0 ? { instead: 'hang' } : {}))
    const { id, path } = await subscribe(server, receiver, { timeout: 1 })
    await make('slow')
    await becomes(server, id, { state: 'active', statistics: { total: 2, failure: 1 }, waiting: 0 })
    await expect
      .poll(() => attempts(path))
      .toMatchObject([
        { result: 'confirmed' },
        { result: 'unreachable', http_status: null, error: expect.stringContaining('within 1 s') },
      ])
  })

  it('respects Retry-After, and after 429 pauses all events of the receiver', async () => {
    const reply = { status: 429, headers: { 'retry-after': '1' } }
    const times: number[] = []
    const receiver = await receive((_, nth) => {
      times.push(Date.now())
      return nth === 0 ? reply : {}
    })
    const { id } = await subscribe(server, receiver)
    await make('too much')
    await make('waits as well')
    await becomes(server, id, { statistics: { total: 3, failure: 1 }, waiting: 0 })
    expect((times[1] as number) - (times[0] as number)).toBeGreaterThanOrEqual(990)
  })

  it('after a subscription is replaced, retries go to the new address, and events that no longer match are dropped', async () => {
    const [old, renewed] = [await receive({ status: 500, headers: { 'retry-after': '3' } }), await receive()]
    const { id, path } = await subscribe(server, old, { subscription_form: 'setcreate,setdelete' })
    const set = await make('refused')
    await server.call('DELETE', `/set/${business}/${set}`)
    // The deletion waits behind the rejected creation.
    await becomes(server, id, { waiting: 2 })
    await server.call('PUT', path, subscriptionBody(renewed.url, { subscription_form: 'setdelete' }))
    await becomes(server, id, { waiting: 0, dead_letters: 0, statistics: { total: 2, failure: 1 } })
    expect(renewed.requests.map((request) => told(request).action)).toEqual(['delete'])
    expect(old.requests.map((request) => told(request).action)).toEqual(['create'])
  })

  it('holds new events back while a hundred instances wait for retries, which means that the receiver is failing', async () => {
    const receiver = await receive({ status: 500, headers: { 'retry-after': '3600' } })
    const { id } = await subscribe(server, receiver, { subscription_form: 'setcreate' })
    await Promise.all(Array.from({ length: 110 }, (_, index) => make(`held back ${index}`)))
    await becomes(server, id, { waiting: 100, statistics: { total: 100, failure: 100 } })
    expect(receiver.requests).toHaveLength(100)
  })

  it('reports events that retention removed before delivery, and continues with the rest', async () => {
    const store = await makeStore(engine)
    const before = await startServer(engine, { store })
    const home = await makeBusiness(before)
    const receiver = await receive()
    const { id, path } = await subscribe(before, receiver)
    await before.call('POST', `${path}/pause`)
    for (const name of ['lost', 'lost, too']) await makeSet(before, home, { bk_set_name: name })
    const log = await readLog(before.service.storage.read)
    while (await sealNext(before.service.storage.engine, Date.now(), true));
    while (await removeOldest(before.service.storage.engine, Date.now() + 1_000));
    await makeSet(before, home, { bk_set_name: 'kept' })
    await before.close()

    const after = await startServer(engine, { store })
    await after.call('POST', `${path}/resume`)
    const requests = await receiver.received(1)
    expect(requests.map((request) => told(request).name)).toEqual(['kept'])
    const state_reason = expect.stringContaining(`to ${log.at(-1)?.position} were removed`)
    await becomes(after, id, { state: 'lapsed', state_reason, lag: 0 })
    await after.call('POST', `${path}/resume`)
    await becomes(after, id, { state: 'active', state_reason: '' })
    await after.close()
    store.remove()
  })
})
