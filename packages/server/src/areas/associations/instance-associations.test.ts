import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpoints } from '../../commands/openapi.ts'
import { refusalsOf } from '../../docs/reference/refusals.ts'
import { asDocumented } from '../../http/dialect.ts'
import { insertMany } from '../../storage/index.ts'
import { cursorNow, eventsSince } from '../../testing/clients/watching.ts'
import { associate, declare, makeInstance, pairs } from '../../testing/data/associations.ts'
import { findRecords, makeBusiness, makeSet } from '../../testing/data/factories.ts'
import { makeHost } from '../../testing/data/hosts.ts'
import { makeModule } from '../../testing/data/levels.ts'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'

/** As the API document names them. */
const listedRefusals = (name: string) =>
  endpoints
    .filter((each) => each.name === name)
    .flatMap((each) => refusalsOf(each, asDocumented))
    .map(({ code }) => code)

/** Copies the target of an association so many times, and associates the copies as well. */
async function associateCopies(
  { service }: TestServer,
  { association, first, count }: { association: number; first: number; count: number },
): Promise<void> {
  await service.storage.upkeep(async (writer) => {
    const known = await writer
      .selectFrom('instance_association')
      .selectAll()
      .where('association', '=', association)
      .executeTakeFirstOrThrow()
    const { id: _, ...target } = await writer
      .selectFrom('node')
      .selectAll()
      .where('id', '=', Number(known.target_node))
      .executeTakeFirstOrThrow()
    const ids = Array.from({ length: count }, (_, index) => 1_000_000 + first + index)
    const copies = ids.map((id) => ({ ...target, inst_id: id, name: `copy ${id}`, name_key: `copy ${id}` }))
    const nodes = await insertMany(writer, 'node', copies, { returning: ['id', 'inst_id'] })
    const rows = nodes.map((node) => ({ ...known, id: node.inst_id, target_id: node.inst_id, target_node: node.id }))
    await insertMany(writer, 'instance_association', rows)
  })
}

