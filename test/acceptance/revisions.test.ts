// Revisions, and conditional changes (`If-Match`): section 1 of what goes beyond the requirement.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type AuditRow,
  findRecords,
  findSets,
  makeBusiness,
  makeSet,
} from '../../packages/server/src/testing/data/factories.ts'
import { makeHost, makeShop, readHost, type Shop } from '../../packages/server/src/testing/data/hosts.ts'
import { makeModule } from '../../packages/server/src/testing/data/levels.ts'
import { eachEngine, startServer, type TestServer } from '../../packages/server/src/testing/harness.ts'

/** A kind of instance: how to create it, change it conditionally and delete it; its name in the log. */
interface Kind {
  readonly make: () => Promise<string | number>
  readonly change: (id: string | number, value: string, headers: Record<string, string>) => Call
  readonly remove: (id: string | number, headers: Record<string, string>) => Call
  readonly named: (id: string | number) => Record<string, unknown>
  /** The current revision as shown to a caller. */
  readonly revision: (id: string | number) => Promise<number>
}
type Call = ReturnType<TestServer['call']>
type Found = { info: Record<string, unknown>[] }

const ifMatch = (revision: number) => ({ 'if-match': `"${revision}"` })
const fresh = (what: string) => `${what} ${Math.random().toString(36).slice(2)}`

