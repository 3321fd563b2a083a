import type { audit, DataOf } from '@mainline/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeSet } from '../../testing/data/factories.ts'
import { makeHosts, makeShop, type Shop } from '../../testing/data/hosts.ts'
import { makeModule } from '../../testing/data/levels.ts'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'
import { refuses } from '../../testing/inspect/rows.ts'

type Found = Required<DataOf<typeof audit.getOperationLog>>
type Row = Required<Found['info'][number]>
const chinese = { HTTP_BLUEKING_LANGUAGE: 'zh-cn' }

eachEngine((engine) => {
  let server: TestServer
  let shop: Shop
  let set: number
  beforeAll(async () => {
    server = await startServer(engine)
    shop = await makeShop(server)
    set = await makeSet(server, shop.business, { bk_set_name: 'winter-sale' })
    for (let index = 0; index < 4; index++) await makeModule(server, shop.business, set, `worker ${index}`)
  })
  afterAll(() => server.close())

  const search = (body: object, headers?: Record<string, string>) =>
    server.call<{ count: number; info: Row[] }>('POST', '/audit/search', body, headers)
  const changes = (condition: object = {}, more: object = {}, headers?: Record<string, string>) =>
    search({ condition, group_by: 'txn', ...more }, headers)
  const summary = async (condition: object = {}, headers?: Record<string, string>) =>
    (await changes(condition, {}, headers)).data.info[0]?.summary

  describe('grouped by change', () => {
    it('has one row for all records of a change, with counts, the first records and a sentence', async () => {
      const headers = { BK_User: 'amy', 'X-Change-Reason': 'season%20over', cc_request_id: 'season' }
      await server.call('DELETE', `/set/${shop.business}/${set}`, undefined, headers)
      const { data } = await changes({ op_target: 'set', op_type: 'delete' })
      expect(data.count).toBe(1)
      const [row] = data.info
      expect(row).toMatchObject({ operator: 'amy', op_reason: 'season over', request_id: 'season', record_count: 5 })
      expect(row?.counts).toEqual(
        expect.arrayContaining([
          { bk_obj_id: 'set', op_type: 3, records: 1 },
          { bk_obj_id: 'module', op_type: 3, records: 4 },
        ]),
      )
      expect(row?.records).toHaveLength(5)
      expect(row?.records).toContainEqual(
        expect.objectContaining({ bk_obj_id: 'set', inst_id: set, name: 'winter-sale', op_desc: 'delete set' }),
      )
      expect(row?.summary).toContain('deleted set winter-sale')
      expect(row?.summary).toContain('deleted 4 modules: worker 0, worker 1, worker 2, …')
      expect(await summary({ txn_id: row?.txn_id }, chinese)).toContain('删除集群 winter-sale')
      expect(await summary({ txn_id: row?.txn_id }, chinese)).toContain(
        '删除 4 个模块：worker 0、worker 1、worker 2、…',
      )
    })

    it('names where hosts were moved, and says of an undo that it is one', async () => {
      const hosts = await makeHosts(server, { business: shop.business, modules: [shop.web] }, [{}, {}])
      const move = { bk_biz_id: shop.business, bk_host_id: hosts, bk_module_id: [shop.db], is_increment: false }
      await server.call('POST', '/hosts/modules', move)
      expect(await summary()).toBe('moved 2 hosts: shop / web → shop / db')
      const [row] = (await changes()).data.info
      expect((await server.call('POST', '/history/undo', { txn_id: row?.txn_id })).bk_error_msg).toBe('')
      expect(await summary()).toBe('undo: moved 2 hosts: shop / db → shop / web')
    })

    it('pages from the newest on, and counts changes', async () => {
      const all = (await changes({}, { limit: 200 })).data
      expect(all.count).toBe(all.info.length)
      const records = (await search({ limit: 200 })).data
      expect(new Set(records.info.map((row) => row.txn_id)).size).toBe(all.count)
      const [first, second] = [await changes({}, { limit: 2 }), await changes({}, { start: 2, limit: 2 })]
      const txns = [...first.data.info, ...second.data.info].map((row) => row.txn_id)
      expect(txns).toEqual(all.info.slice(0, 4).map((row) => row.txn_id))
      expect((await changes({}, { start: 1_000 })).data).toEqual({ count: all.count, info: [] })
      const oldest = (await changes({}, { sort: 'op_time', limit: 1 })).data.info[0]
      expect(oldest?.txn_id).toBe(all.info.at(-1)?.txn_id)
    })

    it('covers only the records that the caller may read', async () => {
      const other = await makeShop(server)
      await server.call('PUT', `/biz/0/${other.business}`, { bk_biz_maintainer: 'olga' })
      const { data } = await changes({}, { limit: 200 }, { BK_User: 'olga' })
      expect(new Set(data.info.map((row) => row.bk_biz_id))).toEqual(new Set([other.business]))
    })

    it.each([
      [{ group_by: 'user' }, 1199006],
      [{ group_by: 'txn', sort: 'operator' }, 1199011],
    ])('refuses %j', async (body, code) => {
      await refuses(server, code, '', () => search(body))
    })
  })

  describe('a search', () => {
    it('finds by transaction, by request and by reason', async () => {
      const [row] = (await changes({ request_id: 'season' })).data.info
      expect((await search({ condition: { txn_id: row?.txn_id } })).data.count).toBe(5)
      expect(
        (await search({ condition: { txn_id: { $in: [row?.txn_id, 'other'] }, op_target: 'set' } })).data.count,
      ).toBe(1)
      expect((await search({ condition: { op_reason: 'season over' } })).data.count).toBe(5)
      expect((await search({ condition: { op_reason: { $regex: 'over$' } } })).data.count).toBe(5)
      expect((await changes({ op_reason: { $regex: '^season' } })).data.count).toBe(1)
      expect((await search({ condition: { op_reason: 'over' } })).data.count).toBe(0)
      expect((await search({ condition: { request_id: 'season', op_target: 'module' } })).data.count).toBe(4)
    })

    it('finds by the name of an instance, also one that it had once, and of a host by its address', async () => {
      const own = await makeSet(server, shop.business, { bk_set_name: 'once "so"' })
      const path = `/set/${shop.business}/${own}`
      await server.call('PUT', path, { bk_biz_id: shop.business, bk_set_name: 'now' })
      const found = async (condition: object) => (await search({ condition })).data.info.map((row) => row.inst_id)
      expect(await found({ inst_name: 'once "so"' })).toEqual([own, own])
      expect(await found({ inst_name: 'now', op_type: 'update' })).toEqual([own])
      expect(await found({ inst_name: 'no' })).toEqual([])
      expect(await found({ inst_name: 'now', bk_obj_id: 'module' })).toEqual([])
      expect(await found({ inst_name: 'winter-sale' })).toEqual([set, set])
      const [host] = await makeHosts(server, {}, [{ bk_host_innerip: '10.77.0.1' }])
      expect(await found({ inst_name: '10.77.0.1' })).toEqual([host])
      expect((await changes({ inst_name: 'now' })).data.count).toBe(2)
      await refuses(server, 1199007, 'inst_name', () => search({ condition: { inst_name: 7 } }))
    })
  })
})
