import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { putHost, putModule, refuses } from '../../../testing/inspect/rows.ts'

interface Found {
  count: number
  info: { bk_inst_name: string; bk_parent_name: string; bk_biz_name: string; bk_obj_id: string; bk_inst_id: number }[]
}

eachEngine((engine) => {
  let server: TestServer
  let shop: number
  let full: number
  let spare: number
  beforeAll(async () => {
    server = await startServer(engine)
    shop = await makeBusiness(server, 'shop')
    const bank = await makeBusiness(server, 'bank')
    const archived = await makeBusiness(server, 'archived')
    const checkout = await makeSet(server, shop, { bk_set_name: 'Checkout' })
    await makeSet(server, bank, { bk_set_name: 'pre-check 100%' })
    await makeSet(server, archived, { bk_set_name: 'checked' })
    await server.call('PUT', `/biz/status/disabled/0/${archived}`)
    full = await putModule(server, checkout, 'web')
    spare = await putModule(server, checkout, '中文')
    await putHost(server, full)
    await server.call('POST', '/topo/node/search/other', {})
  })
  afterAll(() => server.close())
  const find = async (body: unknown, account = '0') =>
    (await server.call<Found>('POST', `/topo/node/search/${account}`, body)).data
  const names = ({ info }: Found) => info.map((each) => each.bk_inst_name)

  it('finds by a part of the name in all businesses that are not archived, prefix matches first', async () => {
    const found = await find({ name: 'CHECK' })
    expect(names(found)).toEqual(['Checkout', 'pre-check 100%'])
    expect(found).toMatchObject({
      count: 2,
      info: [
        { bk_obj_id: 'set', bk_obj_name: 'Set', bk_parent_name: 'shop', bk_biz_id: shop, bk_biz_name: 'shop' },
        {},
      ],
    })
    expect(names(await find({ name: '0%' }))).toEqual(['pre-check 100%'])
    expect(names(await find({ name: '中' }))).toEqual(['中文'])
    expect(await find({ name: "o'neil_" })).toEqual({ count: 0, info: [] })
  })

  it('excludes idle pools and other accounts, and answers in pages', async () => {
    expect(await find({ name: 'idle' })).toEqual({ count: 0, info: [] })
    expect(await find({}, 'other')).toEqual({ count: 0, info: [] })
    const all = names(await find({}))
    expect(all.toSorted()).toEqual(['Checkout', 'pre-check 100%', 'web', '中文'].toSorted())
    const paged = await find({ page: { start: 1, limit: 2 } })
    expect(paged.count).toBe(4)
    expect(names(paged)).toEqual(all.slice(1, 3))
  })

  it('finds modules without hosts', async () => {
    expect(await find({ without_hosts: true })).toMatchObject({
      count: 1,
      info: [{ bk_obj_id: 'module', bk_inst_id: spare, bk_parent_name: 'Checkout', bk_biz_name: 'shop' }],
    })
    expect((await find({ without_hosts: true, name: 'web' })).count).toBe(0)
  })

  it('finds nodes below inserted levels', async () => {
    const level = { bk_classification_id: 'bk_biz_topo', bk_obj_id: 'region', bk_obj_name: 'Area' }
    await server.call('POST', '/topo/model/mainline', { ...level, bk_asst_obj_id: 'biz', bk_supplier_account: '0' })
    const [region] = (await find({ name: 'Area' })).info
    expect(region).toMatchObject({ bk_obj_id: 'region', bk_obj_name: 'Area', bk_parent_name: expect.any(String) })
    expect((await find({ name: 'Checkout' })).info[0]?.bk_parent_name).toBe(region?.bk_inst_name)
  })

  it.each<[why: string, code: number, body: unknown]>([
    ['a name that is none', 1199007, { name: 5 }],
    ['a name that is too long', 1199006, { name: 'x'.repeat(257) }],
    ['NUL in a name', 1199006, { name: 'a\0b' }],
    ['half a character in a name', 1199006, { name: 'a\ud800' }],
    ['a word for a flag', 1199025, { without_hosts: 'yes' }],
    ['a page that is too long', 1199059, { page: { limit: 201 } }],
    ['a page before the first', 1199006, { page: { start: -1 } }],
  ])('refuses %s', async (_, code, body) => {
    await refuses(server, code, '', () => server.call('POST', '/topo/node/search/0', body))
  })
})
