import { setTimeout as pause } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import {
  type AttemptRow,
  becomes,
  type DeadLetterRow,
  findSubscription,
  subscribe,
} from '../../../testing/data/subscriptions.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { type Received, type Script, startReceiver } from '../../../testing/servers/receiver.ts'

interface SentEvent {
  readonly webhook_id: string
  readonly data: readonly [{ readonly cur_data: { readonly bk_set_name: string; readonly bk_capacity: number } }]
}

const elementsOf = ({ body }: Received): SentEvent[] => JSON.parse(body)
const setNames = (request: Received) => elementsOf(request).map(({ data: [{ cur_data }] }) => cur_data.bk_set_name)

eachEngine((engine) => {
  let server: TestServer
  let business: number
  beforeAll(async () => {
    server = await startServer(engine, { flags: ['--retry-schedule=20ms,20ms'] })
    business = await makeBusiness(server)
  })
  afterAll(() => server.close())

  async function receiving(more: Record<string, unknown>, script?: Script) {
    const receiver = await startReceiver(script)
    onTestFinished(receiver.close)
    const subscribed = await subscribe(server, receiver, { subscription_form: 'setcreate', ...more })
    onTestFinished(async () => void (await server.call('DELETE', subscribed.path)))
    return { ...subscribed, receiver, becomes: (expected: unknown) => becomes(server, subscribed.id, expected) }
  }
  const make = (name: string) => makeSet(server, business, { bk_set_name: name })
  /** Events that pile up before the first one is sent. */
  async function pileUp(path: string, names: readonly string[]) {
    await server.call('POST', `${path}/pause`)
    for (const name of names) await make(name)
    await server.call('POST', `${path}/resume`)
  }

  it('sends CloudEvents in structured JSON, with the usual body as data, signed as usual', async () => {
    const { id, path, secret, receiver } = await receiving({ format: 'cloudevents' })
    const set = await make('cloudy')
    const [request] = await receiver.received(1)
    expect(request?.headers['content-type']).toBe('application/cloudevents+json')
    new Webhook(secret).verify(request?.body ?? '', request?.headers as Record<string, string>)
    const event = JSON.parse(request?.body ?? '')
    expect(event).toEqual({
      specversion: '1.0',
      id: request?.headers['webhook-id'],
      source: '/mainline/0',
      type: 'mainline.set.create',
      subject: `set/${set}`,
      time: event.data.action_time,
      datacontenttype: 'application/json',
      data: expect.objectContaining({ obj_type: 'set', action: 'create', subscription_id: id, distribution_id: 1 }),
    })
    await expect
      .poll(async () => (await server.call<AttemptRow[]>('GET', `${path}/attempts`)).data)
      .toMatchObject([{ request_body: request?.body, webhook_id: event.id }])
  })

  it('sends what has piled up in one request, in order, with an id for each event', async () => {
    const { path, secret, receiver, becomes } = await receiving({ batch: { max: 4, wait_ms: 1_000 } })
    await pileUp(path, ['b1', 'b2', 'b3', 'b4', 'b5'])
    const requests = await receiver.received(2)
    expect(requests.map(setNames)).toEqual([['b1', 'b2', 'b3', 'b4'], ['b5']])
    const ids = requests.flatMap(elementsOf).map(({ webhook_id }) => webhook_id)
    expect(new Set(ids).size).toBe(5)
    for (const { headers, body } of requests) {
      expect(headers['content-type']).toBe('application/json')
      expect(headers['webhook-id']).toMatch(/^batch_\d+_[\w-]{27}$/)
      new Webhook(secret).verify(body, headers as Record<string, string>)
    }
    await becomes({ statistics: { total: 5, failure: 0 }, lag: 0, batch: { max: 4, wait_ms: 1_000 } })
    const attempts = (await server.call<AttemptRow[]>('GET', `${path}/attempts`)).data
    expect(attempts.map(({ webhook_id }) => webhook_id).toSorted()).toEqual(ids.toSorted())
    const sent = requests.flatMap(({ body }) => JSON.parse(body)).map((element) => JSON.stringify(element))
    expect(attempts.map(({ request_body }) => request_body).toSorted()).toEqual(sent.toSorted())
  })

  it('a batch of CloudEvents waits for others, and is sent as soon as it is full', async () => {
    const { receiver } = await receiving({ format: 'cloudevents', batch: { max: 2, wait_ms: 10_000 } })
    for (const name of ['w1', 'w2']) await make(name)
    const [request] = await receiver.received(1)
    expect(request?.headers['content-type']).toBe('application/cloudevents-batch+json')
    const events = JSON.parse(request?.body ?? '') as { id: string; type: string }[]
    expect(events.map(({ type }) => type)).toEqual(['mainline.set.create', 'mainline.set.create'])
    expect(events.every(({ id }) => id.startsWith('event_'))).toBe(true)
  })

  it('an incomplete batch is sent when it has waited long enough', async () => {
    const { receiver } = await receiving({ batch: { max: 500, wait_ms: 100 } })
    for (const name of ['i1', 'i2']) await make(name)
    await expect.poll(() => receiver.requests.flatMap(setNames)).toEqual(['i1', 'i2'])
  })

  it('a rejected batch is sent again in halves, and only what cannot be accepted becomes a dead letter', async () => {
    const script: Script = (request) => ({ status: setNames(request).includes('poison') ? 500 : 200 })
    const { path, receiver, becomes } = await receiving({ batch: { max: 8, wait_ms: 10_000 } }, script)
    await pileUp(path, ['p1', 'p2', 'p3', 'p4', 'p5', 'poison', 'p7', 'p8'])
    await becomes({ dead_letters: 1, waiting: 0, lag: 0 })
    const rejected = (request: Received) => setNames(request).includes('poison')
    expect(receiver.requests.filter(rejected).map((request) => setNames(request).length)).toEqual([8, 4, 2, 1, 1, 1])
    const confirmed = receiver.requests.filter((request) => !rejected(request)).flatMap(setNames)
    expect(confirmed.toSorted()).toEqual(['p1', 'p2', 'p3', 'p4', 'p5', 'p7', 'p8'])
    const [dead] = (await server.call<DeadLetterRow[]>('GET', `${path}/deadletters`)).data
    expect(JSON.parse(dead?.request_body ?? '')).toMatchObject({ data: [{ cur_data: { bk_set_name: 'poison' } }] })
    expect(dead?.tries).toBe(3)
  })

  it('keeps the order per instance with several batches in flight, some of which are rejected', async () => {
    const names = ['o1', 'o2', 'o3', 'o4', 'o5']
    const sets = new Map<string, number>()
    for (const name of names) sets.set(name, await make(name))
    const open = new Set<string>()
    const confirmed: string[] = []
    let overlaps = 0
    const { id, becomes } = await receiving(
      { subscription_form: 'setupdate', parallel: 4, batch: { max: 3 } },
      (request, nth) => {
        const versions = elementsOf(request).map(({ data: [{ cur_data }] }) => cur_data)
        const instances = new Set(versions.map(({ bk_set_name }) => bk_set_name))
        if (!open.isDisjointFrom(instances)) overlaps++
        for (const instance of instances) open.add(instance)
        const isRejected = nth % 4 === 0
        if (!isRejected) confirmed.push(...versions.map((set) => `${set.bk_set_name} ${set.bk_capacity}`))
        const until = pause(5).then(() => {
          for (const instance of instances) open.delete(instance)
        })
        return { status: isRejected ? 500 : 200, until }
      },
    )
    const rounds = [1, 2, 3, 4, 5, 6]
    for (const bk_capacity of rounds) {
      const change = (set: number | undefined) =>
        server.call('PUT', `/set/${business}/${set}`, { bk_biz_id: business, bk_capacity })
      await Promise.all([...sets.values()].map(change))
    }
    await becomes({ lag: 0, waiting: 0 })
    expect(overlaps).toBe(0)
    const { dead_letters } = await findSubscription(server, id)
    for (const name of names) {
      const own = confirmed.filter((each) => each.startsWith(`${name} `)).map((each) => Number(each.slice(3)))
      expect(own).toEqual(own.toSorted((a, b) => a - b))
    }
    expect(new Set(confirmed).size).toBe(names.length * rounds.length - dead_letters)
  })
})