eachEngine((engine) => {
  let server: TestServer
  let shop: Shop
  beforeAll(async () => {
    server = await startServer(engine)
    shop = await makeShop(server)
  })
  afterAll(() => server.close())

  const tagOf = async (path: string) => {
    const { headers } = await server.call('GET', path)
    return Number(JSON.parse(headers.get('etag') ?? '""'))
  }
  const searched = async (path: string, body: Record<string, unknown>): Promise<number> => {
    const { data } = await server.call<Found>('POST', path, { fields: ['bk_revision'], ...body })
    return Number((Array.isArray(data) ? data : data.info)[0].bk_revision)
  }
  const subscription = (name: string) => ({
    subscription_name: name,
    system_name: 'test',
    callback_url: 'http://127.0.0.2:9/',
    confirm_mode: 'httpstatus',
    confirm_pattern: '200',
    subscription_form: 'setcreate',
    time_out: 5,
  })

  const kinds: Record<string, () => Kind> = {
    business: () => ({
      make: () => makeBusiness(server),
      change: (id, value, headers) => server.call('PUT', `/biz/0/${id}`, { bk_biz_name: value }, headers),
      remove: (id, headers) => server.call('DELETE', `/biz/0/${id}`, undefined, headers),
      named: (id) => ({ op_target: 'biz', inst_id: id }),
      revision: (id) => searched('/biz/search/0', { condition: { bk_biz_id: id }, page: { start: 0, limit: 1 } }),
    }),
    set: () => ({
      make: () => makeSet(server, shop.business),
      change: (id, value, headers) =>
        server.call('PUT', `/set/${shop.business}/${id}`, { bk_biz_id: shop.business, bk_set_name: value }, headers),
      remove: (id, headers) => server.call('DELETE', `/set/${shop.business}/${id}`, undefined, headers),
      named: (id) => ({ op_target: 'set', inst_id: id }),
      revision: (id) =>
        searched(`/set/search/0/${shop.business}`, { condition: { bk_set_id: id }, page: { start: 0, limit: 1 } }),
    }),
    module: () => ({
      make: () => makeModule(server, shop.business, shop.set, fresh('module')),
      change: (id, value, headers) =>
        server.call('PUT', `/module/${shop.business}/${shop.set}/${id}`, { bk_module_name: value }, headers),
      remove: (id, headers) => server.call('DELETE', `/module/${shop.business}/${shop.set}/${id}`, undefined, headers),
      named: (id) => ({ op_target: 'module', inst_id: id }),
      revision: (id) =>
        searched(`/module/search/0/${shop.business}/${shop.set}`, {
          condition: { bk_module_id: id },
          page: { start: 0, limit: 1 },
        }),
    }),
    host: () => ({
      make: () => makeHost(server),
      change: (id, value, headers) =>
        server.call('PUT', '/hosts/batch', { bk_host_id: id, bk_host_name: value }, headers),
      remove: (id, headers) =>
        server.call('DELETE', '/hosts/batch', { bk_host_id: String(id), bk_supplier_account: '0' }, headers),
      named: (id) => ({ op_target: 'host', inst_id: id }),
      revision: (id) => tagOf(`/hosts/0/${id}`),
    }),
    switch: () => ({
      make: async () => {
        const made = await server.call<{ bk_inst_id: number }>('POST', '/inst/0/bk_switch', {
          bk_inst_name: fresh('switch'),
        })
        return made.data.bk_inst_id
      },
      change: (id, value, headers) => server.call('PUT', `/inst/0/bk_switch/${id}`, { bk_inst_name: value }, headers),
      remove: (id, headers) => server.call('DELETE', `/inst/0/bk_switch/${id}`, undefined, headers),
      named: (id) => ({ bk_obj_id: 'bk_switch', inst_id: id }),
      revision: (id) =>
        searched('/inst/search/owner/0/object/bk_switch', {
          condition: { bk_inst_id: id },
          page: { start: 0, limit: 1 },
        }),
    }),
    'saved query': () => ({
      make: async () => {
        const info = JSON.stringify({ condition: [] })
        const body = { bk_biz_id: shop.business, name: fresh('query'), info }
        return (await server.call<{ id: string }>('POST', '/userapi', body)).data.id
      },
      change: (id, value, headers) => server.call('PUT', `/userapi/${shop.business}/${id}`, { name: value }, headers),
      remove: (id, headers) => server.call('DELETE', `/userapi/${shop.business}/${id}`, undefined, headers),
      named: (id) => ({ op_target: 'userapi', ext_key: id }),
      revision: (id) => tagOf(`/userapi/detail/${shop.business}/${id}`),
    }),
    group: () => ({
      make: async () => {
        const name = fresh('group')
        await server.call('POST', '/topo/privilege/group/0', { group_name: name, user_list: 'amy' })
        const found = await server.call<{ group_id: string }[]>('POST', '/topo/privilege/group/0/search', {
          group_name: name,
        })
        return found.data[0]?.group_id ?? ''
      },
      change: (id, value, headers) =>
        server.call('PUT', `/topo/privilege/group/0/${id}`, { group_name: value }, headers),
      remove: (id, headers) => server.call('DELETE', `/topo/privilege/group/0/${id}`, undefined, headers),
      named: () => ({ op_target: 'usergroup' }),
      revision: (id) => tagOf(`/topo/privilege/group/detail/0/${id}`),
    }),
    subscription: () => ({
      make: async () => {
        const made = await server.call<{ subscription_id: number }>(
          'POST',
          `/event/subscribe/0/${shop.business}`,
          subscription(fresh('subscription')),
        )
        return made.data.subscription_id
      },
      change: (id, value, headers) =>
        server.call('PUT', `/event/subscribe/0/${shop.business}/${id}`, subscription(value), headers),
      remove: (id, headers) => server.call('DELETE', `/event/subscribe/0/${shop.business}/${id}`, undefined, headers),
      named: (id) => ({ op_target: 'subscription', inst_id: id }),
      revision: async (id) => {
        const path = `/event/subscribe/search/0/${shop.business}`
        const { data } = await server.call<{ subscription_id: number; bk_revision: number }[]>('POST', path, {})
        return data.find((each) => each.subscription_id === id)?.bk_revision ?? 0
      },
    }),
  }

  describe.each(Object.keys(kinds))('the revision of a %s', (name) => {
    it('is 1 after creation, increases by one with each change, and guards conditional changes', async () => {
      const kind = kinds[name]?.() as Kind
      const id = await kind.make()
      expect(await kind.revision(id)).toBe(1)
      expect(await kind.change(id, fresh('first'), {})).toMatchObject({ result: true })
      expect(await kind.revision(id)).toBe(2)

      const stale = await kind.change(id, fresh('lost'), ifMatch(1))
      expect(stale).toMatchObject({ status: 412, bk_error_code: 1199412, data: { bk_revision: 2 } })
      expect(await kind.revision(id)).toBe(2)

      const value = fresh('second')
      expect(await kind.change(id, value, ifMatch(2))).toMatchObject({ result: true })
      // Without a difference nothing is changed, but the condition is still checked.
      expect(await kind.change(id, value, ifMatch(3))).toMatchObject({ result: true })
      expect(await kind.change(id, value, ifMatch(2))).toMatchObject({ bk_error_code: 1199412 })
      expect(await kind.revision(id)).toBe(3)

      expect(await kind.remove(id, ifMatch(2))).toMatchObject({ bk_error_code: 1199412 })
      if (name === 'business') await server.call('PUT', `/biz/status/disabled/0/${id}`, undefined, ifMatch(3))
      const [last, archived] = name === 'business' ? [4, [4]] : [3, []]
      expect(await kind.remove(id, ifMatch(last))).toMatchObject({ result: true })

      const { data } = await findRecords(server, kind.named(id))
      const own = data.info.filter((row) => name !== 'group' || isOf(row, String(id)))
      expect(own.map((row) => row.revision)).toEqual([1, 2, 3, ...archived, last + 1])
    })
  })

  const isOf = ({ content: { pre_data, cur_data } }: AuditRow, group: string) =>
    (cur_data ?? pre_data)?.group_id === group

  it('is shown only on request, and can be filtered and sorted by', async () => {
    const id = await makeSet(server, shop.business)
    const { data } = await findSets(server, shop.business, { bk_set_id: id, bk_revision: 1 })
    expect(data.count).toBe(1)
    expect(data.info[0]).not.toHaveProperty('bk_revision')
    const host = await makeHost(server)
    const search = { condition: [{ bk_obj_id: 'host', fields: ['bk_host_id', 'bk_revision'], condition: [] }] }
    const hosts = await server.call<{ info: { host: Record<string, unknown> }[] }>('POST', '/hosts/search', {
      ...search,
      page: { start: 0, limit: 1, sort: '-bk_host_id' },
    })
    expect(hosts.data.info[0]?.host).toEqual({ bk_host_id: host, bk_revision: 1 })
  })

  it('of a host increases with each move, and guards moves', async () => {
    const host = await makeHost(server, { business: shop.business })
    const move = (module: number, headers: Record<string, string>) =>
      server.call(
        'POST',
        '/hosts/modules',
        { bk_biz_id: shop.business, bk_host_id: [host], bk_module_id: [module], is_increment: false },
        headers,
      )
    expect(await move(shop.web, ifMatch(1))).toMatchObject({ result: true })
    expect(await move(shop.db, ifMatch(1))).toMatchObject({
      bk_error_code: 1199412,
      data: { bk_revision: 2, module: [{ bk_module_id: shop.web }] },
    })
    expect(await move(shop.db, {})).toMatchObject({ result: true })
    expect(await tagOf(`/hosts/0/${host}`)).toBe(3)
  })

  it('of a host that is edited and moved in one change increases twice, once per record', async () => {
    const host = await makeHost(server, { business: shop.business, modules: [shop.web] })
    const address = (await readHost(server, host)).bk_host_innerip
    const added = await server.call('POST', '/hosts/sync/new/host', {
      bk_biz_id: shop.business,
      bk_module_id: [shop.db],
      host_info: { 1: { bk_host_innerip: address, bk_host_name: 'edited' } },
    })
    expect(added).toMatchObject({ result: true })
    const { data } = await findRecords(server, { op_target: 'host', inst_id: host })
    expect(data.info.map((row) => row.revision)).toEqual([1, 2, 3])
    expect(await tagOf(`/hosts/0/${host}`)).toBe(3)
  })

  it('also guards a move that changes nothing', async () => {
    const host = await makeHost(server)
    const pool = await server.call<Found>('POST', '/biz/default/0/search', {})
    const back = (revision: number) =>
      server.call(
        'POST',
        '/hosts/modules/resource',
        { bk_biz_id: pool.data.info[0]?.bk_biz_id, bk_host_id: [host] },
        ifMatch(revision),
      )
    expect(await back(1)).toMatchObject({ result: true })
    expect(await back(2)).toMatchObject({ bk_error_code: 1199412 })
    expect(await tagOf(`/hosts/0/${host}`)).toBe(1)
  })

  it('of a subscription is different in each of its records', async () => {
    const kind = kinds.subscription?.() as Kind
    const id = await kind.make()
    const path = `/event/subscribe/0/${shop.business}/${id}`
    const done = async (operation: string, revision: number, body: unknown = {}) =>
      expect(await server.call('POST', `${path}/${operation}`, body, ifMatch(revision)), operation).toMatchObject({
        result: true,
      })
    await done('pause', 1)
    await done('resume', 2)
    await done('secret', 3)
    expect(await server.call('POST', `${path}/pause`, {}, ifMatch(3))).toMatchObject({ bk_error_code: 1199412 })
    const from_position = 1
    expect(await server.call('POST', `${path}/replay`, { from_position, to_position: 2 })).toMatchObject({
      data: { to_position: 2 },
    })
    expect(await kind.revision(id)).toBe(5)
    await kind.remove(id, ifMatch(5))
    const { data } = await findRecords(server, kind.named(id))
    expect(data.info.map((row) => row.revision)).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('of instances under a new level increases with their new parent', async () => {
    const set = await makeSet(server, shop.business)
    const level = {
      bk_classification_id: 'bk_biz_topo',
      bk_obj_id: 'region',
      bk_obj_name: 'region',
      bk_asst_obj_id: 'biz',
    }
    expect(await server.call('POST', '/topo/model/mainline', level)).toMatchObject({ result: true })
    const [kind] = [kinds.set?.() as Kind]
    expect(await kind.revision(set)).toBe(2)
    expect(await server.call('DELETE', '/topo/model/mainline/owners/0/objectids/region')).toMatchObject({
      result: true,
    })
    expect(await kind.revision(set)).toBe(3)
  })

  it('is refused where it cannot guard anything', async () => {
    const hosts = [await makeHost(server), await makeHost(server)]
    const named = (value: string) => ({ 'if-match': value })
    const one = { bk_host_id: hosts[0], bk_host_name: 'x' }
    const refused = { status: 400, bk_error_code: 1199006 }
    expect(await server.call('PUT', '/hosts/batch', { ...one, bk_host_id: hosts.join(',') }, ifMatch(1))).toMatchObject(
      refused,
    )
    expect(await server.call('POST', '/biz/0', { bk_biz_name: fresh('new') }, ifMatch(1))).toMatchObject(refused)
    for (const value of ['1', 'W/"1"', '"one"', '"0"', '"1", "2"', '""', '"9999999999999999"']) {
      expect(await server.call('PUT', '/hosts/batch', one, named(value)), value).toMatchObject(refused)
    }
    expect(await server.call('PUT', '/hosts/batch', one, named('*'))).toMatchObject({ result: true })
  })

  it('orders the versions of an instance under concurrent changes, in time and in the log', async () => {
    const host = await makeHost(server)
    const rename = (name: number) =>
      server.call('PUT', '/hosts/batch', { bk_host_id: host, bk_host_name: `name ${name}` })
    for (let round = 0; round < 6; round++) {
      await Promise.all(Array.from({ length: 12 }, (_, index) => rename(round * 12 + index)))
    }
    const rows = await server.service.storage.read
      .selectFrom('log')
      .selectAll()
      .where('object_id', '=', 'host')
      .where('inst_id', '=', host)
      .orderBy('ticket')
      .execute()
    expect(rows.map((row) => row.revision)).toEqual(rows.map((_, index) => index + 1))
    const times = rows.map((row) => Date.parse(JSON.parse(row.content).cur.last_time))
    for (const [index, time] of times.entries()) expect(time).toBeGreaterThan(times[index - 1] ?? 0)

    await expect
      .poll(async () =>
        (await findRecords(server, { op_target: 'host', inst_id: host })).data.info.every((row) => row.position),
      )
      .toBe(true)
    const condition = { op_target: 'host', inst_id: host }
    const { data } = await server.call<{ info: AuditRow[] }>('POST', '/audit/search', { condition, limit: 200 })
    const positions = data.info.map((row) => Number(row.position))
    expect(positions).toEqual(positions.toSorted((one, other) => other - one))
  })
})
