import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Reader } from '../../packages/server/src/storage/index.ts'
import { setBody } from '../../packages/server/src/testing/data/factories.ts'
import {
  becomes,
  findSubscription,
  firstNames,
  subscribe,
  told,
} from '../../packages/server/src/testing/data/subscriptions.ts'
import { isFull } from '../../packages/server/src/testing/full.ts'
import { makeStore, startServer } from '../../packages/server/src/testing/harness.ts'
import { readLog } from '../../packages/server/src/testing/inspect/log.ts'
import { type ServerProcess, spawnServer } from '../../packages/server/src/testing/process.ts'
import { type Received, type Reply, startReceiver } from '../../packages/server/src/testing/servers/receiver.ts'

const makeBusiness = async (server: ServerProcess) =>
  (await server.call<{ bk_biz_id: number }>('POST', '/biz/0', { bk_biz_name: 'sender' })).data.bk_biz_id

/** Creates sets until stopped; knows which were acknowledged. */
function writing(business: number, clients: number, through: () => ServerProcess) {
  const acknowledged = new Set<string>()
  let next = 0
  let stopping = false
  const client = async () => {
    while (!stopping) {
      const name = `set ${next++}`
      const body = setBody(business, { bk_set_name: name })
      const done = await through()
        .call('POST', `/set/${business}`, body)
        .catch(() => undefined)
      if (done?.result) acknowledged.add(name)
      // Not faster than events are sent, or the test would mostly wait for them.
      await pause(10)
    }
  }
  const running = Array.from({ length: clients }, client)
  return {
    acknowledged,
    async stop() {
      stopping = true
      await Promise.all(running)
    },
  }
}

/** An event always has the same webhook-id, and no two events share a webhook-id or a distribution number. */
function expectIdentities(requests: readonly Received[]): void {
  const names = new Map<string, string>()
  const numbers = new Map<number, string>()
  for (const { id, name, distribution } of requests.map(told)) {
    expect(names.get(id) ?? name).toBe(name)
    expect(numbers.get(distribution) ?? id).toBe(id)
    names.set(id, name)
    numbers.set(distribution, id)
  }
  expect(new Set(names.values()).size).toBe(names.size)
}

const arrived = (requests: readonly Received[], names: ReadonlySet<string>) => {
  const seen = new Set(firstNames(requests))
  return [...names].filter((name) => !seen.has(name))
}

/** The names of sets in the order of the log, in which they must first arrive. */
async function namesInOrder(reader: Reader): Promise<unknown[]> {
  const log = await readLog(reader)
  return log.filter((record) => record.object_id === 'set').map((record) => record.content.cur?.bk_set_name)
}

it('loses nothing when killed while sending, and keeps the order of first deliveries', async () => {
  const store = await makeStore('sqlite')
  const receiver = await startReceiver(() => ({ delayMs: 1 }))
  let server = await spawnServer(store)
  const business = await makeBusiness(server)
  await subscribe(server, receiver, { subscription_form: 'setcreate' })
  const writer = writing(business, 4, () => server)
  for (let round = 1; round <= 2; round++) {
    await receiver.received(round * 40)
    await server.end('SIGKILL')
    server = await spawnServer(store)
  }
  await receiver.received(120)
  await writer.stop()
  await server.end('SIGKILL')

  const watcher = await startServer('sqlite', { store })
  await expect.poll(() => arrived(receiver.requests, writer.acknowledged), { timeout: 15_000 }).toEqual([])
  expect(firstNames(receiver.requests)).toEqual(await namesInOrder(watcher.service.storage.read))
  expectIdentities(receiver.requests)
  await watcher.close()
  await receiver.close()
  store.remove()
}, 120_000)

/** Longer by hand: CHAOS_SECONDS=600. */
const chaosTime = Number(process.env.CHAOS_SECONDS ?? (isFull ? 6 : 3)) * 1_000
/** Longer than a lease in the long form; the short form leaves that to the test below. */
const longestFreezeMs = isFull ? 9_000 : 2_000
const failures: Reply[] = [{ status: 503 }, { instead: 'reset' }, { delayMs: 1_200 }]

