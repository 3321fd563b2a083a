import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { becomes, findSubscription, subscribe, told } from '../../../testing/data/subscriptions.ts'
import { eachEngine, makeStore, startServer, type TestServer } from '../../../testing/harness.ts'
import { type Received, type Receiver, type Reply, startReceiver } from '../../../testing/servers/receiver.ts'

/** The version of a set that an event is about, such as "a2". */
function versionOf({ body }: Received): string {
  const [{ cur_data }] = JSON.parse(body).data
  return `${cur_data.bk_set_name}${cur_data.bk_capacity}`
}

/** A receiver that answers each event when the test says so. */
async function startHolding() {
  const held: { version: string; answer(reply: Reply): void }[] = []
  const versions: string[] = []
  const receiver = await startReceiver((request) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const reply: { status?: number; until: Promise<void> } = { until: promise }
    const version = versionOf(request)
    versions.push(version)
    held.push({
      version,
      answer(answered) {
        Object.assign(reply, answered)
        resolve()
      },
    })
    return reply
  })
  onTestFinished(receiver.close)
  return {
    receiver,
    /** In the order of arrival. */
    versions,
    answer(version: string, reply: Reply = {}) {
      const at = held.findIndex((each) => each.version === version)
      expect(at, `${version} is in flight`).toBeGreaterThanOrEqual(0)
      held.splice(at, 1)[0]?.answer(reply)
    },
  }
}

const updates = { subscription_form: 'setupdate' }

