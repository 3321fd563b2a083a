import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { becomes, findSubscription, subscribe, told } from '../../../testing/data/subscriptions.ts'
import { makeStore, startServer, type TestServer, type TestStore } from '../../../testing/harness.ts'
import { type CuttingProxy, startCuttingProxy } from '../../../testing/servers/proxy.ts'
import { type Received, type Receiver, startReceiver } from '../../../testing/servers/receiver.ts'

let store: TestStore
let proxy: CuttingProxy
let server: TestServer
let business: number
let receiver: Receiver
beforeAll(async () => {
  store = await makeStore('postgres')
  proxy = await startCuttingProxy(store.databaseUrl)
  server = await startServer('postgres', { store, flags: [`--database-url=${proxy.url}`] })
  business = await makeBusiness(server)
  receiver = await startReceiver()
})
afterAll(async () => {
  await server.close()
  await receiver.close()
  proxy.close()
})

const make = (name: string) => makeSet(server, business, { bk_set_name: name })
const stored = (id: number) =>
  server.service.storage.read
    .selectFrom('delivery')
    .select('epoch')
    .where('subscription', '=', id)
    .executeTakeFirstOrThrow()
/** No distribution number is used for two events. */
function expectNumbersOnce(requests: readonly Received[]): void {
  const events = Map.groupBy(requests.map(told), (each) => each.distribution)
  for (const [number, sent] of events) expect(new Set(sent.map((each) => each.id)).size, `number ${number}`).toBe(1)
}

it('no distribution number is used twice if the save of a confirmed push is cut off at its commit', async () => {
  receiver.answer({ body: 'cut confirmed' })
  const { id, path } = await subscribe(server, receiver, { subscription_form: 'setcreate' })
  proxy.cutCommitOf('cut confirmed', 'after it arrived')
  const before = proxy.cuts
  await make('cut 1')
  await expect.poll(() => proxy.cuts).toBe(before + 1)
  const { epoch } = await stored(id)
  for (const name of ['cut 2', 'cut 3']) {
    await becomes(server, id, { lag: 0 })
    await make(name)
  }
  await receiver.received(3)
  await becomes(server, id, { lag: 0, statistics: { total: 3, failure: 0 } })
  expectNumbersOnce(receiver.requests)
  expect(receiver.requests.map((request) => told(request).name)).toEqual(['cut 1', 'cut 2', 'cut 3'])
  expect((await stored(id)).epoch).toBe(epoch)
  await server.call('DELETE', path)
})

it('progress of other subscriptions is saved if the save of a rejected push is cut off at its commit', async () => {
  const away = await startReceiver({ status: 503, body: 'cut unreachable' })
  const good = await startReceiver()
  const stuck = await subscribe(server, away, { subscription_form: 'setcreate' })
  const other = await subscribe(server, good, { subscription_form: 'setcreate' })
  // So that the save in question does not move the cursor.
  for (const { id } of [stuck, other]) await becomes(server, id, { lag: 0 })
  proxy.cutCommitOf('cut unreachable', 'after it arrived')
  const before = proxy.cuts
  await make('unreachable')
  await expect.poll(() => proxy.cuts).toBe(before + 1)
  await make('goes on')
  await good.received(2)
  await becomes(server, other.id, { lag: 0, statistics: { total: 2, failure: 0 } })
  const failed = (await findSubscription(server, stuck.id)).statistics
  expect(failed.failure).toBe(failed.total)
  away.answer({})
  await becomes(server, stuck.id, { lag: 0, state: 'active' })
  await Promise.all([stuck, other].map(({ path }) => server.call('DELETE', path)))
  await Promise.all([away.close(), good.close()])
})

it('no distribution number is used twice if a process could not release a subscription', async () => {
  const shared = await startReceiver()
  const both = await Promise.all([1, 2].map(() => subscribe(server, shared, { subscription_form: 'setcreate' })))
  await make('before')
  await shared.received(2)
  for (const { id } of both) await becomes(server, id, { lag: 0 })
  // Pausing releases the subscription, while the database is unreachable for a moment.
  const before = proxy.cuts
  proxy.cutCommitOf('update "delivery" set "owner" = $1 where "subscription"', 'before it arrives', {
    thenRefuse: true,
  })
  const second = await startServer('postgres', { store })
  await expect.poll(() => proxy.cuts).toBe(before + 1)
  // Long enough for a retry, too short for the lease to expire.
  await pause(500)
  proxy.accept()
  const owners = async () => {
    const rows = await second.service.storage.read.selectFrom('delivery').select('owner').execute()
    return new Set(rows.map((row) => row.owner).filter((owner) => owner !== '')).size
  }
  await expect.poll(owners, { timeout: 10_000 }).toBe(2)
  await makeSet(second, business, { bk_set_name: 'after' })
  await shared.received(4)
  for (const { id } of both) {
    const sent = shared.requests.filter((request) => JSON.parse(request.body).subscription_id === id)
    expect(new Set(sent.map((request) => told(request).name))).toEqual(new Set(['before', 'after']))
    expectNumbersOnce(sent)
  }
  await second.close()
  await shared.close()
})
