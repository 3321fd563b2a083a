import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { makeBusiness, makeSet, setBody } from '../../../testing/data/factories.ts'
import { makeHost } from '../../../testing/data/hosts.ts'
import {
  type AttemptRow,
  becomes,
  findSubscription,
  positionOf,
  subscribe,
  subscriptionBody,
  told,
} from '../../../testing/data/subscriptions.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { type Receiver, type Script, startReceiver } from '../../../testing/servers/receiver.ts'

const expectGrowing = (numbers: readonly number[]) =>
  expect(numbers.every((number, nth) => nth === 0 || number > (numbers[nth - 1] as number))).toBe(true)

eachEngine((engine) => {
  let server: TestServer
  let business: number
  const receivers: Receiver[] = []
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
  })
  afterEach(async () => {
    await Promise.all(receivers.splice(0).map((receiver) => receiver.close()))
  })
  afterAll(() => server.close())

  const receive = async (script?: Script) => {
    const receiver = await startReceiver(script)
    receivers.push(receiver)
    return receiver
  }
  const make = (name: string, biz = business) => makeSet(server, biz, { bk_set_name: name })
  const attempts = async (path: string) => (await server.call<AttemptRow[]>('GET', `${path}/attempts`)).data

  it('sends each event with the body that the contract defines', async () => {
    const receiver = await receive()
    const { id } = await subscribe(server, receiver)
    const set = await make('sent')
    await server.call('PUT', `/set/${business}/${set}`, { bk_biz_id: business, bk_capacity: 5 })
    await server.call('DELETE', `/set/${business}/${set}`)
    const requests = await receiver.received(3)
    const [created, updated, deleted] = requests.map((request) => JSON.parse(request.body))
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/)
    expect(created).toEqual({
      event_type: 'instdata',
      action: 'create',
      action_time: time,
      obj_type: 'set',
      data: [{ cur_data: expect.objectContaining({ bk_set_id: set, bk_set_name: 'sent' }), pre_data: null }],
      bk_supplier_account: '0',
      request_id: expect.any(String),
      request_time: time,
      txn_id: expect.stringMatching(/^[0-9a-v]{20}$/),
      revision: 1,
      position: expect.any(Number),
      distribution_id: 1,
      subscription_id: id,
    })
    expect(updated).toMatchObject({
      action: 'update',
      data: [{ cur_data: { bk_capacity: 5 }, pre_data: { bk_capacity: null } }],
      revision: 2,
      distribution_id: 2,
    })
    expect(deleted).toMatchObject({ action: 'delete', revision: 3, data: [{ cur_data: null }], distribution_id: 3 })
    expect(requests[0]).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } })
    expect(new Set(requests.map((request) => told(request).id)).size).toBe(3)
    await becomes(server, id, { statistics: { total: 3, failure: 0 }, state: 'active', lag: 0 })
  })

  it('signs with the secret, and for a day after a rotation also with the previous one', async () => {
    const receiver = await receive()
    const { path, secret } = await subscribe(server, receiver)
    await make('signed once')
    await receiver.received(1)
    const rotated = await server.call<{ secret: string }>('POST', `${path}/secret`, {})
    await make('signed twice')
    const [once, twice] = await receiver.received(2)
    const verify = (request: typeof once, by: string) =>
      new Webhook(by).verify(request?.body ?? '', request?.headers as Record<string, string>)
    verify(once, secret)
    verify(twice, secret)
    verify(twice, rotated.data.secret)
    expect(twice?.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/)
    expect(() => verify(once, rotated.data.secret)).toThrow()

    await server.service.storage.upkeep(async (writer) => {
      await writer.updateTable('subscription').set({ old_until: Date.now() }).execute()
    })
    await server.call('POST', `${path}/pause`)
    await server.call('POST', `${path}/resume`)
    await make('a day later')
    const [, , later] = await receiver.received(3)
    verify(later, rotated.data.secret)
    expect(() => verify(later, secret)).toThrow()
  })

  it('sends only events from after subscribing, of the subscribed names and business', async () => {
    const other = await makeBusiness(server)
    await make('before')
    const [mine, all] = [await receive(), await receive()]
    await subscribe(server, mine, { subscription_form: 'setcreate' }, business)
    await subscribe(server, all, { subscription_form: 'setcreate,setdelete' })
    await make('elsewhere', other)
    const set = await make('here')
    await server.call('DELETE', `/set/${business}/${set}`)
    const foreign = await server.call<{ bk_biz_id: number }>('POST', '/biz/another', { bk_biz_name: 'foreign' })
    const theirs = setBody(foreign.data.bk_biz_id, { bk_supplier_account: 'another' })
    expect((await server.call('POST', `/set/${foreign.data.bk_biz_id}`, theirs)).result).toBe(true)
    await make('last')
    expect((await all.received(4)).map((request) => told(request).name)).toEqual(['elsewhere', 'here', 'here', 'last'])
    expect((await mine.received(2)).map((request) => told(request).name)).toEqual(['here', 'last'])
  })

  it('sends every event of a record: a new business comes with its set and modules', async () => {
    const receiver = await receive()
    await subscribe(server, receiver, { subscription_form: 'bizcreate,setcreate,modulecreate' })
    await makeBusiness(server)
    const requests = await receiver.received(4)
    expect(requests.map((request) => JSON.parse(request.body).obj_type)).toEqual(['biz', 'set', 'module', 'module'])
    expect(requests.map((request) => told(request).id.split('_').at(-1))).toEqual(['0', '1', '2', '3'])
  })

  it('sends a host’s identity to the business it joins, and its departure to the one it leaves', async () => {
    const [left, joined] = [await receive(), await receive()]
    const pool = 1
    const host = await makeHost(server)
    const form = { subscription_form: 'moduletransfer,hostidentifier' }
    await subscribe(server, left, form, pool)
    await subscribe(server, joined, form, business)
    await server.call('POST', '/hosts/modules/resource/idle', { bk_biz_id: business, bk_host_id: [host] })
    await server.call('POST', '/hosts/modules/resource', { bk_biz_id: business, bk_host_id: [host] })
    const sent = async (receiver: Receiver) =>
      (await receiver.received(3)).map((request) => {
        const { obj_type, action } = JSON.parse(request.body)
        return `${obj_type} ${action}`
      })
    expect(await sent(joined)).toEqual(['moduletransfer create', 'hostidentifier update', 'moduletransfer delete'])
    expect(await sent(left)).toEqual(['moduletransfer delete', 'moduletransfer create', 'hostidentifier update'])
  })

  it('keeps the order of the log, also for concurrent changes', async () => {
    const receiver = await receive()
    const { id } = await subscribe(server, receiver, { subscription_form: 'setcreate' })
    await Promise.all(Array.from({ length: 40 }, (_, index) => make(`at once ${index}`)))
    const requests = await receiver.received(40)
    const { read } = server.service.storage
    const positions = await Promise.all(requests.map((request) => positionOf(read, told(request).id)))
    expectGrowing(positions)
    expectGrowing(requests.map((request) => told(request).distribution))
    await becomes(server, id, { statistics: { total: 40, failure: 0 } })
  })

  it.each([
    ['httpstatus', '202', { status: 202 }, { status: 200 }],
    ['regular', 'done: \\d+', { status: 500, body: 'well done: 5' }, { status: 200, body: 'done: x' }],
  ])('confirms by %s %s', async (confirm_mode, confirm_pattern, right, wrong) => {
    const receiver = await receive((_, nth) => (nth === 0 ? wrong : right))
    const { id, path } = await subscribe(server, receiver, { confirm_mode, confirm_pattern })
    await make(`judged by ${confirm_mode}`)
    await becomes(server, id, { statistics: { total: 1, failure: 1 }, waiting: 1 })
    await make(`judged by ${confirm_mode} again`)
    await becomes(server, id, { statistics: { total: 2, failure: 1 }, waiting: 1 })
    await expect.poll(() => attempts(path)).toHaveLength(2)
    const [second, first] = await attempts(path)
    expect(first).toMatchObject({
      result: 'rejected',
      http_status: wrong.status,
      error: expect.stringContaining('responded with 200'),
    })
    expect(second).toMatchObject({ result: 'confirmed', http_status: right.status, error: '' })
  })

  it('stores the last hundred pushes with their answers and durations', async () => {
    const receiver = await receive({ body: `\0${'é'.repeat(2_000)}` })
    const { path, id } = await subscribe(server, receiver, { subscription_form: 'setcreate' })
    await make('remembered')
    await becomes(server, id, { statistics: { total: 1 } })
    const [attempt] = await attempts(path)
    expect(attempt).toEqual({
      time: expect.any(String),
      position: expect.any(Number),
      event: 0,
      webhook_id: told(receiver.requests[0] as never).id,
      distribution_id: 1,
      result: 'confirmed',
      http_status: 200,
      duration: expect.any(Number),
      error: '',
      event_name: 'setcreate',
      bk_obj_id: 'set',
      bk_inst_id: expect.any(Number),
      request_body: receiver.requests[0]?.body,
      response_body: `\ufffd${'é'.repeat(1_023)}`,
    })
    await Promise.all(Array.from({ length: 120 }, (_, index) => make(`remembered ${index}`)))
    await becomes(server, id, { statistics: { total: 121 } })
    const newest = told(receiver.requests.at(-1) as never).id
    await expect.poll(async () => (await attempts(path))[0]?.webhook_id).toBe(newest)
    expect(await attempts(path)).toHaveLength(100)
  })

  it('sends nothing while paused, and everything after resuming', async () => {
    const receiver = await receive()
    const { path, id } = await subscribe(server, receiver)
    await server.call('POST', `${path}/pause`)
    await make('while paused')
    await make('while paused, too')
    const watcher = await receive()
    await subscribe(server, watcher)
    await make('seen by another')
    await watcher.received(1)
    expect(receiver.requests).toEqual([])
    expect(await findSubscription(server, id)).toMatchObject({ state: 'paused' })
    await server.call('POST', `${path}/resume`)
    const requests = await receiver.received(3)
    expect(requests.map((request) => told(request).name)).toEqual([
      'while paused',
      'while paused, too',
      'seen by another',
    ])
  })

  it('after a subscription is replaced, pending events follow the new address and form', async () => {
    const [old, renewed] = [await receive(), await receive()]
    const { path, id } = await subscribe(server, old)
    await make('to the old address')
    await old.received(1)
    await server.call('POST', `${path}/pause`)
    const set = await make('not wanted any more')
    await server.call('DELETE', `/set/${business}/${set}`)
    await server.call('PUT', path, subscriptionBody(renewed.url, { subscription_form: 'setdelete,modulecreate' }))
    await server.call('POST', `${path}/resume`)
    const [request] = await renewed.received(1)
    expect(told(request as never)).toMatchObject({ action: 'delete', name: 'not wanted any more', distribution: 2 })
    expect(old.requests).toHaveLength(1)
    await becomes(server, id, { statistics: { total: 2, failure: 0 } })
  })

  it('stops immediately when unsubscribed, also during a push', async () => {
    const receiver = await receive({ instead: 'hang' })
    const { path } = await subscribe(server, receiver, { timeout: 300 })
    await make('never answered')
    await make('never sent')
    await receiver.received(1)
    expect((await server.call('DELETE', path)).data).toBe('success')
    receiver.answer({})
    const watcher = await receive()
    await subscribe(server, watcher)
    await make('seen by another alone')
    await watcher.received(1)
    expect(receiver.requests).toHaveLength(1)
  })

  it('exports the progress of each subscription to Prometheus', async () => {
    const [good, bad] = [await receive(), await receive({ status: 400 })]
    const confirmed = await subscribe(server, good)
    const rejected = await subscribe(server, bad)
    await make('measured')
    await becomes(server, confirmed.id, { statistics: { total: 1 } })
    await becomes(server, rejected.id, { statistics: { total: 1 } })
    const text = await (await fetch(`${server.url}/metrics`)).text()
    expect(text).toContain(`mainline_subscription_attempts_total{subscription="${confirmed.id}"} 1`)
    expect(text).toContain(`mainline_subscription_failures_total{subscription="${rejected.id}",result="rejected"} 1`)
    expect(text).not.toContain(`mainline_subscription_failures_total{subscription="${confirmed.id}"`)
    expect(text).toContain(`mainline_subscription_lag_events{subscription="${confirmed.id}"} 0`)
    expect(text).toContain(`mainline_subscription_lag_seconds{subscription="${confirmed.id}"} 0`)
    await server.call('DELETE', rejected.path)
    expect(await (await fetch(`${server.url}/metrics`)).text()).not.toContain(`subscription="${rejected.id}"`)
  })

  it('exports the age of the oldest undelivered event to Prometheus, also while no sender runs', async () => {
    const lagOf = async ({ id }: { id: number }) => {
      const text = await (await fetch(`${server.url}/metrics`)).text()
      return Number(new RegExp(`^mainline_subscription_lag_seconds{subscription="${id}"} (.+)$`, 'm').exec(text)?.[1])
    }
    const [good, bad] = [await receive(), await receive({ status: 400, headers: { 'retry-after': '3600' } })]
    const paused = await subscribe(server, good, { subscription_form: 'setdelete' })
    const rejected = await subscribe(server, bad, { subscription_form: 'setcreate' })
    await server.call('POST', `${paused.path}/pause`)
    await becomes(server, paused.id, { state: 'paused' })
    const set = await make('old')
    const made = Date.now()
    await becomes(server, rejected.id, { waiting: 1, lag: 0 })
    await expect.poll(() => lagOf(rejected)).toBeGreaterThan(0)
    expect(await lagOf(paused)).toBe(0)
    await server.call('DELETE', `/set/${business}/${set}`)
    await expect.poll(() => lagOf(paused)).toBeGreaterThan(0)
    const least = (Date.now() - made) / 1_000
    expect(await lagOf(rejected)).toBeGreaterThanOrEqual(least)
    await server.call('POST', `${paused.path}/resume`)
    await becomes(server, paused.id, { lag: 0 })
    expect(await lagOf(paused)).toBe(0)
    bad.answer({})
    await server.call('POST', `${rejected.path}/pause`)
    await make('waits behind')
    await server.service.storage.upkeep(async (writer) => {
      await writer.updateTable('undelivered').set({ due: 0 }).where('subscription', '=', rejected.id).execute()
    })
    await server.call('POST', `${rejected.path}/resume`)
    await becomes(server, rejected.id, { waiting: 0, lag: 0 })
    expect(await lagOf(rejected)).toBe(0)
  })
})
