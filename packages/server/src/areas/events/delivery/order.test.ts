import { expect, it, onTestFinished } from 'vitest'
import { findSets, makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { becomes, subscribe } from '../../../testing/data/subscriptions.ts'
import { eachEngine, makeStore, startServer, type TestServer } from '../../../testing/harness.ts'
import { type Received, startReceiver } from '../../../testing/servers/receiver.ts'

interface Version {
  readonly set: string
  readonly capacity: number
}

const versionIn = ({ body }: Received): Version => {
  const [{ cur_data }] = JSON.parse(body).data
  return { set: cur_data.bk_set_name, capacity: cur_data.bk_capacity }
}

eachEngine((engine) => {
  /** Two sets, and a receiver that rejects the first version of one of them until the test accepts it. */
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
      /** In the order of successful answers. */
      confirmed: (set: string) => {
        const versions = receiver.requests.map(versionIn).filter((each) => each.set === set)
        return versions.map(({ capacity }) => capacity)
      },
    }
  }

  it('events wait behind a retry about the same instance, and events about others do not', async () => {
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

  it('the order per instance is kept across a restart', async () => {
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

  it('a receiver that ignores lower revisions ends with the final version, whatever is rejected, repeated and replayed', async () => {
    const server = await startServer(engine, { flags: ['--retry-schedule=50ms,50ms,50ms,50ms'] })
    onTestFinished(() => server.close())
    const copy = new Map<number, { revision: number; capacity: number }>()
    let requests = 0
    const receiver = await startReceiver(({ body }) => {
      // Simulates a receiver that fails before or after applying an event.
      if (++requests % 3 === 0) return { status: 500 }
      const { revision, data } = JSON.parse(body)
      const { bk_set_id, bk_capacity } = data[0].cur_data
      if (revision >= (copy.get(bk_set_id)?.revision ?? 0)) copy.set(bk_set_id, { revision, capacity: bk_capacity })
      return requests % 5 === 0 ? { status: 500 } : {}
    })
    onTestFinished(receiver.close)
    const business = await makeBusiness(server)
    const sets = await Promise.all(Array.from({ length: 5 }, () => makeSet(server, business)))
    const { id, path } = await subscribe(server, receiver, { subscription_form: 'setupdate' })
    const change = (set: number, bk_capacity: number) =>
      server.call('PUT', `/set/${business}/${set}`, { bk_biz_id: business, bk_capacity })
    await Promise.all(sets.flatMap((set) => Array.from({ length: 8 }, (_, nth) => change(set, nth + 1))))
    await becomes(server, id, { waiting: 0, lag: 0 })
    await server.call('POST', `${path}/replay`, { from_position: 1, to_position: 1_000_000 })
    await server.call('POST', `${path}/replay`, { dead_letters: true })
    await becomes(server, id, { waiting: 0, lag: 0 })
    const { info } = (
      await findSets(
        server,
        business,
        { bk_set_id: { $in: sets } },
        { fields: ['bk_set_id', 'bk_capacity', 'bk_revision'] },
      )
    ).data
    await expect
      .poll(() => Object.fromEntries([...copy].map(([set, { revision, capacity }]) => [set, [revision, capacity]])))
      .toEqual(Object.fromEntries(info.map((row) => [row.bk_set_id, [row.bk_revision, row.bk_capacity]])))
  })

  it('the set that a new business comes with is held behind its creation', async () => {
    const server = await startServer(engine, { flags: [`--retry-schedule=${Array(20).fill('200ms')}`] })
    onTestFinished(() => server.close())
    const rejected = { isOn: true }
    const confirmed: [set: number, revision: number][] = []
    const receiver = await startReceiver(({ body }) => {
      const { action, revision, data } = JSON.parse(body)
      if (rejected.isOn && action === 'create') return { status: 500 }
      const [{ cur_data, pre_data }] = data
      confirmed.push([(cur_data ?? pre_data).bk_set_id, revision])
      return {}
    })
    onTestFinished(receiver.close)
    const { id } = await subscribe(server, receiver, { subscription_form: 'setcreate,setupdate,setdelete' })
    const business = await makeBusiness(server)
    await becomes(server, id, { waiting: 1 })
    const { bk_set_id: set } = (await server.call<{ bk_set_id: number }>('GET', `/topo/internal/0/${business}`)).data
    const describing = { bk_biz_id: business, description: 'of the business' }
    expect(await server.call('PUT', `/set/${business}/${set}`, describing)).toMatchObject({ result: true })
    await becomes(server, id, { waiting: 2, lag: 0 })
    rejected.isOn = false
    await server.call('DELETE', `/biz/0/${business}`)
    await becomes(server, id, { waiting: 0, lag: 0 })
    expect(confirmed).toEqual([1, 2, 3].map((revision) => [set, revision]))
  })

  it('a dead letter holds nothing back', async () => {
    const world = await rejecting(['--retry-schedule=100ms'])
    await world.change('held', 1)
    await world.change('held', 2)
    await expect.poll(() => world.confirmed('held').at(-1)).toBe(2)
    await world.becomes({ waiting: 0, dead_letters: 1 })
  })
})
