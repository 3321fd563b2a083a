import { expect, it, onTestFinished } from 'vitest'
import { makeBusiness, makeSet } from '../../../testing/factories.ts'
import { eachEngine, makeStore, startServer, type TestServer } from '../../../testing/harness.ts'
import { type Received, startReceiver } from '../../../testing/receiver.ts'
import { becomes, subscribe } from '../../../testing/subscriptions.ts'

interface Version {
  readonly set: string
  readonly capacity: number
}

const versionIn = ({ body }: Received): Version => {
  const [{ cur_data }] = JSON.parse(body).data
  return { set: cur_data.bk_set_name, capacity: cur_data.bk_capacity }
}

eachEngine((engine) => {
  /** Two sets, and a receiver that rejects the first version of one of them for as long as it is told to. */
  async function rejecting(flags: string[]) {
    const store = await makeStore(engine)
    onTestFinished(store.remove)
    let server: TestServer = await startServer(engine, { store, flags })
    onTestFinished(() => server.close())
    const rejected = { isOn: true }
    const receiver = await startReceiver((request) => {
      const { set, capacity } = versionIn(request)
      return rejected.isOn && set === 'held' && capacity === 1 ? { status: 500 } : {}
    })
    onTestFinished(receiver.close)
    const business = await makeBusiness(server)
    const sets = {
      held: await makeSet(server, business, { bk_set_name: 'held' }),
      other: await makeSet(server, business, { bk_set_name: 'other' }),
    }
    const { id, path } = await subscribe(server, receiver, { subscription_form: 'setupdate' })
    return {
      id,
      path,
      rejected,
      change: (set: keyof typeof sets, capacity: number) =>
        server.call('PUT', `/set/${business}/${sets[set]}`, { bk_biz_id: business, bk_capacity: capacity }),
      becomes: (expected: unknown) => becomes(server, id, expected),
      call: (method: string, at: string, body?: unknown) => server.call(method, at, body),
      async restart() {
        await server.close()
        server = await startServer(engine, { store, flags })
      },
      /** In the order in which they were answered with success. */
      confirmed: (set: string) => {
        const versions = receiver.requests.map(versionIn).filter((each) => each.set === set)
        return versions.map(({ capacity }) => capacity)
      },
    }
  }

  it('events about an instance wait behind one of it that is tried again, and others do not', async () => {
    const world = await rejecting(['--retry-schedule=300ms,300ms,300ms,300ms,300ms,300ms,300ms,300ms,300ms,300ms'])
    await world.change('held', 1)
    await world.becomes({ waiting: 1 })
    for (const capacity of [2, 3]) await world.change('held', capacity)
    for (const capacity of [1, 2, 3]) await world.change('other', capacity)
    await expect.poll(() => world.confirmed('other')).toEqual([1, 2, 3])
    expect(new Set(world.confirmed('held'))).toEqual(new Set([1]))
    world.rejected.isOn = false
    await world.becomes({ waiting: 0, lag: 0 })
    const held = world.confirmed('held')
    expect(held.slice(-3)).toEqual([1, 2, 3])
    expect(held).toEqual(held.toSorted((a, b) => a - b))
  })

  it('keeps that order across a restart', async () => {
    const world = await rejecting(['--retry-schedule=1s,1s,1s,1s,1s,1s,1s,1s,1s,1s'])
    await world.change('held', 1)
    await world.becomes({ waiting: 1 })
    for (const capacity of [2, 3]) await world.change('held', capacity)
    await world.becomes({ waiting: 3, lag: 0 })
    await world.restart()
    await world.change('held', 4)
    world.rejected.isOn = false
    await world.becomes({ waiting: 0, lag: 0 })
    const held = world.confirmed('held')
    expect(held.slice(-4)).toEqual([1, 2, 3, 4])
    expect(held).toEqual(held.toSorted((a, b) => a - b))
  })

  it('a dead letter holds nothing back', async () => {
    const world = await rejecting(['--retry-schedule=100ms'])
    await world.change('held', 1)
    await world.change('held', 2)
    await expect.poll(() => world.confirmed('held').at(-1)).toBe(2)
    await world.becomes({ waiting: 0, dead_letters: 1 })
  })
})
