import type { DataOf, feed } from '@mainline/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { freshAddress, makeHost, makeShop } from '../../../testing/data/hosts.ts'
import { makeInstance } from '../../../testing/data/levels.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { readLog } from '../../../testing/inspect/log.ts'
import { refuses } from '../../../testing/inspect/rows.ts'
import { makeListeners } from '../../../testing/servers/listeners.ts'

type Tried = DataOf<typeof feed.tryEvents>

eachEngine((engine) => {
  let server: TestServer
  let business: number
  let other: number
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
    other = await makeBusiness(server)
    for (let n = 1; n <= 30; n++) await makeSet(server, business, { bk_set_name: `set ${n}`, bk_capacity: n })
    await makeSet(server, other, { bk_set_name: 'elsewhere', bk_capacity: 99 })
    await readLog(server.service.storage.read)
  })
  afterAll(() => server.close())
  const trying = (body: Record<string, unknown>, headers: Record<string, string> = {}) =>
    server.call<Tried>('POST', '/event/try', { subscription_form: 'setcreate', ...body }, headers)
  const named = ({ events }: Tried) =>
    (events as { data: [{ cur_data: { bk_set_name: string } }] }[]).map(({ data }) => data[0].cur_data.bk_set_name)

  it('counts the events that would have matched, and shows the newest', async () => {
    const { data } = await trying({ bk_biz_id: business, filter: { 'after.bk_capacity': { $gt: 5 } } })
    // With the idle pool.
    expect(data).toMatchObject({ matched: 25, total: 31, complete: true })
    expect(named(data)).toEqual(Array.from({ length: 20 }, (_, n) => `set ${30 - n}`))
    expect(data.events[0]).toMatchObject({ action: 'create', obj_type: 'set', bk_supplier_account: '0', revision: 1 })
    expect(data.events[0]).not.toHaveProperty('distribution_id')
  })

  it('covers all businesses, any event, and only what is newer than a moment', async () => {
    expect((await trying({})).data).toMatchObject({ matched: 33, total: 33 })
    const position = (await readLog(server.service.storage.read)).at(-1)?.position
    expect((await trying({ since: `position:${position}` })).data).toMatchObject({ matched: 0, total: 0, events: [] })
    const before = (await trying({ since: '2020-01-01' })).data
    expect(before).toMatchObject({ total: 33, complete: true })
    expect(before.since > '2026').toBe(true)
    await refuses(server, 1199006, "'since'", () => trying({ since: 'yesterday' }))
    await refuses(server, 1199019, '', () => trying({ bk_biz_id: 999_999 }))
  })

  it('judges a hostidentifier by the data that would be sent', async () => {
    const shop = await makeShop(server)
    const [wanted, unwanted] = [freshAddress(), freshAddress()]
    for (const bk_host_innerip of [wanted, unwanted])
      await makeHost(server, { business: shop.business, modules: [shop.web] }, { bk_host_innerip })
    await server.call('PUT', `/module/${shop.business}/${shop.set}/${shop.web}`, { bk_module_name: 'renamed' })
    await readLog(server.service.storage.read)
    const filter = { 'after.bk_host_innerip': wanted }
    const { data } = await trying({ subscription_form: 'hostidentifier', bk_biz_id: shop.business, filter })
    expect(data.matched * 2).toBe(data.total)
    expect(data.events[0]).toMatchObject({ data: [{ cur_data: { bk_host_innerip: wanted } }] })
  })

  it('refuses what subscribing refuses, and counts only what the caller may receive', async () => {
    await refuses(server, 1199011, 'setcreate', () => trying({ subscription_form: 'setcreat' }))
    await refuses(server, 1199011, 'after.bk_set_name', () => trying({ filter: { 'after.bk_set_nam': 1 } }))
    const listeners = await makeListeners(server, 'amy')
    const amy = { BK_User: 'amy' }
    await listeners.maySearch()
    await makeInstance(server, 'bk_switch', { bk_inst_name: 'switch' })
    const body = { subscription_form: 'bk_switchcreate' }
    await refuses(server, 9900403, "'search' on 'bk_switch'", () => trying(body, amy))
    await listeners.maySearch('bk_switch')
    expect((await trying(body, amy)).data).toMatchObject({ matched: 1, total: 1 })
    expect(await trying({}, { BK_User: 'nobody' })).toMatchObject({ result: false, bk_error_code: 9900403 })
  })
})