eachEngine((engine) => {
  let server: TestServer
  let count = 0
  const make = (object = 'bk_switch') => makeInstance(server, object, `${object} ${count++}`)
  const remove = (object: string, id: number, query = '') => server.call('DELETE', `/inst/0/${object}/${id}${query}`)
  const related = async (bk_obj_id: string, bk_inst_id: number, page = {}) => {
    const body = { condition: { bk_obj_id, bk_inst_id }, page }
    const path = '/inst/association/related/action/search'
    return (await server.call<{ bk_obj_asst_id: string }[]>('POST', path, body)).data.map((each) => each.bk_obj_asst_id)
  }
  beforeAll(async () => {
    server = await startServer(engine)
  })
  afterAll(() => server.close())

  it('two instances are associated, found from either side, and dissociated again', async () => {
    const { bk_obj_asst_id: name } = await declare(server, 'bk_switch', 'host')
    const [source, target] = [await make(), await makeHost(server)]
    const cursor = await cursorNow(server)
    const { data: made } = await associate(server, name, source, target)
    expect(made).toEqual({
      id: made.id,
      bk_supplier_account: '0',
      bk_obj_asst_id: name,
      bk_asst_id: 'connect',
      bk_obj_id: 'bk_switch',
      bk_inst_id: source,
      bk_asst_obj_id: 'host',
      bk_asst_inst_id: target,
    })
    expect(await pairs(server, { bk_obj_id: 'bk_switch', bk_inst_id: source })).toEqual([[source, target]])
    expect(await pairs(server, { bk_asst_obj_id: 'host', bk_asst_inst_id: target })).toEqual([[source, target]])
    expect(await pairs(server, { bk_obj_asst_id: { $regex: '^bk_switch' }, bk_inst_id: source })).toHaveLength(1)
    expect(await pairs(server, { bk_obj_id: 'host' })).toEqual([])
    expect(await related('host', target)).toEqual([name])
    expect(await related('bk_switch', 999_999)).toEqual([])
    expect((await associate(server, name, source, target)).bk_error_code).toBe(1199014)

    const path = `/inst/association/${made.id}/action/delete`
    expect((await server.call('DELETE', path)).data).toBe('success')
    expect((await server.call('DELETE', path)).bk_error_code).toBe(1199019)
    expect(await pairs(server, { bk_inst_id: source })).toEqual([])
    const again = await associate(server, name, source, target)
    expect(again.data.id).toBeGreaterThan(made.id)

    const events = await eventsSince(server, 'inst_asst', cursor)
    expect(events.map(({ bk_event_type, bk_detail }) => [bk_event_type, bk_detail?.id])).toEqual([
      ['create', made.id],
      ['delete', made.id],
      ['create', again.data.id],
    ])
    const { info } = (await findRecords(server, { op_target: 'instassociation', inst_id: made.id })).data
    expect(info.map((row) => row.op_desc)).toEqual(['create association', 'delete association'])
  })

  it('an instance that does not exist cannot be associated', async () => {
    const { bk_obj_asst_id: name } = await declare(server, 'bk_router', 'host')
    const [source, target] = [await make('bk_router'), await makeHost(server)]
    expect((await associate(server, 'nosuch', source, target)).bk_error_code).toBe(1101046)
    expect((await associate(server, name, 999_999, target)).bk_error_code).toBe(1101074)
    expect((await associate(server, name, source, 999_999)).bk_error_code).toBe(1101073)
    const other = { HTTP_BLUEKING_SUPPLIER_ID: 'other' }
    expect((await associate(server, name, source, target, other)).bk_error_code).toBe(1101046)
    const { data } = await associate(server, name, source, target)
    const found = await server.call('POST', '/inst/association/action/search', {}, other)
    expect(found.data).toEqual([])
    const condition = { bk_obj_id: 'host', bk_inst_id: target }
    const near = await server.call('POST', '/inst/association/related/action/search', { condition }, other)
    expect(near.data).toEqual([])
    const removed = await server.call('DELETE', `/inst/association/${data.id}/action/delete`, undefined, other)
    expect(removed.bk_error_code).toBe(1199019)
  })

  it('the default cloud area is an instance like any other', async () => {
    const { bk_obj_asst_id: name } = await declare(server, 'bk_router', 'plat')
    const source = await make('bk_router')
    expect((await associate(server, name, source, 0)).result).toBe(true)
    expect(await pairs(server, { bk_asst_obj_id: 'plat' })).toEqual([[source, 0]])
  })

  describe('concurrent requests cannot violate a mapping', () => {
    const race = async (name: string, wanted: readonly (readonly [number, number])[]) => {
      const answers = await Promise.all(wanted.map(([source, target]) => associate(server, name, source, target)))
      return answers.map((each) => each.bk_error_code).toSorted()
    }

    it('1:1 allows one at each end', async () => {
      const { bk_obj_asst_id: name } = await declare(server, 'bk_switch', 'bk_apache', { mapping: '1:1' })
      const [a, b, x, y] = [await make(), await make(), await make('bk_apache'), await make('bk_apache')]
      const sameSource = [x, y, x, y].map((target) => [a, target] as const)
      expect(await race(name, sameSource)).toEqual([0, ...Array(3).fill(expect.any(Number))])
      const [[, taken] = []] = await pairs(server, { bk_obj_asst_id: name })
      expect((await associate(server, name, b, taken ?? 0)).bk_error_code).toBe(1101052)
      expect(await race(name, [[b, taken === x ? y : x]])).toEqual([0])
      expect(await pairs(server, { bk_obj_asst_id: name })).toHaveLength(2)
    })

    it('1:n allows one source for each target', async () => {
      const { bk_obj_asst_id: name } = await declare(server, 'bk_switch', 'bk_tomcat', { mapping: '1:n' })
      const [a, b, c, x] = [await make(), await make(), await make(), await make('bk_tomcat')]
      expect(
        await race(
          name,
          [a, b, c].map((source) => [source, x] as const),
        ),
      ).toEqual([0, 1101061, 1101061])
      expect(await race(name, [[a, await make('bk_tomcat')]])).toEqual([0])
    })

    it('n:n allows any number', async () => {
      const { bk_obj_asst_id: name } = await declare(server, 'bk_switch', 'bk_weblogic', { mapping: 'n:n' })
      const [a, b, x, y] = [await make(), await make(), await make('bk_weblogic'), await make('bk_weblogic')]
      expect(
        await race(name, [
          [a, x],
          [a, y],
          [b, x],
          [b, y],
          [a, x],
        ]),
      ).toEqual([0, 0, 0, 0, 1199014])
    })
  })

  describe('deletion', () => {
    it('of an associated instance is refused, whichever end it is', async () => {
      const { bk_obj_asst_id: name } = await declare(server, 'bk_firewall', 'host')
      const [source, target] = [await make('bk_firewall'), await makeHost(server)]
      const { data } = await associate(server, name, source, target)
      const refused = await remove('bk_firewall', source)
      expect(refused).toMatchObject({ bk_error_code: 1101036, status: 409 })
      expect(refused.bk_error_msg).toContain(`bk_firewall ${source} -> host ${target}`)
      const deleteHost = () => server.call('DELETE', '/hosts/batch', { bk_host_id: String(target) })
      expect((await deleteHost()).bk_error_code).toBe(1101036)
      await server.call('DELETE', `/inst/association/${data.id}/action/delete`)
      expect((await deleteHost()).result).toBe(true)
      expect((await remove('bk_firewall', source)).result).toBe(true)
    })

    it('of an instance that contains an associated one is refused', async () => {
      const { bk_obj_asst_id: name } = await declare(server, 'set', 'bk_firewall')
      const business = await makeBusiness(server)
      const set = await makeSet(server, business)
      await associate(server, name, set, await make('bk_firewall'))
      expect((await server.call('DELETE', `/set/${business}/${set}`)).bk_error_code).toBe(1101036)
      expect((await server.call('DELETE', `/biz/0/${business}`)).bk_error_code).toBe(1101036)
    })

    it('is refused by every operation that deletes instances, each of which lists it among its refusals', async () => {
      const business = await makeBusiness(server)
      const set = await makeSet(server, business)
      const module = await makeModule(server, business, set, 'associated')
      const [host, area, other] = [await makeHost(server), await make('plat'), await make('bk_firewall')]
      for (const [object, id] of [
        ['module', module],
        ['host', host],
        ['plat', area],
      ] as const) {
        await associate(server, (await declare(server, object, 'bk_firewall')).bk_obj_asst_id, id, other)
      }
      const many = (id: number) => ({ delete: { inst_ids: [id] } })
      for (const [name, path, body] of [
        ['delete_module', `/module/${business}/${set}/${module}`],
        ['delete_set', `/set/${business}/${set}`],
        ['batch_delete_set', `/set/${business}/batch`, many(set)],
        ['delete_business', `/biz/0/${business}`],
        ['delete_host', '/hosts/batch', { bk_host_id: String(host) }],
        ['delete_inst', `/inst/0/plat/${area}`],
        ['batch_delete_inst', '/inst/0/plat/batch', many(area)],
      ] as const) {
        expect([name, (await server.call('DELETE', path, body)).bk_error_code]).toEqual([name, 1101036])
        expect([name, listedRefusals(name)]).toEqual([name, expect.arrayContaining([1101036])])
      }
    })

    it('by rule deletes the other end too, and nothing else', async () => {
      const { bk_obj_asst_id: name } = await declare(server, 'bk_load_balance', 'bk_apache', {
        on_delete: 'delete_dest',
      })
      const { bk_obj_asst_id: deeper } = await declare(server, 'bk_tomcat', 'bk_apache', { on_delete: 'delete_src' })
      const [owner, owned, free] = [await make('bk_load_balance'), await make('bk_apache'), await make('bk_apache')]
      const [user, other] = [await make('bk_tomcat'), await make('bk_tomcat')]
      for (const target of [owned, free]) await associate(server, name, owner, target)
      await associate(server, deeper, user, owned)
      await associate(server, deeper, other, free)

      // The instance that a rule would delete may also be deleted directly.
      expect((await remove('bk_apache', free, '?dry_run=true')).data).toMatchObject({ count: 2 })
      expect((await remove('bk_apache', free)).result).toBe(true)
      expect(await pairs(server, { bk_obj_asst_id: name })).toEqual([[owner, owned]])

      const loss = await remove('bk_load_balance', owner, '?dry_run=true')
      expect(loss.data).toMatchObject({
        goes: [
          { bk_obj_id: 'bk_load_balance', bk_inst_id: owner },
          { bk_obj_id: 'bk_apache', bk_inst_id: owned },
          { bk_obj_id: 'bk_tomcat', bk_inst_id: user },
        ],
      })
      const cursor = await cursorNow(server)
      expect((await remove('bk_load_balance', owner)).result).toBe(true)
      expect(await eventsSince(server, 'bk_apache', cursor)).toMatchObject([{ bk_event_type: 'delete' }])
      expect(await eventsSince(server, 'inst_asst', cursor)).toHaveLength(2)
      for (const [object, id] of [
        ['bk_apache', owned],
        ['bk_tomcat', user],
      ] as const) {
        expect((await remove(object, id)).bk_error_code).toBe(1199019)
      }
      expect(await pairs(server, { bk_obj_asst_id: deeper })).toEqual([])
    })

    it('by rule takes at most a thousand associations', async () => {
      const { bk_obj_asst_id: name, id: association } = await declare(server, 'bk_router', 'bk_weblogic', {
        on_delete: 'delete_dest',
      })
      const [owner, owned] = [await make('bk_router'), await make('bk_weblogic')]
      const first = (await associate(server, name, owner, owned)).data.id
      const loss = () => remove('bk_router', owner, '?dry_run=true')
      await associateCopies(server, { association, first, count: 999 })
      expect((await loss()).data).toMatchObject({ count: 1_001 })
      await associateCopies(server, { association, first: first + 1_000, count: 1 })
      expect(await loss()).toMatchObject({ result: false, bk_error_msg: expect.stringContaining('1000') })
      const refused = await remove('bk_router', owner)
      expect(listedRefusals('delete_inst')).toContain(refused.bk_error_code)
      expect(await pairs(server, { bk_obj_asst_id: name, bk_asst_inst_id: owned })).toHaveLength(1)
    })

    it('and a new association exclude each other', async () => {
      const { bk_obj_asst_id: name } = await declare(server, 'bk_weblogic', 'host')
      for (let round = 0; round < 5; round++) {
        const [source, target] = [await make('bk_weblogic'), await makeHost(server)]
        const [made, deleted] = await Promise.all([
          associate(server, name, source, target),
          server.call('DELETE', '/hosts/batch', { bk_host_id: String(target) }),
        ])
        expect([made.bk_error_code, deleted.bk_error_code].filter((code) => code === 0)).toHaveLength(1)
        expect([1101036, 1101073]).toContain(made.bk_error_code || deleted.bk_error_code)
      }
    })

    it('an association of objects cannot be deleted while instances use it', async () => {
      const { id, bk_obj_asst_id: name } = await declare(server, 'bk_tomcat', 'host')
      const { data } = await associate(server, name, await make('bk_tomcat'), await makeHost(server))
      const path = `/object/association/${id}/action/delete`
      expect((await server.call('DELETE', path)).bk_error_code).toBe(1101043)
      await server.call('DELETE', `/inst/association/${data.id}/action/delete`)
      expect((await server.call('DELETE', path)).result).toBe(true)
    })
  })
})
