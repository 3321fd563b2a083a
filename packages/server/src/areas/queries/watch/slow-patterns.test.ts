import { afterAll, beforeAll, expect, it } from 'vitest'
import { entries } from '../../../testing/data/entries.ts'
import { makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { makeHost, makeShop, putHosts, type Shop } from '../../../testing/data/hosts.ts'
import { entry, infoOf, saveQuery } from '../../../testing/data/queries.ts'
import { subscribe } from '../../../testing/data/subscriptions.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { type Receiver, startReceiver } from '../../../testing/servers/receiver.ts'

const named = (pattern: string) => infoOf(entry('host', [['bk_host_name', '$regex', pattern]], ['bk_host_name']))
/** Milliseconds per host: seconds for all of them. */
const slow = named('(.?){480}[yz]')

eachEngine((engine) => {
  let server: TestServer
  let shop: Shop
  let receiver: Receiver
  let other: number
  beforeAll(async () => {
    server = await startServer(engine)
    shop = await makeShop(server)
    await putHosts(server, shop.web, 1_000)
    other = await makeBusiness(server)
    receiver = await startReceiver()
  })
  afterAll(async () => {
    await receiver.close()
    await server.close()
  })
  const follow = (query: string) => subscribe(server, receiver, { subscription_form: `customquery:${query}` })

  it('others make changes while a query with a slow pattern is being subscribed to', async () => {
    const query = await saveQuery(server, shop.business, slow)
    let isDone = false
    const following = follow(query).finally(() => {
      isDone = true
    })
    for (let changes = 0; changes < 3; changes++) await makeSet(server, other)
    expect(isDone).toBe(false)
    const { path } = await following
    await server.call('DELETE', path)
  })

  it('a watched query that becomes slow delays neither changes nor other queries', async () => {
    const query = await saveQuery(server, shop.business, named('nothing'))
    const { path } = await follow(query)
    const mine = await saveQuery(server, other, named('^mine$'))
    await follow(mine)
    await server.call('PUT', `/userapi/${shop.business}/${query}`, { info: slow })
    const host = await makeHost(server, { business: other }, { bk_host_name: 'mine' })
    expect(entries(await receiver.received(1))).toEqual([`${host} entered`])
    await server.call('DELETE', path)
  })

  it('records entering hosts even if they need several changes', async () => {
    const fresh = await startReceiver()
    // Four hosts are evaluated in one change, and exceed its time limit.
    const pattern = '(.?){480}^x'
    const query = await saveQuery(server, other, named(pattern))
    await subscribe(server, fresh, { subscription_form: `customquery:${query}` })
    const name = `x${'y'.repeat(250)}`
    const hosts = await Promise.all(
      [1, 2, 3, 4].map(() => makeHost(server, { business: other }, { bk_host_name: name })),
    )
    expect(entries(await fresh.received(4)).toSorted()).toEqual(hosts.map((host) => `${host} entered`).toSorted())
    await fresh.close()
  })
})
