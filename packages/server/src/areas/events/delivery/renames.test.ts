import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { cursorNow, eventsSince } from '../../../testing/clients/watching.ts'
import { makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { makeHost, makeHosts } from '../../../testing/data/hosts.ts'
import { makeModule } from '../../../testing/data/levels.ts'
import { becomes, positionOf, subscribe } from '../../../testing/data/subscriptions.ts'
import { eachEngine, makeStore, startServer, type TestServer } from '../../../testing/harness.ts'
import { spawnServer } from '../../../testing/process.ts'
import { type Received, type Receiver, type Script, startReceiver } from '../../../testing/servers/receiver.ts'

const form = { subscription_form: 'hostidentifier' }

interface Identity {
  bk_host_id: number
  bk_cloud_name: string
  associations: Record<string, { bk_biz_name: string; bk_set_name: string; bk_module_name: string }>
}
const sent = (request: Received) => {
  const { data, distribution_id, action } = JSON.parse(request.body)
  const identity = data[0].cur_data as Identity
  return { id: request.headers['webhook-id'] as string, host: identity.bk_host_id, distribution_id, action, identity }
}
/** The same for every subscription. */
const eventNumber = ({ id }: { id: string }) => id.split('_').slice(2).join('_')
const hostsOf = (requests: readonly Received[]) => requests.map((request) => sent(request).host)

eachEngine((engine) => {
  let server: TestServer
  let business: number
  let set: number
  let module: number
  let hosts: number[]
  const receivers: Receiver[] = []
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
    set = await makeSet(server, business, { bk_set_name: 'web' })
    module = await makeModule(server, business, set, 'nginx')
    hosts = await makeHosts(server, { business, modules: [module] }, [{}, {}, {}])
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
  const renameSet = (name: string) =>
    server.call('PUT', `/set/${business}/${set}`, { bk_biz_id: business, bk_set_name: name })

  it('a rename of a set, module, business or cloud area gives every host in it a new identity', async () => {
    const area = await server.call<{ bk_inst_id: number }>('POST', '/inst/0/plat', { bk_cloud_name: 'edge' })
    const cloud = area.data.bk_inst_id
    const far = await makeHost(server, {}, { bk_cloud_id: cloud })
    const receiver = await receive()
    const { id } = await subscribe(server, receiver, form)
    const beside = await receive()
    const wide = await subscribe(server, beside, { ...form, parallel: 16 })
    const cursor = await cursorNow(server)

    await renameSet('web 2')
    await server.call('PUT', `/set/${business}/${set}`, { bk_biz_id: business, bk_capacity: 7 })
    await server.call('PUT', `/module/${business}/${set}/${module}`, { bk_module_name: 'caddy' })
    await server.call('PUT', `/biz/0/${business}`, { bk_biz_name: `renamed on ${engine}` })
    await server.call('PUT', `/inst/0/plat/${cloud}`, { bk_cloud_name: 'far edge' })

    const requests = await receiver.received(10)
    expect(hostsOf(requests)).toEqual([...hosts, ...hosts, ...hosts, far])
    expect(requests.map((request) => sent(request).action)).toEqual(Array(10).fill('update'))
    expect(new Set(requests.map((request) => sent(request).id)).size).toBe(10)
    expect(requests.map((request) => sent(request).distribution_id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(sent(requests[8] as Received).identity.associations[module]).toMatchObject({
      bk_biz_name: `renamed on ${engine}`,
      bk_set_name: 'web 2',
      bk_module_name: 'caddy',
    })
    expect(sent(requests[9] as Received).identity.bk_cloud_name).toBe('far edge')
    await becomes(server, id, { lag: 0, statistics: { total: 10, failure: 0 } })

    const watched = await eventsSince(server, 'host_identifier', cursor)
    expect(watched.map((event) => event.bk_detail?.bk_host_id)).toEqual(hostsOf(requests))
    for (const nth of [0, 1, 4, 8, 9]) {
      const rest = watched.slice(nth + 1)
      const since = rest.length > 0 ? await eventsSince(server, 'host_identifier', watched[nth]?.bk_cursor ?? '') : []
      expect(since.map((event) => event.bk_cursor)).toEqual(rest.map((event) => event.bk_cursor))
    }
    await becomes(server, wide.id, { lag: 0, statistics: { total: 10, failure: 0 } })
    const eventsByHost = (events: readonly Received[]) =>
      Object.fromEntries(
        [...Map.groupBy(events.map(sent), ({ host }) => host)].map(([host, own]) => [host, own.map(eventNumber)]),
      )
    expect(eventsByHost(beside.requests)).toEqual(eventsByHost(requests))
    await server.call('DELETE', `/event/subscribe/0/0/${id}`)
    await server.call('DELETE', wide.path)
  })

  it('a subscription of one business receives only its own hosts of a renamed cloud area', async () => {
    const area = await server.call<{ bk_inst_id: number }>('POST', '/inst/0/plat', { bk_cloud_name: 'shared' })
    const cloud = area.data.bk_inst_id
    const mine = await makeHost(server, { business }, { bk_cloud_id: cloud })
    await makeHost(server, { business: await makeBusiness(server) }, { bk_cloud_id: cloud })
    const receiver = await receive((_, nth) => (nth === 0 ? { status: 500 } : { status: 200 }))
    const { id, path } = await subscribe(server, receiver, form, business)
    await server.call('PUT', `/inst/0/plat/${cloud}`, { bk_cloud_name: 'shared by all' })
    // Rejected at first, then replayed: the event is found again by its index.
    await receiver.received(1)
    await becomes(server, id, { statistics: { total: 1, failure: 1 } })
    await server.service.storage.upkeep(async (writer) => {
      await writer.updateTable('undelivered').set({ due: null }).where('subscription', '=', id).execute()
    })
    await server.call('POST', `${path}/replay`, { dead_letters: true })
    const requests = await receiver.received(2)
    expect(hostsOf(requests)).toEqual([mine, mine])
    expect(sent(requests[0] as Received).id).toBe(sent(requests[1] as Received).id)
    await server.call('DELETE', path)
  })

  it('a host that has left the business in the meantime is not sent', async () => {
    const leaver = await makeHost(server, { business, modules: [module] })
    const receiver = await receive()
    const { path } = await subscribe(server, receiver, form, business)
    await server.call('POST', `${path}/pause`)
    await renameSet('web 3')
    await server.call('POST', '/hosts/modules/idle', { bk_biz_id: business, bk_host_id: [leaver] })
    await server.call('POST', '/hosts/modules/resource', { bk_biz_id: business, bk_host_id: [leaver] })
    await server.call('POST', `${path}/resume`)
    expect(hostsOf(await receiver.received(3)).slice(0, 3)).toEqual(hosts)
    await server.call('DELETE', path)
  })

  it('a replay of the rename sends the same events under the same webhook-ids', async () => {
    const receiver = await receive()
    const { id, path } = await subscribe(server, receiver, form)
    await renameSet('web 4')
    const first = [...(await receiver.received(3))]
    await becomes(server, id, { lag: 0 })
    const position = await positionOf(server.service.storage.read, sent(first[0] as Received).id)
    await server.call('POST', `${path}/replay`, { from_position: position, to_position: position })
    const again = (await receiver.received(6)).slice(3)
    expect(again.map((request) => sent(request).id)).toEqual(first.map((request) => sent(request).id))
    await server.call('DELETE', path)
  })
})

eachEngine((engine) => {
  it('killed in the middle of a rename of 1,500 hosts: every host once, repeats under the same webhook-id only', async () => {
    const store = await makeStore(engine)
    const setup = await startServer(engine, { store })
    const business = await makeBusiness(setup)
    const set = await makeSet(setup, business)
    const module = await makeModule(setup, business, set, 'many')
    const hosts: number[] = []
    for (let page = 0; page < 3; page++) {
      hosts.push(...(await makeHosts(setup, { business, modules: [module] }, Array(500).fill({}))))
    }
    const receiver = await startReceiver()
    const { id } = await subscribe(setup, receiver, form)
    await setup.close()

    const killed = await spawnServer(store)
    await killed.call('PUT', `/set/${business}/${set}`, { bk_biz_id: business, bk_set_name: 'renamed' })
    await receiver.received(1_100)
    await killed.end('SIGKILL')
    const atKill = receiver.requests.length
    const next = await spawnServer(store)
    await becomes(next, id, { lag: 0 }, 60_000)
    const events = receiver.requests.map(sent)
    expect([...new Set(events.map(({ host }) => host))].sort((a, b) => a - b)).toEqual(hosts)
    const byId = Map.groupBy(events, (event) => event.id)
    expect(byId.size).toBe(hosts.length)
    // A distribution number belongs to one event; only events whose progress was not saved are repeated.
    const byNumber = Map.groupBy(events, (event) => event.distribution_id)
    for (const same of byNumber.values()) expect(new Set(same.map((event) => event.id)).size).toBe(1)
    expect(hosts.indexOf(events[atKill]?.host as number)).toBeGreaterThan(0)
    await next.end('SIGTERM')
    await receiver.close()
    store.remove()
  }, 180_000)
})
