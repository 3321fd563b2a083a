import type { DataOf, topology } from '@mainline/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { makeHosts, makeShop, searchHosts } from '../../../testing/data/hosts.ts'
import { makeInstance, makeModule, putLevel } from '../../../testing/data/levels.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { caughtUp } from '../../../testing/inspect/past.ts'
import { findBusiness } from '../../topology/index.ts'
import { hostCounts } from './counts.ts'

type Counts = DataOf<typeof topology.getHostCounts>

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
  })
  afterAll(() => server.close())
  const counts = async (business: number | string, headers: Record<string, string> = {}) =>
    server.call<Counts>('GET', `/topo/hostcount/0/${business}`, undefined, headers)
  const statements = async (work: () => Promise<unknown>) => {
    // The background task that derives the past reads the log in the same threads.
    await caughtUp(server)
    const { heavyReads } = server.service.storage.engine
    const { query } = heavyReads
    let count = 0
    heavyReads.query = function (this: typeof heavyReads, text, parameters) {
      count++
      return query.call(this, text, parameters)
    }
    await work().finally(() => {
      heavyReads.query = query
    })
    return count
  }

  it('counts a host once per instance, the idle pool included, and omits instances without hosts', async () => {
    const { business, set, web, db, idle } = await makeShop(server)
    expect((await counts(business)).data).toEqual({})
    await makeHosts(server, { business, modules: [web, db] }, [{}, {}])
    await makeHosts(server, { business, modules: [db] }, [{}])
    await makeHosts(server, { business }, [{}])
    const { data } = await counts(business)
    const [pool] = Object.keys(data.set ?? {}).filter((id) => Number(id) !== set)
    expect(data).toEqual({
      biz: { [business]: 4 },
      set: { [set]: 3, [pool as string]: 1 },
      module: { [web]: 2, [db]: 3, [idle]: 1 },
    })
  })

  it('includes the latest change in spite of the cache', async () => {
    const { business, web, db, idle } = await makeShop(server)
    const hosts = await makeHosts(server, { business, modules: [web] }, [{}, {}, {}])
    expect((await counts(business)).data.module).toEqual({ [web]: 3 })
    const move = (into: number) =>
      server.call('POST', '/hosts/modules', { bk_biz_id: business, bk_host_id: hosts, bk_module_id: [into] })
    for (const into of [db, idle, web]) {
      await move(into)
      // Also for requests that arrive while others are being answered.
      const answers = await Promise.all([1, 2, 3, 4].map(() => counts(business)))
      expect(answers.map(({ data }) => data.module)).toEqual(Array(4).fill({ [into]: 3 }))
    }
  })

  it('takes one statement, however many requests are concurrent: later ones share the next', async () => {
    const { business: id } = await makeShop(server)
    const { storage } = server.service
    const business = await findBusiness(storage.read, '0', id)
    expect(await statements(() => hostCounts(storage, business))).toBe(1)
    await makeHosts(server, { business: id }, [{}])
    const many = () => Promise.all(Array.from({ length: 20 }, () => hostCounts(storage, business)))
    expect(await statements(many)).toBeLessThanOrEqual(2)
    expect(await statements(many)).toBeLessThanOrEqual(storage.engine.isShared ? 2 : 0)
  })

  it('counts the hosts of every business that is not archived, of this account only, and includes the latest change', async () => {
    const [one, other] = [await makeShop(server), await makeShop(server)]
    const all = async (account = '0') =>
      (await server.call<DataOf<typeof topology.getBusinessHostCounts>>('GET', `/topo/hostcount/${account}`)).data
    const both = async () => {
      const found = await all()
      return [found[one.business], found[other.business]]
    }
    expect(await both()).toEqual([undefined, undefined])
    const { 1: pool = 0 } = await all()
    await makeHosts(server, {}, [{}])
    await makeHosts(server, { business: one.business, modules: [one.web, one.db] }, [{}, {}])
    expect(await all()).toMatchObject({ 1: pool + 1, [one.business]: 2 })
    const [last] = await makeHosts(server, { business: other.business }, [{}])
    // Also for requests that arrive while others are being answered.
    expect(await Promise.all([both(), both(), both()])).toEqual(Array(3).fill([2, 1]))
    expect(await all('elsewhere')).toEqual({})
    await server.call('POST', '/hosts/modules/resource', { bk_biz_id: other.business, bk_host_id: [last] })
    await server.call('PUT', `/biz/status/disabled/0/${other.business}`)
    expect(await both()).toEqual([2, undefined])
    expect(await statements(async () => all())).toBeLessThanOrEqual(1)
  })

  it('refuses an unknown or archived business, and is open to any caller', async () => {
    const { business } = await makeShop(server)
    for (const id of [99999, 2 ** 52]) expect(await counts(id)).toMatchObject({ status: 404, bk_error_code: 1199019 })
    for (const id of ['x', '0', '-1', '1.5', '1e3', '9'.repeat(30), '%00']) {
      expect(await counts(id)).toMatchObject({ status: 400, bk_error_code: 1199009 })
    }
    await server.call('PUT', `/biz/status/disabled/0/${business}`)
    expect((await counts(business)).bk_error_code).toBe(1199019)
    expect(await counts(1, { BK_User: 'stranger' })).toMatchObject({ result: true })
    // A business of another account counts as unknown.
    const other = await server.call('GET', `/topo/hostcount/elsewhere/${business}`)
    expect(other.bk_error_code).toBe(1199019)
  })

  it('agrees with the host search for every instance, levels included', async () => {
    await putLevel(server, 'zone')
    await putLevel(server, 'region', 'zone')
    const business = await makeBusiness(server)
    const places: { object: string; field: string; id: number }[] = []
    const modules: number[] = []
    const place = (object: string, field: string, id: number) => places.push({ object, field, id })
    for (const zone of ['east', 'west']) {
      const zoneId = await makeInstance(server, 'zone', {
        bk_inst_name: zone,
        bk_biz_id: business,
        bk_parent_id: business,
      })
      place('object', 'bk_inst_id', zoneId)
      const region = { bk_inst_name: 'one', bk_biz_id: business, bk_parent_id: zoneId }
      const regionId = await makeInstance(server, 'region', region)
      place('object', 'bk_inst_id', regionId)
      for (const name of ['a', 'b']) {
        const set = await makeSet(server, business, { bk_set_name: name, bk_parent_id: regionId })
        place('set', 'bk_set_id', set)
        for (const module of ['x', 'y']) modules.push(await makeModule(server, business, set, module))
      }
    }
    for (const module of modules) place('module', 'bk_module_id', module)
    const placement = fc.subarray(modules, { minLength: 1, maxLength: 4 })
    for (const into of fc.sample(placement, { numRuns: 12, seed: 7 })) {
      await makeHosts(server, { business, modules: into }, [{}, {}])
    }
    const { data } = await counts(business)
    const byId = { ...data.zone, ...data.region }
    for (const { object, field, id } of places) {
      const condition = [{ field, operator: '$eq', value: id }]
      const found = await searchHosts(server, {
        bk_biz_id: business,
        condition: [{ bk_obj_id: object, fields: [], condition }],
        page: { start: 0, limit: 1 },
      })
      expect((object === 'object' ? byId[id] : data[object]?.[id]) ?? 0, `${object} ${id}`).toBe(found.data.count)
    }
    expect(data.biz).toEqual({ [business]: 24 })
  })
})
