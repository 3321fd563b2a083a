import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { freshAddress, makeHost, makeShop } from '../../../testing/data/hosts.ts'
import { attributeNamed, define } from '../../../testing/data/searchable.ts'
import { becomes, findSubscription, subscribe, subscriptionBody, told } from '../../../testing/data/subscriptions.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { readLog } from '../../../testing/inspect/log.ts'
import { startReceiver } from '../../../testing/servers/receiver.ts'

eachEngine((engine) => {
  let server: TestServer
  let business: number
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
  })
  afterAll(() => server.close())

  async function filtered(filter: unknown, more: Record<string, unknown> = {}) {
    const receiver = await startReceiver()
    onTestFinished(receiver.close)
    const { id, path } = await subscribe(server, receiver, { filter, ...more })
    const names = () => receiver.requests.map((request) => told(request).name)
    const settled = async () => {
      // The lag counts numbered records.
      await readLog(server.service.storage.read)
      await becomes(server, id, { lag: 0, waiting: 0 })
    }
    return { receiver, id, path, names, settled }
  }
  const update = (set: number, sent: Record<string, unknown>) =>
    server.call('PUT', `/set/${business}/${set}`, { bk_biz_id: business, ...sent })

  it('delivers the events that match; the others move the position, and the lag is true', async () => {
    const { receiver, id, settled } = await filtered({
      changed: { $in: ['bk_capacity'] },
      'after.bk_capacity': { $gt: 5 },
    })
    const set = await makeSet(server, business, { bk_set_name: 'grown', bk_capacity: 1 })
    await update(set, { bk_capacity: 6 })
    await update(set, { bk_set_desc: 'six' })
    await update(set, { bk_capacity: 4 })
    await update(set, { bk_capacity: 9 })
    await update(set, { bk_set_desc: 'nine' })
    await settled()
    const bodies = receiver.requests.map(({ body }) => JSON.parse(body))
    expect(bodies.map(({ data }) => data[0].cur_data.bk_capacity)).toEqual([6, 9])
    expect(bodies.map(({ distribution_id }) => distribution_id)).toEqual([1, 2])
    expect(await findSubscription(server, id)).toMatchObject({
      filter_problem: '',
      statistics: { total: 2, failure: 0 },
    })
  })

  it('a creation has nothing before, a deletion nothing after, and both change what has a value', async () => {
    const created = await filtered({ 'before.bk_set_name': { $exists: false }, changed: 'bk_capacity' })
    const deleted = await filtered({ 'after.bk_set_id': { $exists: false }, 'before.bk_capacity': { $lt: 3 } })
    const none = await makeSet(server, business, { bk_set_name: 'none' })
    const two = await makeSet(server, business, { bk_set_name: 'two', bk_capacity: 2 })
    await update(two, { bk_set_desc: 'updated' })
    for (const set of [none, two]) await server.call('DELETE', `/set/${business}/${set}`)
    await Promise.all([created.settled(), deleted.settled()])
    expect(created.names()).toEqual(['two'])
    expect(deleted.names()).toEqual(['two'])
  })

  it('is read for each object: a field that only one of them has is unset in events of the other', async () => {
    const form = 'setupdate,bizupdate'
    const { receiver, settled } = await filtered(
      { 'after.bk_capacity': { $exists: false } },
      { subscription_form: form },
    )
    const set = await makeSet(server, business, { bk_capacity: 1 })
    await update(set, { bk_set_desc: 'x' })
    await server.call('PUT', `/biz/0/${business}`, { bk_biz_tester: 'amy' })
    await settled()
    expect(receiver.requests.map(({ body }) => JSON.parse(body).obj_type)).toEqual(['biz'])
  })

  it('a hostidentifier is judged by its data, when it is sent', async () => {
    const shop = await makeShop(server)
    const [wanted, other] = [freshAddress(), freshAddress()]
    const form = { subscription_form: 'hostidentifier' }
    const { receiver, settled } = await filtered({ 'after.bk_host_innerip': wanted }, form)
    for (const bk_host_innerip of [other, wanted]) {
      await makeHost(server, { business: shop.business, modules: [shop.web] }, { bk_host_innerip })
    }
    await server.call('PUT', `/module/${shop.business}/${shop.set}/${shop.web}`, { bk_module_name: 'renamed' })
    await settled()
    const seen = receiver.requests.map(({ body }) => JSON.parse(body).data[0].cur_data)
    expect(seen.length).toBeGreaterThan(1)
    expect(new Set(seen.map(({ bk_host_innerip }) => bk_host_innerip))).toEqual(new Set([wanted]))
  })

  it('when its attribute is deleted the subscription says so, and delivers everything', async () => {
    const attribute = await define(server, 'set', 'ports', 'int')
    const { receiver, id, settled, names } = await filtered({ 'after.ports': 80 }, { subscription_form: 'setcreate' })
    await makeSet(server, business, { bk_set_name: 'without' })
    await makeSet(server, business, { bk_set_name: 'with', ports: 80 })
    await settled()
    expect(names()).toEqual(['with'])
    await server.call('DELETE', `/object/attr/${attribute}`)
    await makeSet(server, business, { bk_set_name: 'afterwards' })
    await receiver.received(2)
    expect(names()).toEqual(['with', 'afterwards'])
    expect(await findSubscription(server, id)).toMatchObject({
      filter: { 'after.ports': 80 },
      filter_problem: expect.stringContaining('after.ports'),
      state: 'active',
    })
    await define(server, 'set', 'ports', 'int')
    expect(await attributeNamed(server, 'set', 'ports')).toBeDefined()
    await makeSet(server, business, { bk_set_name: 'without again' })
    await settled()
    expect(names()).toEqual(['with', 'afterwards'])
    expect((await findSubscription(server, id)).filter_problem).toBe('')
  })

  it('replacing a subscription replaces its filter, also for pending events; the audit log shows it', async () => {
    const filter = { 'after.bk_set_name': 'never' }
    const { receiver, id, path, settled } = await filtered(filter)
    await makeSet(server, business)
    await settled()
    expect(receiver.requests).toEqual([])
    const { subscription_name } = await findSubscription(server, id)
    const body = subscriptionBody(receiver.url, { subscription_name, filter: null })
    await server.call('PUT', path, body)
    expect(await findSubscription(server, id)).toMatchObject({ filter: null, bk_revision: 2 })
    await makeSet(server, business, { bk_set_name: 'any' })
    await receiver.received(1)
    const { data } = await server.call<{ info: { content: unknown }[] }>('POST', '/audit/search', {
      condition: { op_target: 'subscription', inst_id: id },
      sort: '-op_time',
    })
    expect(data.info[0]?.content).toMatchObject({ pre_data: { filter }, cur_data: { filter: null } })
  })
})