it('receivers fail, hang and lie, three processes are killed and frozen at random: everything arrives, in order of first deliveries', async () => {
  const store = await makeStore('postgres')
  const oneOf = <T>(...choices: T[]) => choices[Math.floor(Math.random() * choices.length)] as T
  const receivers = {
    good: await startReceiver(),
    failing: await startReceiver(() =>
      // Each failure costs a second: frequent enough to occur, rare enough to make progress.
      oneOf<Reply>(...Array(60).fill({}), ...Array(8).fill({ status: 500 }), ...failures),
    ),
    lying: await startReceiver(() => oneOf<Reply>({ body: 'no' }, { status: 500, body: 'ok' })),
  }
  // Includes the watching process, since it sends like the others.
  const flags = ['--connections=4', '--retry-schedule=50ms,100ms,200ms']
  const spawn = () => spawnServer(store, flags)
  const servers = [await spawn(), await spawn(), await spawn()]
  const [first] = servers as [ServerProcess]
  const business = await makeBusiness(first)
  const form = { subscription_form: 'setcreate', timeout: 1 }
  const ids = [
    await subscribe(first, receivers.good, form),
    await subscribe(first, receivers.failing, form),
    await subscribe(first, receivers.lying, { ...form, confirm_mode: 'regular', confirm_pattern: 'ok' }),
  ].map((subscribed) => subscribed.id)
  const writer = writing(business, 1, () => oneOf(...servers))

  const until = Date.now() + chaosTime
  const torment = async () => {
    while (Date.now() < until) {
      await pause(500 + Math.random() * 1_500)
      const victim = Math.floor(Math.random() * servers.length)
      const server = servers[victim] as ServerProcess
      if (Math.random() < 0.5) {
        await server.end('SIGKILL')
        servers[victim] = await spawn()
      } else {
        server.child.kill('SIGSTOP')
        await pause(Math.random() * longestFreezeMs)
        server.child.kill('SIGCONT')
      }
    }
  }
  await torment()
  await writer.stop()

  const watcher = await startServer('postgres', { store, flags })
  const expected = await namesInOrder(watcher.service.storage.read)
  expect([...writer.acknowledged].filter((name) => !expected.includes(name))).toEqual([])
  for (const [nth, receiver] of Object.values(receivers).entries()) {
    await expect.poll(() => firstNames(receiver.requests), { timeout: 60_000, interval: 200 }).toEqual(expected)
    await becomes(watcher, ids[nth] as number, { waiting: 0, lag: 0 }, 30_000)
    expectIdentities(receiver.requests)
    const { statistics } = await findSubscription(watcher, ids[nth] as number)
    // What was sent and not saved before a process was killed is sent again, and counted then.
    expect(statistics.total).toBeLessThanOrEqual(receiver.requests.length)
    expect(statistics.total).toBeGreaterThanOrEqual(expected.length)
    expect(statistics.failure).toBeLessThan(statistics.total)
  }
  for (const server of servers) await server.end('SIGTERM')
  await watcher.close()
  await Promise.all(Object.values(receivers).map((receiver) => receiver.close()))
}, 180_000)

/** Each process formats times in its own zone, which identifies the sender. */
const zones = { first: 'UTC', second: 'Asia/Shanghai', third: 'Asia/Tokyo' }
const offsets: Record<string, keyof typeof zones> = { '+00:00': 'first', '+08:00': 'second', '+09:00': 'third' }
const senderOf = (request: Received) => offsets[JSON.parse(request.body).action_time.slice(-6)]

it('one process sends at a time: when it is killed, frozen or stopped, another takes over within ten seconds', async () => {
  const store = await makeStore('postgres')
  const receiver = await startReceiver()
  const spawn = (name: keyof typeof zones) => spawnServer(store, [`--timezone=${zones[name]}`])
  const first = await spawn('first')
  const business = await makeBusiness(first)
  const { id } = await subscribe(first, receiver, { subscription_form: 'setcreate' })
  const second = await spawn('second')
  let api = second
  const writer = writing(business, 1, () => api)
  const sentBy = (name: keyof typeof zones) => receiver.requests.filter((request) => senderOf(request) === name).length
  const takenOver = async (name: keyof typeof zones, within: number) => {
    const before = sentBy(name)
    await expect.poll(() => sentBy(name), { timeout: within, interval: 20 }).toBeGreaterThan(before)
  }
  await takenOver('first', 10_000)

  first.child.kill('SIGSTOP')
  await takenOver('second', 10_000)
  first.child.kill('SIGCONT')
  const thawed = receiver.requests.length
  await receiver.received(thawed + 100)
  expect(receiver.requests.slice(thawed).filter((request) => senderOf(request) !== 'second')).toEqual([])

  api = first
  await second.end('SIGKILL')
  await takenOver('first', 10_000)

  const third = await spawn('third')
  api = third
  await first.end('SIGTERM')
  // Handed over without waiting for the lease, which lasts seven seconds.
  await takenOver('third', 5_000)
  await writer.stop()
  await expect.poll(() => arrived(receiver.requests, writer.acknowledged), { timeout: 10_000 }).toEqual([])
  await becomes(third, id, { state: 'active', lag: 0 })

  const turns = receiver.requests.map(senderOf).filter((sender, nth, all) => sender !== all[nth - 1])
  expect(turns).toEqual(['first', 'second', 'first', 'third'])
  expectIdentities(receiver.requests)
  const watcher = await startServer('postgres', { store })
  expect(firstNames(receiver.requests)).toEqual(await namesInOrder(watcher.service.storage.read))
  await watcher.close()
  await third.end('SIGTERM')
  await receiver.close()
}, 120_000)