eachEngine((engine) => {
  const flags = ['--retry-schedule=50ms,50ms,50ms,50ms,50ms,50ms,50ms,50ms']

  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine, { flags })
  })
  afterAll(() => server.close())

  /** A business with sets of these names. */
  async function shopIn(home: TestServer, names: readonly string[]) {
    const business = await makeBusiness(home)
    const sets = new Map<string, number>()
    for (const name of names) sets.set(name, await makeSet(home, business, { bk_set_name: name }))
    return {
      business,
      async change(...versions: string[]) {
        for (const [name = '', capacity] of versions) {
          const body = { bk_biz_id: business, bk_capacity: Number(capacity) }
          await home.call('PUT', `/set/${business}/${sets.get(name)}`, body)
        }
      },
    }
  }

  async function shop(names: readonly string[], parallel: number, { url }: Pick<Receiver, 'url'>) {
    const { business, change } = await shopIn(server, names)
    const { id, path } = await subscribe(server, { url }, { ...updates, parallel }, business)
    onTestFinished(async () => void (await server.call('DELETE', path)))
    return { id, path, change, becomes: (expected: unknown) => becomes(server, id, expected) }
  }
  it('as many events as asked for are in flight, and never two about one instance', async () => {
    const { receiver, versions, answer } = await startHolding()
    const { change, becomes } = await shop(['a', 'b', 'c', 'd'], 3, receiver)
    await change('a1', 'a2', 'b1', 'c1', 'd1')
    await receiver.received(3)
    expect(versions.toSorted()).toEqual(['a1', 'b1', 'c1'])
    answer('b1')
    await receiver.received(4)
    expect(versions[3]).toBe('d1')
    answer('c1')
    answer('d1')
    // The cursor stays before the first event that is not confirmed.
    await becomes({ statistics: { total: 3 }, lag: 5 })
    answer('a1')
    await receiver.received(5)
    expect(versions[4]).toBe('a2')
    answer('a2')
    await becomes({ statistics: { total: 5, failure: 0 }, lag: 0, waiting: 0 })
  })

  it('later events about an instance wait behind a rejected one, and the others continue', async () => {
    const { receiver, versions, answer } = await startHolding()
    const { change, becomes } = await shop(['a', 'b'], 2, receiver)
    await change('a1', 'a2', 'b1')
    await receiver.received(2)
    answer('a1', { status: 500 })
    await receiver.received(3)
    expect(versions[2]).toBe('a1')
    answer('b1')
    answer('a1')
    await receiver.received(4)
    expect(versions[3]).toBe('a2')
    answer('a2')
    await becomes({ statistics: { total: 4, failure: 1 }, lag: 0, waiting: 0 })
  })

  it('what was confirmed behind an unanswered event is not sent again by the next process', async () => {
    const store = await makeStore(engine)
    onTestFinished(store.remove)
    const first = await startServer(engine, { store, flags })
    const { receiver, versions, answer } = await startHolding()
    const { id } = await subscribe(first, receiver, { ...updates, parallel: 3 })
    const { change } = await shopIn(first, ['a', 'b', 'c'])
    await change('a1', 'a2', 'b1', 'c1', 'c2')
    await receiver.received(3)
    answer('c1')
    await receiver.received(4)
    answer('b1')
    answer('c2')
    await becomes(first, id, { statistics: { total: 3 }, lag: 5 })
    // Another process takes over where there may be two; otherwise it starts when the first one has stopped.
    const other = engine === 'postgres' ? await startServer(engine, { store, flags }) : undefined
    await first.close()
    const next = other ?? (await startServer(engine, { store, flags }))
    onTestFinished(() => next.close())
    await receiver.received(5)
    expect(versions.slice(4)).toEqual(['a1'])
    // The request of the first process, which has ended.
    answer('a1')
    answer('a1')
    await receiver.received(6)
    answer('a2')
    await becomes(next, id, { lag: 0, waiting: 0 })
    expect(versions.slice(4)).toEqual(['a1', 'a2'])
  })

  it('an unavailable receiver is probed with one event, however many were in flight', async () => {
    const { receiver, versions, answer } = await startHolding()
    const { change, becomes } = await shop(['a', 'b', 'c', 'd'], 4, receiver)
    await change('a1', 'b1', 'c1', 'd1')
    await receiver.received(4)
    const failed = performance.now()
    for (const version of ['b1', 'd1', 'a1', 'c1']) answer(version, { status: 503 })
    await receiver.received(5)
    // Four failures counted one by one would pause for five seconds.
    expect(performance.now() - failed).toBeLessThan(2_500)
    await becomes({ state: 'unreachable', statistics: { total: 4, failure: 4 } })
    expect(versions.slice(4)).toEqual(['a1'])
    answer('a1')
    await receiver.received(8)
    expect(versions.slice(5).toSorted()).toEqual(['b1', 'c1', 'd1'])
    for (const version of ['b1', 'c1', 'd1']) answer(version)
    await becomes({ state: 'active', lag: 0, statistics: { total: 8, failure: 4 } })
    const numbers = Map.groupBy(receiver.requests.map(told), (each) => each.distribution)
    expect(numbers.size).toBe(4)
  })

  it('keeps the order per instance while every third event is rejected, also of a replay', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    const open = new Set<string>()
    const confirmed: string[] = []
    let [most, twice] = [0, 0]
    const receiver = await startReceiver((request, nth) => {
      const version = versionOf(request)
      const [instance = ''] = version
      if (open.has(instance)) twice++
      open.add(instance)
      most = Math.max(most, open.size)
      const isRejected = nth % 3 === 0
      if (!isRejected) confirmed.push(version)
      const until = pause(5).then(() => open.delete(instance))
      return { status: isRejected ? 500 : 200, until }
    })
    onTestFinished(receiver.close)
    const { id, path, change, becomes } = await shop(names, 4, receiver)
    const rounds = ['1', '2', '3', '4', '5']
    const versions = rounds.flatMap((round) => names.map((name) => name + round))
    await change(...versions)
    await becomes({ lag: 0, waiting: 0, dead_letters: 0 })
    const ofEach = (from: number) => names.map((name) => confirmed.slice(from).filter((each) => each[0] === name))
    const inOrder = names.map((name) => rounds.map((round) => name + round))
    expect(ofEach(0)).toEqual(inOrder)

    const { position } = await findSubscription(server, id)
    await server.call('POST', `${path}/replay`, { from_position: 1, to_position: position })
    await expect.poll(() => confirmed.length).toBe(2 * versions.length)
    await becomes({ lag: 0, waiting: 0, dead_letters: 0 })
    expect(ofEach(versions.length)).toEqual(inOrder)
    expect(twice).toBe(0)
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(4)
  })

  it('a changed limit takes effect, and an event in flight is sent once', async () => {
    const { receiver, versions, answer } = await startHolding()
    const { id, path, change, becomes } = await shop(['a', 'b', 'c'], 2, receiver)
    await change('a1', 'b1', 'c1')
    await receiver.received(2)
    const { subscription_name, callback_url } = await findSubscription(server, id)
    await server.call('PUT', path, { subscription_name, callback_url, ...updates })
    answer('b1')
    answer('a1')
    await receiver.received(3)
    answer('c1')
    await becomes({ parallel: 1, lag: 0, statistics: { total: 3, failure: 0 } })
    expect(versions.toSorted()).toEqual(['a1', 'b1', 'c1'])
  })
})
