import { afterAll, beforeAll, expect, it } from 'vitest'
import { findRecords, makeSet } from '../../../testing/data/factories.ts'
import {
  freshAddress,
  makeHost,
  makeHosts,
  makeShop,
  modulesOf,
  recordsOf,
  type Shop,
} from '../../../testing/data/hosts.ts'
import { makeInstance, makeModule, putLevel } from '../../../testing/data/levels.ts'
import { type Answer, eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { refuses, stored } from '../../../testing/inspect/rows.ts'

const pool = { business: 1, set: 1, idle: 1, fault: 2 }

eachEngine((engine) => {
  let server: TestServer
  let shop: Shop
  let other: Shop
  beforeAll(async () => {
    server = await startServer(engine)
    shop = await makeShop(server)
    other = await makeShop(server)
  })
  afterAll(() => server.close())

  const move = (where: string, hosts: unknown, more: Record<string, unknown> = {}): Promise<Answer> =>
    server.call('POST', `/hosts/modules${where}`, { bk_biz_id: shop.business, bk_host_id: hosts, ...more })
  const toModules = (hosts: unknown, modules: number[], is_increment?: boolean) =>
    move('', hosts, { bk_module_id: modules, is_increment })
  const done = async (answer: Promise<Answer>) =>
    expect(await answer).toMatchObject({ status: 200, result: true, data: null })
  const inWeb = (business = shop) => makeHost(server, { business: business.business, modules: [business.web] })
  const idle = () => makeHost(server, { business: shop.business })

  it('moves into modules, which replace the previous ones or are added to them', async () => {
    const host = await idle()
    await done(toModules([host], [shop.web]))
    expect(await modulesOf(server, host)).toEqual([shop.web])
    await done(toModules([`${host}`, host], [shop.db], true))
    expect(await modulesOf(server, host)).toEqual([shop.web, shop.db])
    await done(toModules([host], [shop.db], false))
    expect(await modulesOf(server, host)).toEqual([shop.db])
  })

  it('leaves all other modules on entering the idle or fault module, and leaves these two on entering a normal one, even if it is added', async () => {
    const host = await makeHost(server, { business: shop.business, modules: [shop.web, shop.db] })
    await done(move('/fault', [host]))
    expect(await modulesOf(server, host)).toEqual([shop.fault])
    await done(toModules([host], [shop.web], true))
    expect(await modulesOf(server, host)).toEqual([shop.web])
    await done(toModules([host], [shop.idle], true))
    expect(await modulesOf(server, host)).toEqual([shop.idle])
    await done(toModules([host], [shop.fault], true))
    expect(await modulesOf(server, host)).toEqual([shop.fault])
    await done(move('/idle', [host]))
    expect(await modulesOf(server, host)).toEqual([shop.idle])
    await refuses(server, 1199006, 'cannot be combined with other modules', () =>
      toModules([host], [shop.idle, shop.web]),
    )
    await refuses(server, 1199006, 'cannot be combined with other modules', () =>
      toModules([host], [shop.idle, shop.fault], true),
    )
  })

  it('returns to the pool only from the idle module, and is assigned from there to one business', async () => {
    const [host, working, broken] = [await idle(), await inWeb(), await idle()]
    await done(move('/fault', [broken]))
    await refuses(server, 1106011, `${working}`, () => move('/resource', [host, working]))
    await refuses(server, 1106011, `${broken}`, () => move('/resource', [host, broken]))
    await done(move('/resource', [host]))
    expect(await modulesOf(server, host)).toEqual([pool.idle])
    await refuses(server, 1110023, `${host}`, () => move('/resource', [host]))
    await done(move('/resource/idle', [host]))
    await done(move('/resource/idle', [host]))
    expect(await modulesOf(server, host)).toEqual([shop.idle])
    await refuses(server, 1106010, `${host}`, () => move('/resource/idle', [host], { bk_biz_id: other.business }))
    await refuses(server, 1106010, `${working}`, () => move('/resource/idle', [working]))
  })

  it('empties a module or a set: hosts in other modules stay there, the others become idle', async () => {
    const set = await makeSet(server, shop.business)
    const [one, two] = [
      await makeModule(server, shop.business, set, 'one'),
      await makeModule(server, shop.business, set, 'two'),
    ]
    const at = (...modules: number[]) => makeHost(server, { business: shop.business, modules })
    const hosts = [await at(one), await at(one, two), await at(two, shop.web)]
    const empty = (body: Record<string, unknown>) => move('/idle/set', undefined, body)
    const placement = () => Promise.all(hosts.map((host) => modulesOf(server, host)))
    await done(empty({ bk_module_id: one }))
    expect(await placement()).toEqual([[shop.idle], [two], [shop.web, two].toSorted((a, b) => a - b)])
    await done(empty({ bk_set_id: set, bk_module_id: 0 }))
    expect(await placement()).toEqual([[shop.idle], [shop.idle], [shop.web]])
    const before = await stored(server)
    await done(empty({ bk_set_id: set }))
    expect(await stored(server)).toEqual(before)
    await refuses(server, 1199010, 'bk_set_id', () => empty({}))
    await refuses(server, 1199011, 'bk_set_id', () => empty({ bk_set_id: other.set }))
    await refuses(server, 1101080, 'module', () => empty({ bk_set_id: set, bk_module_id: shop.web }))
  })

  it('writes one audit record per host, and one event for each module joined or left', async () => {
    const ip = freshAddress()
    const host = await makeHost(server, {}, { bk_host_innerip: ip })
    await done(move('/resource/idle', [host]))
    await done(toModules([host], [shop.web, shop.db]))
    await done(toModules([host], [shop.db], true))
    await done(toModules([host], [shop.db]))
    const [, came, spread, shrank, ...more] = await recordsOf(server, host)
    expect(more).toEqual([])
    const [idlePool, ours] = [{ bk_set_name: 'idle pool' }, { bk_set_id: shop.set, bk_set_name: 'shop' }]
    expect(came).toMatchObject({
      operation: 100,
      biz_id: shop.business,
      ext_key: ip,
      content: {
        pre: { bk_biz_id: 1, set: [idlePool], module: [{ bk_module_name: 'idle machine', bk_module_id: pool.idle }] },
        cur: { bk_biz_id: shop.business, set: [idlePool], module: [{ bk_module_id: shop.idle }] },
      },
    })
    expect(spread?.content.cur).toMatchObject({
      set: [ours],
      module: [{ bk_module_name: 'web' }, { bk_module_name: 'db' }],
    })
    const ids = (business: number, set: number, module: number) => ({
      bk_biz_id: business,
      bk_set_id: set,
      bk_module_id: module,
      bk_host_id: host,
      bk_supplier_account: '0',
    })
    const joined = (after: object) => ({ name: 'moduletransfer', before: null, after })
    const left = (before: object) => ({ name: 'moduletransfer', before, after: null })
    const [web, db] = [shop.web, shop.db].map((module) => ids(shop.business, shop.set, module)) as [object, object]
    const idleThere = ids(shop.business, expect.any(Number) as unknown as number, shop.idle)
    expect(came?.events).toEqual([left(ids(1, pool.set, pool.idle)), joined(idleThere)])
    expect(spread?.events).toEqual([left(idleThere), joined(web), joined(db)])
    expect(shrank?.events).toEqual([left(web)])
    const { info } = (await findRecords(server, { op_target: 'host', op_type: '100', inst_id: host })).data
    expect(info.map((row) => [row.op_desc, row.bk_biz_id])).toEqual(
      [came, spread, shrank].map(() => ['host module change', shop.business]),
    )
    // A move to the pool is an event in the previous business.
    await done(move('/idle', [host]))
    await done(move('/resource', [host]))
    expect((await recordsOf(server, host)).at(-1)).toMatchObject({ operation: 100, biz_id: shop.business })
  })

  it('moves all of the hosts or none, and writes nothing for hosts that are already in the modules', async () => {
    const [mine, theirs] = [await inWeb(), await inWeb(other)]
    await refuses(server, 1110023, `${theirs}`, () => toModules([mine, theirs], [shop.db]))
    for (const where of ['/idle', '/fault', '/resource']) {
      await refuses(server, 1110023, `${theirs}`, () => move(where, [mine, theirs]))
    }
    for (const where of ['', '/idle', '/fault', '/resource', '/resource/idle']) {
      await refuses(server, 1110008, '999999', () => move(where, [mine, 999_999], { bk_module_id: [shop.db] }))
    }
    await refuses(server, 1101080, `${other.web}`, () => toModules([mine], [shop.db, other.web]))
    await refuses(server, 1101080, `${pool.idle}`, () => toModules([mine], [pool.idle]))
    const before = await stored(server)
    await done(toModules([mine], [shop.web]))
    await done(toModules([mine], [shop.web], true))
    expect(await stored(server)).toEqual(before)
    const many = await makeHosts(
      server,
      { business: shop.business },
      Array.from({ length: 30 }, () => ({})),
    )
    await done(toModules([...many, mine], [shop.web]))
    expect(await Promise.all(many.map((host) => modulesOf(server, host)))).toEqual(many.map(() => [shop.web]))
    expect(await recordsOf(server, mine)).toHaveLength(1)
  })

  it('refuses unknown hosts and businesses', async () => {
    const host = await inWeb()
    for (const where of ['', '/idle', '/fault', '/resource', '/resource/idle', '/idle/set']) {
      const body = { bk_module_id: where === '/idle/set' ? shop.web : [shop.web] }
      await refuses(server, 1199011, 'bk_biz_id', () => move(where, [host], { ...body, bk_biz_id: 99_999 }))
      await refuses(server, 1199010, 'bk_biz_id', () => move(where, [host], { ...body, bk_biz_id: undefined }))
      if (where === '/idle/set') continue
      await refuses(server, 1199010, 'bk_host_id', () => move(where, undefined, body))
      await refuses(server, 1199010, 'bk_host_id', () => move(where, [], body))
      expect((await move(where, ['x'], body)).result).toBe(false)
      expect((await move(where, [0], body)).result).toBe(false)
      const many = Array.from({ length: 5_001 }, (_, index) => index + 1)
      await refuses(server, 1199035, '5000', () => move(where, many, body))
    }
    await refuses(server, 1199010, 'bk_module_id', () => toModules([host], []))
  })

  it('prevents the deletion of sets, modules and businesses with hosts, and counts the hosts in a dry run', async () => {
    const { business, set, web } = await makeShop(server)
    const [host] = await makeHosts(server, { business, modules: [web] }, [{}, {}])
    await refuses(server, 1101030, 'host', () => server.call('DELETE', `/module/${business}/${set}/${web}`))
    await refuses(server, 1101030, 'host', () => server.call('DELETE', `/set/${business}/${set}`))
    const batch = { delete: { inst_ids: [set] } }
    await refuses(server, 1101030, 'host', () => server.call('DELETE', `/set/${business}/batch`, batch))
    await refuses(server, 1101030, 'host', () => server.call('PUT', `/biz/status/disabled/0/${business}`))
    await refuses(server, 1101030, 'host', () => server.call('DELETE', `/biz/0/${business}`))
    const told = await server.call('DELETE', `/set/${business}/${set}?dry_run=true`)
    expect(told.data).toMatchObject({ hosts: 2, count: 3 })
    await server.call('POST', '/hosts/modules/idle/set', { bk_biz_id: business, bk_set_id: set })
    expect((await server.call('DELETE', `/set/${business}/${set}`)).data).toBe('success')
    expect((await server.call('PUT', `/biz/status/disabled/0/${business}`)).bk_error_code).toBe(1101030)
    const all = (await stored(server)).hosts.filter((row) => row.host_id >= (host as number)).map((row) => row.host_id)
    await server.call('POST', '/hosts/modules/resource', { bk_biz_id: business, bk_host_id: all })
    expect((await server.call('DELETE', `/biz/0/${business}`)).result).toBe(true)
  })

  it('deletes hosts of the pool only, all or none, with their placements', async () => {
    const ip = freshAddress()
    const [pooled, used] = [await makeHost(server, {}, { bk_host_innerip: ip }), await inWeb()]
    const remove = (ids: unknown) => server.call('DELETE', '/hosts/batch', { bk_host_id: ids })
    await refuses(server, 1110006, `${used}`, () => remove(`${pooled},${used}`))
    await refuses(server, 1110008, '999999', () => remove(`${pooled},999999`))
    await refuses(server, 1199009, 'bk_host_id', () => remove(`${pooled},`))
    await refuses(server, 1199010, 'bk_host_id', () => remove([]))
    await refuses(server, 1199009, 'bk_host_id.1', () => remove([pooled, 'x']))
    await refuses(server, 1199006, 'bk_host_id.0', () => remove([0]))
    await refuses(server, 1199007, 'bk_host_id', () => remove({}))
    await done(remove([pooled]))
    await refuses(server, 1110008, `${pooled}`, () => remove(pooled))
    expect((await recordsOf(server, pooled)).at(-1)).toMatchObject({
      operation: 3,
      ext_key: ip,
      content: { pre: { bk_host_innerip: ip }, cur: null },
      events: [{ name: 'moduletransfer', after: null }, { name: 'hostdelete' }],
    })
    expect(await makeHost(server, {}, { bk_host_innerip: ip })).not.toBe(pooled)
    expect((await server.call('GET', `/hosts/0/${pooled}`)).bk_error_code).toBe(1110008)
  })

  it('prevents the deletion of a level’s instance with hosts anywhere below it', async () => {
    await putLevel(server, 'region')
    const { business } = other
    const above = { bk_biz_id: business, bk_parent_id: business }
    const region = await makeInstance(server, 'region', { ...above, bk_inst_name: 'north' })
    const set = await makeSet(server, business, { bk_parent_id: region })
    await makeHost(server, { business, modules: [await makeModule(server, business, set, 'web')] })
    await refuses(server, 1101030, 'host', () => server.call('DELETE', `/inst/0/region/${region}`))
    expect((await server.call('DELETE', `/inst/0/region/${region}?dry_run=true`)).data).toMatchObject({ hosts: 1 })
  })
})
