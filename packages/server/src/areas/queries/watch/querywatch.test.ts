import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { associate, declare, makeInstance } from '../../../testing/data/associations.ts'
import { brief, entries, entryOf, netOf } from '../../../testing/data/entries.ts'
import { findRecords, makeBusiness } from '../../../testing/data/factories.ts'
import { makeHost, makeHosts, makeShop, putHosts, type Shop } from '../../../testing/data/hosts.ts'
import { entry, infoOf, runQuery, saveQuery } from '../../../testing/data/queries.ts'
import { define } from '../../../testing/data/searchable.ts'
import { subscribe, subscriptionBody } from '../../../testing/data/subscriptions.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { refuses } from '../../../testing/inspect/rows.ts'
import { type Receiver, startReceiver } from '../../../testing/servers/receiver.ts'

eachEngine((engine) => {
  let server: TestServer
  let shop: Shop
  const receivers: Receiver[] = []
  beforeAll(async () => {
    server = await startServer(engine)
    shop = await makeShop(server)
  })
  afterEach(async () => {
    await Promise.all(receivers.splice(0).map((receiver) => receiver.close()))
  })
  afterAll(() => server.close())

  /** A subscription to a query, and the events its receiver gets. */
  async function follow(query: string, business = 0) {
    const receiver = await startReceiver()
    receivers.push(receiver)
    const { path } = await subscribe(server, receiver, { subscription_form: `customquery:${query}` }, business)
    return { receiver, path, told: async (count: number) => entries(await receiver.received(count)) }
  }
  const ok = async (method: string, path: string, body?: unknown) =>
    expect(await server.call(method, path, body)).toMatchObject({ result: true })
  const edit = (host: number | string, changes: Record<string, unknown>) =>
    ok('PUT', '/hosts/batch', { bk_host_id: `${host}`, ...changes })
  const move = (host: number, module: number) =>
    ok('POST', '/hosts/modules', { bk_biz_id: shop.business, bk_host_id: [host], bk_module_id: [module] })
  const inside = (module: number, attributes = {}) =>
    makeHost(server, { business: shop.business, modules: [module] }, attributes)
  const inWeb = infoOf(entry('module', [['bk_module_name', '$eq', 'web']]), entry('host', [], ['bk_host_innerip']))

  it('reports hosts that enter and leave by being added, moved, edited and deleted', async () => {
    const info = infoOf(
      entry('module', [['bk_module_name', '$eq', 'web']]),
      entry('host', [['operator', '$eq', 'amy']], ['bk_host_innerip', 'operator']),
    )
    const stays = await inside(shop.web, { operator: 'amy' })
    const query = await saveQuery(server, shop.business, info, 'of amy')
    const { receiver, told } = await follow(query)
    const added = await inside(shop.web, { operator: 'amy', bk_host_innerip: '10.9.0.1' })
    await told(1)
    await move(added, shop.db)
    await told(2)
    await edit(stays, { bk_comment: 'still there' })
    const edited = await inside(shop.web, { operator: 'bob' })
    await edit(edited, { operator: 'amy' })
    await told(3)
    await edit(edited, { operator: 'bob' })
    await told(4)
    await ok('POST', '/hosts/modules/idle', { bk_biz_id: shop.business, bk_host_id: [stays] })
    await ok('POST', '/hosts/modules/resource', { bk_biz_id: shop.business, bk_host_id: [stays] })
    await ok('DELETE', '/hosts/batch', { bk_host_id: `${stays}` })
    expect(await told(5)).toEqual([
      `${added} entered`,
      `${added} left`,
      `${edited} entered`,
      `${edited} left`,
      `${stays} left`,
    ])
    const [first, second] = receiver.requests.map(entryOf)
    const host = { bk_host_id: added, bk_host_innerip: '10.9.0.1', operator: 'amy' }
    expect([first?.data, second?.data]).toEqual(
      Array(2).fill({ id: query, name: 'of amy', bk_biz_id: shop.business, host }),
    )
  })

  it('reports a deleted host with its last state', async () => {
    const query = await saveQuery(server, 1, infoOf(entry('host', [['bk_comment', '$eq', 'spare']], ['bk_comment'])))
    const host = await makeHost(server, {}, { bk_comment: 'spare' })
    const { receiver, told } = await follow(query)
    await ok('DELETE', '/hosts/batch', { bk_host_id: `${host}` })
    expect(await told(1)).toEqual([`${host} left`])
    expect(receiver.requests.map(entryOf)[0]?.data.host).toEqual({ bk_host_id: host, bk_comment: 'spare' })
  })

  it('reports the effects of changes of a module, of the query, of the model and of the business', async () => {
    const own = await makeShop(server)
    const web = await makeHost(server, { business: own.business, modules: [own.web] })
    const db = await makeHost(server, { business: own.business, modules: [own.db] })
    const query = await saveQuery(server, own.business, inWeb)
    const { told } = await follow(query, own.business)
    const rename = (name: string) =>
      ok('PUT', `/module/${own.business}/${own.set}/${own.web}`, { bk_module_name: name })
    await rename('front')
    await told(1)
    await rename('web')
    await told(2)
    const change = (info: string) => ok('PUT', `/userapi/${own.business}/${query}`, { info })
    await change(infoOf(entry('module', [['bk_module_name', '$eq', 'db']])))
    expect((await told(4)).slice(2).sort()).toEqual([`${db} entered`, `${web} left`].sort())
    await define(server, 'host', 'colour', 'singlechar')
    await edit(`${web},${db}`, { colour: 'red' })
    await change(infoOf(entry('host', [['colour', '$eq', 'red']])))
    await told(5)
    const found = await server.call<{ id: number }[]>('POST', '/object/attr/search', {
      bk_obj_id: 'host',
      bk_property_id: 'colour',
    })
    await ok('DELETE', `/object/attr/${found.data[0]?.id}`)
    await told(7)
    await change(inWeb)
    expect((await told(8)).slice(4)).toEqual([`${web} entered`, `${web} left`, `${db} left`, `${web} entered`])
    await ok('DELETE', `/userapi/${own.business}/${query}`)
    expect((await told(9)).at(-1)).toBe(`${web} left`)
    const { data } = await findRecords(server, { bk_biz_id: own.business, operator: 'system' })
    expect(data.count).toBe(0)
  })

  it('reports hosts that enter and leave by their associations, and by changes of associated instances', async () => {
    await declare(server, 'bk_switch', 'host')
    const rack = await makeInstance(server, 'bk_switch', 'rack')
    const named = entry('bk_switch', [['bk_inst_name', '$eq', 'rack']])
    const query = await saveQuery(server, shop.business, infoOf(named, entry('host', [], ['bk_host_innerip'])))
    const [one, two] = [await inside(shop.web), await inside(shop.web)]
    await associate(server, 'bk_switch_connect_host', rack, one)
    const { told } = await follow(query)
    const made = await associate(server, 'bk_switch_connect_host', rack, two)
    await told(1)
    await ok('DELETE', `/inst/association/${made.data.id}/action/delete`)
    await told(2)
    const rename = (bk_inst_name: string) => ok('PUT', `/inst/0/bk_switch/${rack}`, { bk_inst_name })
    await rename('shelf')
    await told(3)
    await rename('rack')
    expect(await told(4)).toEqual([`${two} entered`, `${two} left`, `${one} left`, `${one} entered`])
  })

  it('reports nothing about hosts that were in the result already, or that stay', async () => {
    const own = await makeShop(server)
    const [one] = await makeHosts(server, { business: own.business, modules: [own.web] }, [{}, {}])
    const { told } = await follow(await saveQuery(server, own.business, inWeb))
    await edit(one as number, { bk_comment: 'changed' })
    await ok('PUT', `/set/${own.business}/${own.set}`, { bk_biz_id: own.business, bk_set_name: 'renamed' })
    await ok('POST', '/hosts/modules', {
      bk_biz_id: own.business,
      bk_host_id: [one],
      bk_module_id: [own.db],
      is_increment: true,
    })
    const last = await makeHost(server, { business: own.business, modules: [own.web] })
    expect(await told(1)).toEqual([`${last} entered`])
  })

  it('sends the same to two subscribers of a query, and keeps members until the last one has left', async () => {
    const query = await saveQuery(server, shop.business, inWeb)
    const [one, two] = [await follow(query), await follow(query, shop.business)]
    const host = await inside(shop.web)
    expect([await one.told(1), await two.told(1)]).toEqual(Array(2).fill([`${host} entered`]))
    const kept = async () => {
      const { read } = server.service.storage
      const watches = await read.selectFrom('query_watch').select('query').where('query', '=', query).execute()
      const members = await read.selectFrom('query_member').select('host_id').where('query', '=', query).execute()
      return watches.length + members.length
    }
    await ok('DELETE', one.path)
    const next = await inside(shop.web)
    expect(await two.told(2)).toEqual([`${host} entered`, `${next} entered`])
    await ok('PUT', two.path, subscriptionBody(two.receiver.url))
    await expect.poll(kept).toBe(0)
    await inside(shop.web)
    const again = await follow(query)
    const last = await inside(shop.web)
    expect(await again.told(1)).toEqual([`${last} entered`])
  })

  it('starts a new watch while the members of an ended one are being removed', async () => {
    const query = await saveQuery(server, shop.business, inWeb)
    const first = await follow(query)
    const host = await inside(shop.web)
    await first.told(1)
    await server.service.storage.upkeep(async (writer) => {
      await writer.updateTable('query_watch').set({ ended: 1 }).where('query', '=', query).execute()
    })
    const second = await follow(query)
    await move(host, shop.db)
    expect(await second.told(1)).toEqual([`${host} left`])
    expect(await first.told(2)).toEqual([`${host} entered`, `${host} left`])
  })

  it('refuses unknown queries, those of another business, and too many of them', async () => {
    const query = await saveQuery(server, shop.business, inWeb)
    const other = await makeBusiness(server)
    const subscribed =
      (subscription_form: string, business = 0, headers = {}) =>
      () =>
        server.call(
          'POST',
          `/event/subscribe/0/${business}`,
          subscriptionBody('http://127.0.0.1:1/', { subscription_form }),
          headers,
        )
    await refuses(server, 1199011, 'customquery:', subscribed('customquery:'))
    await refuses(server, 1199011, 'saved query', subscribed('setcreate,customquery:<id>'))
    await refuses(server, 1199011, 'saved query', subscribed(`customquery:${query}create`))
    await refuses(server, 1199011, 'saved query', subscribed(`customquery:${query}`, other))
    await refuses(server, 1199011, 'customquery:<id>', subscribed('customquery'))
    const many = Array.from({ length: 21 }, (_, index) => `customquery:${index}`).join(',')
    await refuses(server, 1199035, '20', subscribed(many))
  })

  it('processes a large result in several changes, each host once', async () => {
    const [own, many] = [await makeShop(server), 600]
    const hosts = await putHosts(server, own.db, many)
    const query = await saveQuery(server, own.business, inWeb)
    const { receiver, told } = await follow(query)
    await ok('PUT', `/module/${own.business}/${own.set}/${own.web}`, { bk_module_name: 'other' })
    await ok('PUT', `/module/${own.business}/${own.set}/${own.db}`, { bk_module_name: 'web' })
    expect(netOf(await told(many))).toEqual(hosts.map((host) => host.id))
    expect(receiver.requests.map(entryOf).map(brief)).toHaveLength(many)
    expect((await runQuery(server, own.business, query, { limit: 1 })).data.count).toBe(many)
  })

  it('sends watchers the same events, while a subscription names the query', async () => {
    const query = await saveQuery(server, shop.business, inWeb)
    const watched = `/event/watch/resource/customquery:${query}`
    await refuses(server, 1199011, 'subscription', () => server.call('POST', watched, {}))
    const { told } = await follow(query)
    const host = await inside(shop.web)
    await told(1)
    const { data } = await server.call<{ bk_events: unknown[] }>('POST', watched, { bk_start_from: 0 })
    expect(data.bk_events).toMatchObject([
      {
        bk_resource: `customquery:${query}`,
        bk_event_type: 'create',
        bk_detail: { id: query, host: { bk_host_id: host } },
      },
    ])
  })
})
