import type { DataOf, history } from '@mainline/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeInstance } from '../../../testing/data/associations.ts'
import { makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { makeHost, makeShop, type Shop } from '../../../testing/data/hosts.ts'
import { makeModule } from '../../../testing/data/levels.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { refuses } from '../../../testing/inspect/rows.ts'

type Found = { count: number; info: history.Version[] }
type Blame = DataOf<typeof history.getBlame>

eachEngine((engine) => {
  let server: TestServer
  let shop: Shop
  let host: number
  beforeAll(async () => {
    server = await startServer(engine)
    shop = await makeShop(server)
    host = await makeHost(server, { business: shop.business, modules: [shop.web] })
  })
  afterAll(() => server.close())

  const versions = (object: string, id: number, query = '', headers?: Record<string, string>) =>
    server.call<Found>('GET', `/history/${object}/${id}?${query}`, undefined, headers)
  const blame = (object: string, id: number) => server.call<Blame>('GET', `/history/${object}/${id}/blame`)
  const described = ({ data }: { data: Found }) => data.info.map((each) => `${each.op_desc} ${each.name}`)
  const move = (hosts: number[], modules: number[]) =>
    server.call('POST', '/hosts/modules', {
      bk_biz_id: shop.business,
      bk_host_id: hosts,
      bk_module_id: modules,
      is_increment: false,
    })

  it('lists the versions of a set, newest first, also once it is deleted', async () => {
    const set = await makeSet(server, shop.business, { bk_set_name: 'first' })
    const path = `/set/${shop.business}/${set}`
    const sent = { bk_biz_id: shop.business, bk_set_name: 'second', bk_capacity: 7 }
    await server.call('PUT', path, sent, { BK_User: 'amy', 'X-Change-Reason': 'renamed%20for%20winter' })
    await server.call('DELETE', path)
    const found = await versions('set', set)
    expect(found.data.count).toBe(3)
    expect(described(found)).toEqual(['delete set second', 'update set second', 'create set first'])
    const [deletion, update, creation] = found.data.info
    expect(deletion).toMatchObject({ data: null, op_type: 3, changes: [] })
    expect(update).toMatchObject({ operator: 'amy', op_reason: 'renamed for winter', revision: 2, moved: null })
    expect(update?.changes).toEqual([
      { bk_property_id: 'bk_set_name', bk_property_name: 'Set name', before: 'first', after: 'second' },
      { bk_property_id: 'bk_capacity', bk_property_name: 'Design capacity', before: null, after: 7 },
    ])
    expect(creation?.data).toMatchObject({ bk_set_name: 'first', bk_set_id: set })
    expect(described(await versions('set', set, 'start=1&limit=1'))).toEqual(['update set second'])
    expect(described(await versions('set', set, `to=position:${update?.position}`))).toHaveLength(2)
    expect(described(await versions('set', set, `from=position:${update?.position}`))).toEqual(['delete set second'])
    const chinese = await versions('set', set, '', { HTTP_BLUEKING_LANGUAGE: 'zh-cn' })
    expect(chinese.data.info[1]).toMatchObject({ op_desc: '更新集群', changes: [{ bk_property_name: '集群名' }, {}] })
  })

  it('shows for a host where it was placed and moved to', async () => {
    const own = await makeHost(server, { business: shop.business, modules: [shop.web] })
    await move([own], [shop.db])
    await server.call('PUT', '/hosts/batch', { bk_host_id: String(own), bk_comment: 'x' })
    const { info } = (await versions('host', own)).data
    expect(info.map((each) => each.op_type)).toEqual([2, 100, 1])
    expect(info[0]).toMatchObject({ moved: null, changes: [{ bk_property_id: 'bk_comment', after: 'x' }] })
    const web = { bk_module_id: shop.web, bk_module_name: 'web', bk_set_name: 'shop', bk_biz_id: shop.business }
    expect(info[1]?.moved).toMatchObject({ left: [web], entered: [{ bk_module_id: shop.db, bk_module_name: 'db' }] })
    expect(info[2]?.moved).toMatchObject({ left: [], entered: [web] })
  })

  it('includes with below what was in it at the time, and nothing of before or after', async () => {
    const set = await makeSet(server, shop.business, { bk_set_name: 'below' })
    const module = await makeModule(server, shop.business, set, 'inner')
    const inside = await makeHost(server, { business: shop.business, modules: [shop.web] })
    const comment = (text: string) =>
      server.call('PUT', '/hosts/batch', { bk_host_id: String(inside), bk_comment: text })
    await comment('before')
    await move([inside], [module])
    await comment('inside')
    await move([inside], [shop.db])
    await comment('after')
    await server.call('DELETE', `/set/${shop.business}/${set}`)
    const found = await versions('set', set, 'below=true')
    expect(found.data.info.map((each) => [each.bk_obj_id, each.op_type])).toEqual([
      ['set', 3],
      ['module', 3],
      ['host', 100],
      ['host', 2],
      ['host', 100],
      ['module', 1],
      ['set', 1],
    ])
    expect(found.data.info[3]).toMatchObject({ changes: [{ after: 'inside' }] })
    const deletions = await versions('set', set, 'below=true&op_type=3')
    expect(deletions.data.count).toBe(2)
    expect(described(deletions)).toEqual(['delete set below', 'delete module inner'])
    const ofModule = await versions('module', module, 'below=true')
    expect(ofModule.data.info.map((each) => [each.bk_obj_id, each.op_type])).toEqual([
      ['module', 3],
      ['host', 100],
      ['host', 2],
      ['host', 100],
      ['module', 1],
    ])
  })

  it('includes below a business the hosts that left it, which is filed elsewhere, and nothing of other businesses', async () => {
    const [one, two] = [await makeShop(server), await makeShop(server)]
    const guest = await makeHost(server, { business: one.business, modules: [one.web] })
    // Only an undo moves a host between businesses in one step.
    await server.call('POST', '/hosts/modules/idle', { bk_biz_id: one.business, bk_host_id: [guest] })
    await server.call('POST', '/hosts/modules/resource', { bk_biz_id: one.business, bk_host_id: [guest] })
    const back = await versions('host', guest)
    await server.call('POST', '/hosts/modules/resource/idle', { bk_biz_id: two.business, bk_host_id: [guest] })
    const forced = { positions: [back.data.info[0]?.position], on_conflict: 'force' }
    expect((await server.call('POST', '/history/undo', forced)).bk_error_msg).toBe('')
    const left = await versions('biz', two.business, 'below=true')
    expect(left.data.info[0]).toMatchObject({
      op_type: 100,
      bk_inst_id: guest,
      bk_biz_id: one.business,
      moved: { left: [{ bk_biz_id: two.business }] },
    })
    const all = await versions('biz', one.business, 'below=true&limit=200')
    expect(all.data.count).toBe(all.data.info.length)
    expect(all.data.info.some((each) => each.bk_biz_id === two.business && each.op_type !== 100)).toBe(false)
  })

  it('includes below an instance of a level only what happened while the level existed', async () => {
    const business = await makeBusiness(server)
    const set = await makeSet(server, business, { bk_set_name: 'early' })
    const level = { bk_classification_id: 'bk_biz_topo', bk_obj_id: 'zone', bk_obj_name: 'zone', bk_asst_obj_id: 'biz' }
    await server.call('POST', '/topo/model/mainline', level)
    const { data } = await server.call<{ child: { bk_inst_id: number }[] }[]>('GET', `/topo/inst/0/${business}`)
    const zone = data[0]?.child[0]?.bk_inst_id ?? 0
    await server.call('PUT', `/set/${business}/${set}`, { bk_biz_id: business, bk_set_name: 'late' })
    const found = await versions('zone', zone, 'below=true')
    expect(described(found).toSorted()).toEqual(['create instance zone', 'update set early', 'update set late'])
    await server.call('DELETE', '/topo/model/mainline/owners/0/objectids/zone')
    await server.call('PUT', `/set/${business}/${set}`, { bk_biz_id: business, bk_set_name: 'later' })
    expect((await versions('zone', zone, 'below=true')).data.count).toBe(5)
  })

  it('begins for built-in sets and modules with the record of their business', async () => {
    const found = await versions('module', shop.idle)
    expect(found.data.info).toMatchObject([
      { op_desc: 'create business', bk_obj_id: 'module', bk_inst_id: shop.idle, name: 'idle machine' },
    ])
  })

  describe('blame', () => {
    it('names for each value who set it, when and why', async () => {
      const set = await makeSet(server, shop.business, { bk_set_name: 'blamed', description: 'old' })
      const path = `/set/${shop.business}/${set}`
      const put = (more: object, user: string) =>
        server.call('PUT', path, { bk_biz_id: shop.business, ...more }, { BK_User: user, 'X-Change-Reason': user })
      await put({ bk_capacity: 5 }, 'amy')
      await put({ description: '' }, 'admin')
      await put({ bk_capacity: 6, bk_set_env: '1' }, 'amy')
      const { data } = await blame('set', set)
      const by = Object.fromEntries(data.map((each) => [each.bk_property_id, each]))
      expect(by.bk_capacity).toMatchObject({
        value: 6,
        operator: 'amy',
        op_reason: 'amy',
        bk_property_name: 'Design capacity',
      })
      expect(by.bk_set_name).toMatchObject({ value: 'blamed', op_reason: '' })
      expect(by.description).toMatchObject({ value: null, operator: 'admin', op_reason: 'admin' })
      expect(by.bk_capacity?.position).toBeGreaterThan(by.description?.position ?? 0)
      await server.call('DELETE', path)
      const gone = await blame('set', set)
      expect(gone.data.find((each) => each.bk_property_id === 'bk_capacity')).toMatchObject({ value: 6 })
    })

    it('names for a host who placed it', async () => {
      const own = await makeHost(server, { business: shop.business, modules: [shop.web] })
      await move([own], [shop.db])
      const { data } = await blame('host', own)
      expect(data.find((each) => each.bk_property_id === 'bk_module_id')).toMatchObject({ value: [shop.db] })
    })
  })

  it('is readable like the audit log, and off the main line with `search`', async () => {
    const { business, set } = await makeShop(server)
    await refuses(server, 9900403, `business ${business}`, () => versions('set', set, '', { BK_User: 'mallory' }))
    expect((await versions('set', set, '', { BK_User: 'amy' })).data.count).toBe(1)
    const rack = await makeInstance(server, 'bk_switch', 'leaf')
    await refuses(server, 9900403, "'audit'", () => versions('bk_switch', rack, '', { BK_User: 'nora' }))
    await server.call('POST', '/topo/privilege/group/0', { group_name: 'readers', user_list: 'nora' })
    const groups = await server.call<{ group_id: string }[]>('POST', '/topo/privilege/group/0/search', {
      group_name: 'readers',
    })
    const path = `/topo/privilege/group/detail/0/${groups.data[0]?.group_id}`
    await server.call('POST', path, { model_config: { bk_network: { bk_switch: ['search'] } } })
    expect((await versions('bk_switch', rack, '', { BK_User: 'nora' })).data.count).toBe(1)
  })

  it.each([
    ['an instance that never was', 1199019, 'set/999999', ''],
    ['an object that is none', 1199019, 'nosuch/1', ''],
    ['records that are about no instance', 1199019, 'model/1', ''],
    ['an id that is no number', 1199009, 'set/x', ''],
    ['more than a page', 1199059, 'biz/1', 'limit=201'],
    ['an offset that is no number', 1199009, 'biz/1', 'start=-1'],
    ['an operation that is no number', 1199009, 'biz/1', 'op_type=delete'],
    ['a flag that is none', 1199006, 'biz/1', 'below=maybe'],
    ['a moment that is none', 1199006, 'biz/1', 'from=yesterday'],
    ['the future', 1199006, 'biz/1', 'to=2999-01-01'],
    ['a period that ends before it begins', 1199006, 'biz/1', 'from=position:3&to=position:2'],
    ['a moment before the log', 1199410, 'biz/1', 'to=2001-01-01'],
    ['a position that is not there', 1199006, 'biz/1', 'to=position:99999999'],
  ])('refuses %s', async (_, code, path, query) => {
    const id = path.replace('biz/1', `biz/${shop.business}`)
    await refuses(server, code, '', () => server.call('GET', `/history/${id}?${query}`))
    expect(host).toBeGreaterThan(0)
  })
})
