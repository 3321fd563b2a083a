import { expect, it } from 'vitest'
import { makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { becomes, subscribe, told } from '../../../testing/data/subscriptions.ts'
import { eachEngine, makeStore, startServer } from '../../../testing/harness.ts'
import { startReceiver } from '../../../testing/servers/receiver.ts'

const subscriptions = 100
const changes = 10

eachEngine((engine) => {
  it('a receiver that hangs delays none of a hundred others', async () => {
    const server = await startServer(engine)
    const [hanging, receiver] = [await startReceiver({ instead: 'hang' }), await startReceiver()]
    const business = await makeBusiness(server)
    const stuck = await subscribe(server, hanging, { subscription_form: 'setcreate', timeout: 300 })
    const others = Array.from({ length: subscriptions }, () =>
      subscribe(server, receiver, { subscription_form: 'setcreate' }),
    )
    const ids = (await Promise.all(others)).map((each) => each.id)
    const names = Array.from({ length: changes }, (_, index) => `for many ${index}`)
    for (const name of names) await makeSet(server, business, { bk_set_name: name })
    const requests = await receiver.received(subscriptions * changes)
    const bySubscription = Map.groupBy(requests, (request) => JSON.parse(request.body).subscription_id)
    for (const id of ids) expect(bySubscription.get(id)?.map((request) => told(request).name)).toEqual(names)
    expect(hanging.requests).toHaveLength(1)
    await becomes(server, stuck.id, { statistics: { total: 0 }, lag: changes })
    await server.close()
    await Promise.all([hanging.close(), receiver.close()])
  })
})

it('processes share the subscriptions evenly; one that joins gets its share, one that leaves releases it', async () => {
  const store = await makeStore('postgres')
  const receiver = await startReceiver()
  const first = await startServer('postgres', { store })
  const business = await makeBusiness(first)
  await Promise.all([1, 2, 3, 4].map(() => subscribe(first, receiver, { subscription_form: 'setcreate' })))
  const shares = async () => {
    const rows = await first.service.storage.read.selectFrom('delivery').select('owner').execute()
    return [...Map.groupBy(rows, (row) => row.owner).values()].map((owned) => owned.length).sort()
  }
  expect(await shares()).toEqual([4])
  const second = await startServer('postgres', { store })
  await expect.poll(shares).toEqual([2, 2])
  await makeSet(second, business, { bk_set_name: 'shared' })
  await receiver.received(4)
  await second.close()
  await expect.poll(shares).toEqual([4])
  await makeSet(first, business, { bk_set_name: 'given back' })
  expect((await receiver.received(8)).map((request) => told(request).name).sort()).toEqual([
    ...Array(4).fill('given back'),
    ...Array(4).fill('shared'),
  ])
  await first.close()
  await receiver.close()
})
