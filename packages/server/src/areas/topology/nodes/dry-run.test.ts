import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { makeInstance, makeModule, putLevel } from '../../../testing/data/levels.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { hostFor, putHost, stored } from '../../../testing/inspect/rows.ts'

/** The effects of a deletion, computed by `?dry_run=true`. */
eachEngine((engine) => {
  let server: TestServer
  let business: number
  let region: number
  let set: number
  let modules: number[]
  beforeAll(async () => {
    server = await startServer(engine)
    await putLevel(server, 'region')
    business = await makeBusiness(server)
    region = await makeInstance(server, 'region', {
      bk_biz_id: business,
      bk_parent_id: business,
      bk_inst_name: 'north',
    })
    set = await makeSet(server, business, { bk_parent_id: region, bk_set_name: 'shop' })
    modules = [await makeModule(server, business, set, 'web'), await makeModule(server, business, set, 'db')]
    await putHost(server, modules[0] as number)
  })
  afterAll(() => server.close())

  /** Runs the request, asserts that nothing has changed, and returns the answer. */
  async function ask(path: string, body?: unknown) {
    const before = await stored(server)
    const told = await server.call('DELETE', path, body)
    expect(await stored(server)).toEqual(before)
    expect(told).toMatchObject({ status: 200, result: true, data: { moves: [], conflicts: [] } })
    return told.data as { goes: Record<string, unknown>[]; count: number; hosts: number }
  }
  const row = (bk_obj_id: string, bk_inst_id: number | undefined, bk_inst_name: string) => ({
    bk_obj_id,
    bk_inst_id,
    bk_inst_name,
  })
  const below = () => [row('set', set, 'shop'), row('module', modules[0], 'web'), row('module', modules[1], 'db')]

  it('reports a level’s instance with everything below it, from the top down', async () => {
    expect(await ask(`/inst/0/region/${region}?dry_run=true`)).toMatchObject({
      goes: [row('region', region, 'north'), ...below()],
      count: 4,
      hosts: 1,
    })
  })

  it('reports one set, several sets, and a module', async () => {
    expect(await ask(`/set/${business}/${set}?dry_run=true`)).toMatchObject({ goes: below(), count: 3, hosts: 1 })
    const batch = { delete: { inst_ids: [set, set] } }
    expect(await ask(`/set/${business}/batch?dry_run=true`, batch)).toMatchObject({ goes: below(), count: 3, hosts: 1 })
    const empty = await ask(`/module/${business}/${set}/${modules[1]}?dry_run=true`)
    expect(empty).toMatchObject({ goes: [row('module', modules[1], 'db')], count: 1, hosts: 0 })
  })

  it('reports instances beside the main line, and of several businesses together', async () => {
    const device = await makeInstance(server, 'bk_switch', { bk_inst_name: 'core' })
    const gone = [row('bk_switch', device, 'core')]
    expect(await ask(`/inst/0/bk_switch/${device}?dry_run=true`)).toMatchObject({ goes: gone, count: 1, hosts: 0 })
    const other = await makeBusiness(server)
    const south = await makeInstance(server, 'region', { bk_biz_id: other, bk_parent_id: other, bk_inst_name: 'south' })
    const batch = { delete: { inst_ids: [south, region] } }
    expect(await ask('/inst/0/region/batch?dry_run=true', batch)).toMatchObject({
      goes: [row('region', region, 'north'), ...below(), row('region', south, 'south')],
      count: 5,
      hosts: 1,
    })
  })

  it('counts a host once, even if it is in several modules', async () => {
    const own = await makeSet(server, business, { bk_parent_id: region })
    const [one, two] = [await makeModule(server, business, own, 'one'), await makeModule(server, business, own, 'two')]
    const place = await hostFor(server, one)
    const there = await server.service.storage.read
      .selectFrom('node')
      .select('id')
      .where('object_id', '=', 'module')
      .where('inst_id', '=', two)
      .executeTakeFirstOrThrow()
    await server.service.storage.change({ user: 'test', account: '0', requestId: '' }, async (tx) => {
      await tx
        .insertInto('placement')
        .values([place, { ...place, module: there.id }])
        .execute()
    })
    expect(await ask(`/set/${business}/${own}?dry_run=true`)).toMatchObject({ count: 3, hosts: 1 })
  })

  it('lists a thousand at most and counts them all', async () => {
    const own = await makeBusiness(server)
    const north = await makeInstance(server, 'region', { bk_biz_id: own, bk_parent_id: own, bk_inst_name: 'north' })
    const many = await makeSet(server, own, { bk_parent_id: north })
    const { storage } = server.service
    await storage.change({ user: 'test', account: '0', requestId: '' }, async (tx) => {
      const ids = await tx.drawIds('module', 1_100)
      const model = await tx
        .selectFrom('node')
        .selectAll()
        .where('object_id', '=', 'set')
        .where('inst_id', '=', many)
        .executeTakeFirstOrThrow()
      const { id, ...rest } = model
      for (let first = 0; first < ids.length; first += 275) {
        const rows = ids.slice(first, first + 275).map((inst_id) => {
          const name = `m${inst_id}`
          return { ...rest, object_id: 'module', inst_id, parent: id, parent_id: many, name, name_key: name }
        })
        await tx.insertInto('node').values(rows).execute()
      }
    })
    const told = await ask(`/set/${own}/${many}?dry_run=true`)
    expect([told.goes.length, told.count, told.hosts]).toEqual([1_000, 1_101, 0])
    expect((await server.call('DELETE', `/inst/0/region/${north}?dry_run=false`)).data).toBe('success')
    expect((await server.call('DELETE', `/set/${own}/${many}?dry_run=true`)).bk_error_code).toBe(1199019)
  })
})
