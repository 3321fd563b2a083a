import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { makeInstance } from '../../../testing/data/levels.ts'
import {
  findSubscription,
  type SubscriptionRow,
  subscribe,
  subscriptionBody,
} from '../../../testing/data/subscriptions.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { refuses } from '../../../testing/inspect/rows.ts'
import { type Listeners, makeListeners } from '../../../testing/servers/listeners.ts'
import { type Receiver, startReceiver } from '../../../testing/servers/receiver.ts'

/** A subscription receives events of the objects that its owner may search. */
eachEngine((engine) => {
  let server: TestServer
  let business: number
  let listeners: Listeners
  let receiver: Receiver
  const amy = { BK_User: 'amy' }
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
    listeners = await makeListeners(server, 'amy')
    await makeListeners(server, 'bob')
  })
  beforeEach(async () => {
    receiver = await startReceiver()
    await listeners.maySearch()
  })
  afterAll(() => server.close())

  let count = 0
  const addSwitch = () => makeInstance(server, 'bk_switch', { bk_inst_name: `switch ${++count}` })
  const addSet = () => makeSet(server, business, { bk_set_name: `set ${++count}` })
  const subscription_form = 'bk_switchcreate,setcreate'
  const asAmy = { call: ((method, path, body) => server.call(method, path, body, amy)) as TestServer['call'] }
  const kinds = () => receiver.requests.map(({ body }) => JSON.parse(body).obj_type)

  it('objects that the caller may not search cannot be subscribed to', async () => {
    const body = subscriptionBody(receiver.url, { subscription_form })
    const send = () => server.call('POST', '/event/subscribe/0/0', body, amy)
    await refuses(server, 9900403, "'amy' needs 'search' on 'bk_switch'", send)
    const sets = await subscribe(asAmy, receiver, { subscription_form: 'setcreate' })
    await refuses(server, 9900403, "'amy' needs 'search' on 'bk_switch'", () => asAmy.call('PUT', sets.path, body))
    await listeners.maySearch('bk_switch')
    expect(await send()).toMatchObject({ result: true })
    await receiver.close()
  })

  it('events are withheld as soon as the owner loses the privilege, which the subscription shows', async () => {
    await listeners.maySearch('bk_switch')
    const { id, path } = await subscribe(asAmy, receiver, { subscription_form })
    const first = await addSwitch()
    await receiver.received(1)
    const attempts = (caller: Record<string, string>) =>
      server.call<unknown[]>('GET', `/event/attempts/0/bk_switch/${first}`, undefined, caller)
    type Sent = { event_name: string; request_body: string | null }[]
    const bodies = async (caller: Record<string, string>) => {
      const { data } = await server.call<Sent>('GET', `${path}/attempts`, undefined, caller)
      return data.map(({ event_name, request_body }) => [event_name, request_body !== null])
    }
    await expect.poll(() => bodies(amy)).toEqual([['bk_switchcreate', true]])
    expect((await attempts(amy)).data).not.toEqual([])
    expect(await bodies({ BK_User: 'bob' })).toEqual([['bk_switchcreate', false]])
    expect((await attempts({ BK_User: 'bob' })).data).toEqual([])
    await listeners.maySearch()
    await addSwitch()
    await addSet()
    await receiver.received(2)
    expect(kinds()).toEqual(['bk_switch', 'set'])
    expect(await findSubscription(server, id)).toMatchObject({
      state: 'active',
      state_reason: expect.stringMatching(/^events of bk_switch are not sent: 'amy'/),
    })
    // Resuming does not transfer the caller's privileges to it.
    for (const what of ['pause', 'resume']) await server.call('POST', `${path}/${what}`, {})
    await addSwitch()
    await addSet()
    await receiver.received(3)
    expect(kinds()).toEqual(['bk_switch', 'set', 'set'])
    await listeners.maySearch('bk_switch')
    expect(await findSubscription(server, id)).toMatchObject({ state_reason: '' })
    await addSwitch()
    await receiver.received(4)
    expect(kinds().at(-1)).toBe('bk_switch')
    await receiver.close()
  })

  it('callers who may change a subscription see its whole address; others and the audit log see only the host', async () => {
    await listeners.maySearch('bk_switch')
    const url = `http://ann:hidden@127.0.0.1:${receiver.port}/services/T0/hidden?hidden&k=hidden`
    const { id, path } = await subscribe(asAmy, { url }, { subscription_form })
    const shownTo = async (BK_User: string) => {
      const { data } = await server.call<SubscriptionRow[]>('POST', '/event/subscribe/search/0/0', {}, { BK_User })
      return data.find((row) => row.subscription_id === id)?.callback_url
    }
    const masked = `http://***@127.0.0.1:${receiver.port}/***`
    expect([await shownTo('amy'), await shownTo('admin'), await shownTo('bob')]).toEqual([url, url, masked])
    const body = subscriptionBody(receiver.url, { subscription_form: 'setcreate' })
    await refuses(server, 9900403, 'search', () => server.call('PUT', path, body, { BK_User: 'bob' }))
    const { data } = await server.call<{ info: unknown[] }>('POST', '/audit/search', {
      condition: { op_target: 'subscription', inst_id: id },
    })
    expect(data.info).toHaveLength(1)
    expect(JSON.stringify(data)).not.toContain('hidden')
    expect(JSON.stringify(data)).toContain(masked)
    await receiver.close()
  })
})
