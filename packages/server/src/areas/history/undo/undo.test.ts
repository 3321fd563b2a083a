import type { history } from '@mainline/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { makeHost, makeHosts, makeShop, modulesOf } from '../../../testing/data/hosts.ts'
import { makeModule } from '../../../testing/data/levels.ts'
import { entry, infoOf, saveQuery } from '../../../testing/data/queries.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { readLog } from '../../../testing/inspect/log.ts'
import { refuses } from '../../../testing/inspect/rows.ts'
import { type Columns, readLive, rowKinds } from '../recorded/index.ts'

type Result = history.UndoResult

/** They count changes, so they go on. */
function steady({ revision: _, last_time: __, modifier: ___, ...row }: Columns): Columns {
  return row
}

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
  })
  afterAll(() => server.close())

  const undo = (body: unknown, query = '', headers?: Record<string, string>) =>
    server.call<Result>('POST', `/history/undo${query}`, body, headers)

  async function state() {
    const { read } = server.service.storage
    const kinds = await Promise.all(
      rowKinds.map(async (kind) => {
        const rows = await readLive(read, '0', kind)
        return [kind, Object.fromEntries([...rows].map(([key, row]) => [key, steady(row)]))] as const
      }),
    )
    return Object.fromEntries(kinds)
  }

  const newest = async () => {
    const log = await readLog(server.service.storage.read)
    const last = log.at(-1)
    if (!last) throw new Error('the log is empty')
    return last
  }
  const undoLast = async (more: object = {}) => undo({ txn_id: (await newest()).txn_id, ...more })

  /** Changes something, undoes it, and undoes that. */
  async function expectRoundTrip(change: () => Promise<unknown>): Promise<void> {
    const before = await state()
    await change()
    const after = await state()
    const undone = await undoLast()
    expect(undone.bk_error_msg).toBe('')
    expect(await state()).toEqual(before)
    expect((await undoLast()).bk_error_msg).toBe('')
    expect(await state()).toEqual(after)
    expect((await undoLast()).bk_error_msg).toBe('')
    expect(await state()).toEqual(before)
  }

  describe('a change, undone, leaves the state before it; and its undo can be undone', () => {
    it('of a set: created, updated, deleted with its modules', async () => {
      const { business, set } = await makeShop(server)
      await expectRoundTrip(() => makeSet(server, business))
      const update = { bk_biz_id: business, bk_set_name: 'renamed', description: 'x' }
      await expectRoundTrip(() => server.call('PUT', `/set/${business}/${set}`, update))
      await expectRoundTrip(() => server.call('DELETE', `/set/${business}/${set}`))
    })

    it('of hosts: added, updated, moved within and between businesses, deleted', async () => {
      const shop = await makeShop(server)
      await expectRoundTrip(() => makeHosts(server, { business: shop.business, modules: [shop.web] }, [{}, {}]))
      const host = await makeHost(server, { business: shop.business, modules: [shop.web] })
      await expectRoundTrip(() =>
        server.call('PUT', '/hosts/batch', { bk_host_id: String(host), bk_comment: 'x', bk_host_innerip: '10.9.9.9' }),
      )
      const move = { bk_biz_id: shop.business, bk_host_id: [host], bk_module_id: [shop.db], is_increment: true }
      await expectRoundTrip(() => server.call('POST', '/hosts/modules', move))
      await server.call('POST', '/hosts/modules/idle', { bk_biz_id: shop.business, bk_host_id: [host] })
      await expectRoundTrip(() =>
        server.call('POST', '/hosts/modules/resource', { bk_biz_id: shop.business, bk_host_id: [host] }),
      )
      const idle = await makeHost(server)
      await expectRoundTrip(() => server.call('DELETE', '/hosts/batch', { bk_host_id: String(idle) }))
    })

    it('of a business: created, updated, archived, deleted with everything in it', async () => {
      const { business } = await makeShop(server)
      await saveQuery(server, business, infoOf(entry('host')))
      await expectRoundTrip(() => makeBusiness(server))
      await expectRoundTrip(() => server.call('PUT', `/biz/0/${business}`, { bk_biz_developer: 'ivan' }))
      await expectRoundTrip(() => server.call('PUT', `/biz/status/disabled/0/${business}`, {}))
      await expectRoundTrip(() => server.call('DELETE', `/biz/0/${business}`))
    })

    it('of a saved query', async () => {
      const business = await makeBusiness(server)
      await expectRoundTrip(() => saveQuery(server, business, infoOf(entry('host'))))
      const id = await saveQuery(server, business, infoOf(entry('host')))
      await expectRoundTrip(() => server.call('PUT', `/userapi/${business}/${id}`, { info: infoOf(entry('set')) }))
      await expectRoundTrip(() => server.call('DELETE', `/userapi/${business}/${id}`))
    })

    it('of an instance off the main line, with its associations', async () => {
      const rack = { bk_obj_id: 'rack', bk_obj_name: 'Rack', bk_classification_id: 'bk_network' }
      await server.call('POST', '/object', rack)
      const business = await makeBusiness(server)
      const ends = { bk_obj_id: 'rack', bk_asst_obj_id: 'biz', bk_asst_id: 'connect', on_delete: 'delete_src' }
      const declared = await server.call<{ bk_obj_asst_id: string }>('POST', '/object/association/action/create', {
        ...ends,
      })
      expect(declared.bk_error_msg).toBe('')
      let id = 0
      await expectRoundTrip(async () => {
        const made = await server.call<{ bk_inst_id: number }>('POST', '/inst/0/rack', { bk_inst_name: 'r1' })
        id = made.data.bk_inst_id
      })
      const made = await server.call<{ bk_inst_id: number }>('POST', '/inst/0/rack', { bk_inst_name: 'r2' })
      expect(made.data.bk_inst_id).toBeGreaterThan(id)
      id = made.data.bk_inst_id
      const pair = { bk_obj_asst_id: declared.data.bk_obj_asst_id, bk_inst_id: id, bk_asst_inst_id: business }
      await expectRoundTrip(() => server.call('POST', '/inst/association/action/create', pair))
      await server.call('POST', '/inst/association/action/create', pair)
      await expectRoundTrip(() => server.call('DELETE', `/inst/0/rack/${id}`))
    })
  })

  it('restores a set that was deleted with forty modules under the old ids, and goes on counting revisions', async () => {
    const business = await makeBusiness(server)
    const set = await makeSet(server, business)
    for (let index = 0; index < 40; index++) await makeModule(server, business, set, `module ${index}`)
    const read = () =>
      server.service.storage.read
        .selectFrom('node')
        .select(['inst_id', 'name', 'revision', 'parent_id'])
        .where('biz_id', '=', business)
        .orderBy('inst_id')
        .execute()
    const before = await read()
    await server.call('DELETE', `/set/${business}/${set}`, undefined, { 'x-request-id': 'delete-forty' })
    const { request_id } = await newest()
    const plan = await undo({ request_id }, '?dry_run=true')
    expect(plan.data).toMatchObject({ undone: 41, already: 0, conflict: 0 })
    expect((await read()).length).toBe(before.length - 41)
    expect((await undo({ request_id })).data).toMatchObject({ undone: 41 })
    const inside = (rows: typeof before) => rows.map(({ revision: _, ...row }) => row)
    expect(inside(await read())).toEqual(inside(before))
    // Created with 1, deleted with 2.
    expect((await read()).filter((row) => row.parent_id === set).map((row) => row.revision)).toEqual(
      Array.from({ length: 40 }, () => 3),
    )
    const { content } = await newest()
    expect(content).toMatchObject({ undoes: [expect.any(Number)] })
    expect((await undo({ request_id })).data).toMatchObject({ undone: 0, already: 41 })
  })

  describe('a later change', () => {
    async function renamedTwice() {
      const shop = await makeShop(server)
      const path = `/set/${shop.business}/${shop.set}`
      const put = (more: object) => server.call('PUT', path, { bk_biz_id: shop.business, ...more })
      await put({ description: 'first', bk_capacity: 5 })
      const { txn_id } = await newest()
      await put({ description: 'second' })
      const read = async () => {
        const rows = await readLive(server.service.storage.read, '0', 'node')
        return rows.get(`set ${shop.set}`)?.attributes
      }
      return { txn_id, read, ...shop }
    }

    it('is a conflict: nothing is changed, and the answer tells who has changed what', async () => {
      const { txn_id, read } = await renamedTwice()
      const before = await state()
      const answer = await undo({ txn_id })
      expect(answer).toMatchObject({ status: 409, bk_error_code: 1199409 })
      const [conflict] = answer.data.records[0]?.conflicts ?? []
      expect(conflict).toMatchObject({ field: 'description', now: 'second', set_to: 'first', forcible: true })
      expect(conflict?.since).toMatchObject({ position: (await newest()).position })
      expect(await state()).toEqual(before)
      expect(await read()).toMatchObject({ description: 'second', bk_capacity: 5 })
    })

    it('is kept by skip and overwritten by force', async () => {
      const skipped = await renamedTwice()
      const kept = await undo({ txn_id: skipped.txn_id, on_conflict: 'skip' })
      expect(kept.data).toMatchObject({ undone: 0, conflict: 1 })
      expect(await skipped.read()).toMatchObject({ description: 'second', bk_capacity: 5 })
      const forced = await renamedTwice()
      expect((await undo({ txn_id: forced.txn_id, on_conflict: 'force' })).data).toMatchObject({ undone: 1 })
      expect(await forced.read()).not.toHaveProperty('description')
      expect(await forced.read()).not.toHaveProperty('bk_capacity')
    })

    it('inside of what was created is never lost, not even by force', async () => {
      const business = await makeBusiness(server)
      const set = await makeSet(server, business)
      const { txn_id } = await newest()
      const module = await makeModule(server, business, set, 'later')
      const before = await state()
      const answer = await undo({ txn_id, on_conflict: 'force' })
      expect(answer).toMatchObject({ status: 409, bk_error_code: 1199409 })
      expect(answer.data.records[0]?.conflicts[0]).toMatchObject({ forcible: false })
      expect(answer.data.records[0]?.conflicts[0]?.why).toContain(`module ${module}`)
      expect(await state()).toEqual(before)
    })

    it('that moved a host is a conflict, and that took a name, too', async () => {
      const shop = await makeShop(server)
      const host = await makeHost(server, { business: shop.business, modules: [shop.web] })
      const move = (module: number) =>
        server.call('POST', '/hosts/modules', {
          bk_biz_id: shop.business,
          bk_host_id: [host],
          bk_module_id: [module],
          is_increment: false,
        })
      await move(shop.db)
      const { txn_id } = await newest()
      await move(shop.idle)
      expect((await undo({ txn_id })).bk_error_code).toBe(1199409)
      expect(await modulesOf(server, host)).toEqual([shop.idle])
      expect((await undo({ txn_id, on_conflict: 'force' })).data).toMatchObject({ undone: 1 })
      expect(await modulesOf(server, host)).toEqual([shop.web])

      const empty = await makeModule(server, shop.business, shop.set, 'gone')
      await server.call('DELETE', `/module/${shop.business}/${shop.set}/${empty}`)
      const deletion = await newest()
      const holder = await makeModule(server, shop.business, shop.set, 'gone')
      const answer = await undo({ txn_id: deletion.txn_id })
      expect(answer.data.records[0]?.conflicts[0]?.why).toContain(`module ${holder}`)
    })
  })

  it('asks for the privileges of each inverse operation', async () => {
    const { business, set } = await makeShop(server)
    await server.call('PUT', `/set/${business}/${set}`, { bk_biz_id: business, description: 'x' })
    const { txn_id } = await newest()
    await refuses(server, 9900403, "'audit'", () => undo({ txn_id }, '', { BK_User: 'mallory' }))
    await server.call('POST', '/topo/privilege/group/0', { group_name: 'auditors', user_list: 'nora' })
    const groups = await server.call<{ group_id: string }[]>('POST', '/topo/privilege/group/0/search', {
      group_name: 'auditors',
    })
    const path = `/topo/privilege/group/detail/0/${groups.data[0]?.group_id}`
    await server.call('POST', path, { sys_config: { back_config: ['audit'] } })
    // She may read the records, and not change the set.
    await refuses(server, 9900403, 'topoupdate', () => undo({ txn_id }, '?dry_run=true', { BK_User: 'nora' }))
    expect((await undo({ txn_id }, '', { BK_User: 'amy' })).data).toMatchObject({ undone: 1 })
  })

  it.each<[wrong: string, code: number, body: unknown]>([
    ['nothing', 1199006, {}],
    ['two selectors', 1199006, { txn_id: 'x', positions: [1] }],
    ['a change that is not there', 1199019, { txn_id: 'nothing' }],
    ['a request that is not there', 1199019, { request_id: 'nothing' }],
    ['a position that is not there', 1199019, { positions: [1_000_000] }],
    ['no positions', 1199010, { positions: [] }],
    ['a position that is no number', 1199009, { positions: ['x'] }],
    ['another way of conflicts', 1199006, { positions: [1], on_conflict: 'maybe' }],
    ['more records than 20,000', 1199035, { positions: Array.from({ length: 20_001 }, (_, index) => index + 1) }],
  ])('refuses %s', async (_, code, body) => {
    await refuses(server, code, '', () => undo(body))
  })

  it('is repeated under an Idempotency-Key without being carried out twice', async () => {
    const { business, set } = await makeShop(server)
    await server.call('DELETE', `/set/${business}/${set}`)
    const { txn_id } = await newest()
    const key = { 'Idempotency-Key': 'restore-the-set' }
    const first = await undo({ txn_id }, '', key)
    expect(first.data).toMatchObject({ undone: 3, already: 0 })
    const { position } = await newest()
    const second = await undo({ txn_id }, '', key)
    expect(second.data).toEqual(first.data)
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect((await newest()).position).toBe(position)
    await refuses(server, 1199422, '', () => undo({ txn_id, on_conflict: 'skip' }, '', key))
    expect((await undo({ txn_id })).data).toMatchObject({ undone: 0, already: 3 })
  })

  it('refuses a request about a business that the caller may not edit, and changes nothing', async () => {
    const own = await makeShop(server)
    await server.call('PUT', `/biz/0/${own.business}`, { bk_biz_maintainer: 'olga' })
    await server.call('DELETE', `/set/${own.business}/${own.set}`, undefined, { cc_request_id: 'not-of-olga' })
    const foreign = await makeShop(server)
    await server.call('DELETE', `/set/${foreign.business}/${foreign.set}`, undefined, { cc_request_id: 'of-others' })
    const before = await state()
    const olga = { BK_User: 'olga' }
    await refuses(server, 9900403, `business ${foreign.business}`, () => undo({ request_id: 'of-others' }, '', olga))
    const { position } = await newest()
    await refuses(server, 9900403, '', () => undo({ positions: [position] }, '?dry_run=true', olga))
    expect(await state()).toEqual(before)
    expect((await undo({ request_id: 'not-of-olga' }, '', olga)).data).toMatchObject({ undone: 3 })
  })
})
