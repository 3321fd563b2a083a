import { afterAll, beforeAll, expect, it } from 'vitest'
import { cursorNow, eventsSince, watch } from '../../../testing/clients/watching.ts'
import { associate, declare, makeInstance } from '../../../testing/data/associations.ts'
import { makeHost, makeShop } from '../../../testing/data/hosts.ts'
import { entry, infoOf, saveQuery } from '../../../testing/data/queries.ts'
import { subscribe } from '../../../testing/data/subscriptions.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { refuses } from '../../../testing/inspect/rows.ts'
import { type Listeners, makeListeners } from '../../../testing/servers/listeners.ts'
import { startReceiver } from '../../../testing/servers/receiver.ts'

/** Which hosts a query finds by their switches tells what those switches are. */
eachEngine((engine) => {
  let server: TestServer
  let listeners: Listeners
  let association: string
  let query: string
  let hosts: number[]
  let top: number
  const amy = { BK_User: 'amy' }
  beforeAll(async () => {
    server = await startServer(engine)
    listeners = await makeListeners(server, 'amy')
    const { business, web } = await makeShop(server)
    association = (await declare(server, 'bk_switch', 'host')).bk_obj_asst_id
    top = await makeInstance(server, 'bk_switch', 'top')
    hosts = []
    for (let nth = 0; nth < 4; nth++) hosts.push(await makeHost(server, { business, modules: [web] }))
    const named = entry('bk_switch', [['bk_inst_name', '$eq', 'top']])
    query = await saveQuery(server, business, infoOf(entry('host'), named))
  })
  afterAll(() => server.close())

  it('events of a query by associations reach callers who may search the associated object, and no others', async () => {
    const receiver = await startReceiver()
    const mine = await startReceiver()
    const resource = `customquery:${query}`
    await listeners.maySearch('bk_switch')
    await subscribe(server, receiver, { subscription_form: resource })
    const asAmy = { call: ((method, path, body) => server.call(method, path, body, amy)) as TestServer['call'] }
    await subscribe(asAmy, mine, { subscription_form: resource })
    await listeners.maySearch()

    const refused = (ask: () => ReturnType<typeof watch>) => refuses(server, 9900403, "'search' on 'bk_switch'", ask)
    const bk_cursor = await cursorNow(server)
    await refused(() => watch(server, resource, { bk_cursor }, amy))
    const streamed = await fetch(`${server.url}/api/v3/event/stream?resource=${resource}`, { headers: amy })
    expect(streamed.status).toBe(403)
    await streamed.body?.cancel()

    await associate(server, association, top, hosts[0] ?? 0)
    await receiver.received(1)
    expect(await eventsSince(server, resource, bk_cursor)).toHaveLength(1)
    await refused(() => watch(server, resource, { bk_cursor }, amy))

    // A stream of everything leaves out what its caller may not search.
    const all = await fetch(`${server.url}/api/v3/event/stream?bk_cursor=${bk_cursor}`, { headers: amy })
    await server.call('POST', '/biz/0', { bk_biz_name: `last of ${engine}` })
    let text = ''
    for await (const part of all.body ?? []) {
      text += Buffer.from(part).toString()
      if (text.includes(`last of ${engine}`)) break
    }
    expect(text).not.toContain('customquery')

    await listeners.maySearch('bk_switch')
    expect((await watch(server, resource, { bk_cursor }, amy)).data.bk_events).toHaveLength(1)
    await associate(server, association, top, hosts[1] ?? 0)
    await receiver.received(2)
    await mine.received(1)
    expect(mine.requests.map(({ body }) => JSON.parse(body).data[0].cur_data.host.bk_host_id)).toEqual([hosts[1]])
    await receiver.close()
    await mine.close()
  })
})
