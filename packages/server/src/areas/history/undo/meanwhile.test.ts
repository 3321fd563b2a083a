// What has happened between a change and its undo: hosts in other businesses, names and identifiers given again, another model.
import type { history } from '@mainline/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { makeHost, makeShop, modulesOf } from '../../../testing/data/hosts.ts'
import { makeModule } from '../../../testing/data/levels.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { readLog } from '../../../testing/inspect/log.ts'
import { refuses, stored } from '../../../testing/inspect/rows.ts'
import { type Columns, type RowKind, readLive } from '../recorded/index.ts'

type Result = history.UndoResult

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
  })
  afterAll(() => server.close())

  const undo = (body: object, query = '', headers?: Record<string, string>) =>
    server.call<Result>('POST', `/history/undo${query}`, body, headers)
  const send = async <Data = { id: number }>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => {
    const answer = await server.call<Data>(method, path, body, headers)
    expect(answer.bk_error_msg, path).toBe('')
    return answer.data
  }
  const newest = async () => {
    const last = (await readLog(server.service.storage.read)).at(-1)
    if (!last) throw new Error('the log is empty')
    return last
  }
  const changed = async () => ({ txn_id: (await newest()).txn_id })
  const rows = async (kind: RowKind, isMeant: (row: Columns) => boolean) =>
    [...(await readLive(server.service.storage.read, '0', kind)).values()].filter(isMeant)
  const whyOf = (data: Result) => data.records.flatMap(({ conflicts }) => conflicts.map(({ why }) => why)).join('; ')

  /** Nothing is changed, also by force, and the plan tells why. */
  async function expectConflict(body: object, why: string): Promise<void> {
    const before = await stored(server)
    for (const on_conflict of ['refuse', 'force']) {
      const answer = await undo({ ...body, on_conflict })
      expect(answer, answer.bk_error_msg ?? '').toMatchObject({ status: 409, bk_error_code: 1199409 })
      expect(whyOf(answer.data)).toContain(why)
    }
    expect((await undo({ ...body, on_conflict: 'skip' }, '?dry_run=true')).bk_error_msg).toBe('')
    expect(await stored(server)).toEqual(before)
  }

  describe('hosts', () => {
    it('are taken from the business that they are in now only by callers who may move them there', async () => {
      const [own, other] = [await makeShop(server), await makeShop(server)]
      await send('PUT', `/biz/0/${own.business}`, { bk_biz_maintainer: 'olga' })
      const host = await makeHost(server, { business: own.business, modules: [own.web] })
      const body = { bk_biz_id: own.business, bk_host_id: [host] }
      await send('POST', '/hosts/modules', { ...body, bk_module_id: [own.db], is_increment: false })
      const move = await changed()
      await send('POST', '/hosts/modules/idle', body)
      await send('POST', '/hosts/modules/resource', body)
      const olga = { BK_User: 'olga' }
      // The pool has no roles: taking a host from it needs `resource`.
      await refuses(server, 9900403, 'resource', () => undo({ ...move, on_conflict: 'force' }, '', olga))
      await send('POST', '/hosts/modules/resource/idle', { ...body, bk_biz_id: other.business })
      for (const query of ['', '?dry_run=true']) {
        const forced = { ...move, on_conflict: 'force' }
        await refuses(server, 9900403, 'hosttrans', () => undo(forced, query, olga))
      }
      expect(await undo(move, '', olga)).toMatchObject({ status: 409, bk_error_code: 1199409 })
      expect((await undo({ ...move, on_conflict: 'skip' }, '', olga)).data).toMatchObject({ undone: 0, conflict: 1 })
      expect(await modulesOf(server, host)).toEqual([other.idle])
      expect((await undo({ ...move, on_conflict: 'force' })).data).toMatchObject({ undone: 1 })
      expect(await modulesOf(server, host)).toEqual([own.web])
    })

    it('in a business keep it from being archived again', async () => {
      const { business, web } = await makeShop(server)
      await send('PUT', `/biz/status/disabled/0/${business}`, {})
      await send('PUT', `/biz/status/enable/0/${business}`, {})
      const recovery = await changed()
      const host = await makeHost(server, { business, modules: [web] })
      await expectConflict(recovery, `host ${host}`)
      await send('POST', '/hosts/modules/idle', { bk_biz_id: business, bk_host_id: [host] })
      await send('POST', '/hosts/modules/resource', { bk_biz_id: business, bk_host_id: [host] })
      expect((await undo(recovery)).data).toMatchObject({ undone: 1 })
    })

    it('return to no business that the same undo archives', async () => {
      const { business, web } = await makeShop(server)
      const host = await makeHost(server, { business, modules: [web] })
      const request = { cc_request_id: 'emptied-and-recovered' }
      await send('PUT', `/biz/status/disabled/0/${await makeBusiness(server)}`, {})
      const body = { bk_biz_id: business, bk_host_id: [host] }
      await send('POST', '/hosts/modules/idle', body)
      await send('POST', '/hosts/modules/resource', body, request)
      await send('PUT', `/biz/status/disabled/0/${business}`, {})
      await send('PUT', `/biz/status/enable/0/${business}`, {}, request)
      await expectConflict({ request_id: request.cc_request_id }, `biz ${business}`)
    })
  })

  describe('names', () => {
    const remove = (business: number, set: number, request?: string) =>
      send('DELETE', `/set/${business}/${set}`, undefined, request === undefined ? {} : { cc_request_id: request })

    it('that another instance keeps, which the same undo changes otherwise, are conflicts', async () => {
      const business = await makeBusiness(server)
      const set = await makeSet(server, business, { bk_set_name: 'till' })
      await remove(business, set, 'till')
      const other = await makeSet(server, business, { bk_set_name: 'till' })
      const update = { bk_biz_id: business, description: 'x' }
      await send('PUT', `/set/${business}/${other}`, update, { cc_request_id: 'till' })
      await expectConflict({ request_id: 'till' }, `set ${other}`)
      const skipped = await undo({ request_id: 'till', on_conflict: 'skip' })
      expect(skipped.data).toMatchObject({ undone: 1, conflict: 1 })
    })

    it('that two instances had one after the other return with the one that had it last', async () => {
      const business = await makeBusiness(server)
      const positions: number[] = []
      const sets: number[] = []
      for (let turn = 0; turn < 2; turn++) {
        sets.push(await makeSet(server, business, { bk_set_name: 'till' }))
        await remove(business, sets[turn] ?? 0)
        positions.push((await newest()).position)
      }
      await expectConflict({ positions }, `set ${sets[1]}`)
      expect((await undo({ positions, on_conflict: 'skip' })).data).toMatchObject({ undone: 1, conflict: 1 })
      const found = await rows('node', (row) => row.object_id === 'set' && row.biz_id === business && !row.built_in)
      expect(found.map((row) => row.inst_id)).toEqual([sets[1]])
    })

    it('that two instances have exchanged go back', async () => {
      const business = await makeBusiness(server)
      const [one, two] = [
        await makeSet(server, business, { bk_set_name: 'one' }),
        await makeSet(server, business, { bk_set_name: 'two' }),
      ]
      const rename = (set: number, bk_set_name: string) =>
        send('PUT', `/set/${business}/${set}`, { bk_biz_id: business, bk_set_name }, { cc_request_id: 'exchange' })
      await rename(one, 'between')
      await rename(two, 'one')
      await rename(one, 'two')
      expect((await undo({ request_id: 'exchange' })).data).toMatchObject({ undone: 3 })
      const names = await rows('node', (row) => row.object_id === 'set' && [one, two].includes(Number(row.inst_id)))
      expect(names.map((row) => [row.inst_id, row.name])).toEqual([
        [one, 'one'],
        [two, 'two'],
      ])
    })

    it('of instances that are deleted after their hosts have left are free for those that return', async () => {
      const shop = await makeShop(server)
      const { business } = shop
      const host = await makeHost(server, { business, modules: [shop.idle] })
      const request = { cc_request_id: 'replaced' }
      await remove(business, shop.set, request.cc_request_id)
      const body = { bk_biz_id: business, bk_parent_id: business, bk_supplier_account: '0', bk_set_name: 'shop' }
      const { bk_set_id: set } = await send<{ bk_set_id: number }>('POST', `/set/${business}`, body, request)
      const made = await send<{ bk_module_id: number }>(
        'POST',
        `/module/${business}/${set}`,
        { bk_module_name: 'web' },
        request,
      )
      const move = { bk_biz_id: business, bk_host_id: [host], bk_module_id: [made.bk_module_id], is_increment: false }
      await send('POST', '/hosts/modules', move, request)
      expect((await undo({ request_id: 'replaced' })).bk_error_msg).toBe('')
      expect(await modulesOf(server, host)).toEqual([shop.idle])
      const sets = await rows('node', (row) => row.object_id === 'set' && row.biz_id === business && !row.built_in)
      expect(sets.map((row) => row.inst_id)).toEqual([shop.set])
    })

    it('of hosts are their addresses', async () => {
      const address = '10.66.0.1'
      const host = await makeHost(server, {}, { bk_host_innerip: address })
      await send('DELETE', '/hosts/batch', { bk_host_id: String(host) }, { cc_request_id: 'address' })
      const other = await makeHost(server, {}, { bk_host_innerip: address })
      const more = { bk_host_id: String(other), bk_host_innerip: `${address},10.66.0.2` }
      await send('PUT', '/hosts/batch', more, { cc_request_id: 'address' })
      await expectConflict({ request_id: 'address' }, `host ${other}`)
      expect((await undo({ request_id: 'address', on_conflict: 'skip' })).data).toMatchObject({
        undone: 1,
        conflict: 1,
      })
    })

    it('of groups of users are conflicts, too', async () => {
      const group = { group_name: 'night shift', user_list: 'ann' }
      await send('POST', '/topo/privilege/group/0', group)
      const [first] = await rows('user_group', (row) => row.name === group.group_name)
      await send('DELETE', `/topo/privilege/group/0/${first?.group_id}`)
      const deletion = await changed()
      await send('POST', '/topo/privilege/group/0', group)
      await expectConflict(deletion, group.group_name)
    })
  })

  describe('the model', () => {
    const rack = { bk_obj_id: 'rack', bk_obj_name: 'Rack', bk_classification_id: 'bk_network' }
    const size = { bk_obj_id: 'rack', bk_property_id: 'size', bk_property_name: 'Size', bk_property_type: 'int' }
    const makeInstance = async (name: string, more: object = {}) =>
      (await send<{ bk_inst_id: number }>('POST', '/inst/0/rack', { bk_inst_name: name, ...more })).bk_inst_id

    it('with an object of the same identifier is another one: nothing of the former returns to it', async () => {
      const { id: former } = await send('POST', '/object', rack)
      const { id: attribute } = await send('POST', '/object/attr', size)
      const instance = await makeInstance('r1', { size: 3 })
      await send('DELETE', `/inst/0/rack/${instance}`)
      const instanceDeletion = await changed()
      await send('PUT', `/object/${former}`, { bk_obj_icon: 'icon-cc-rack' })
      const update = await changed()
      await send('DELETE', `/object/attr/${attribute}`)
      const attributeDeletion = await changed()
      await send('DELETE', `/object/${former}`)
      const deletion = await changed()
      const { id: present } = await send('POST', '/object', rack)
      const creation = await changed()
      const before = await rows('attribute', (row) => row.object_id === 'rack')
      await expectConflict(deletion, "'rack'")
      await expectConflict(update, 'deleted since')
      await expectConflict(attributeDeletion, "'rack'")
      await expectConflict(instanceDeletion, "'rack'")
      for (const each of [deletion, attributeDeletion, instanceDeletion]) {
        expect((await undo({ ...each, on_conflict: 'skip' })).data).toMatchObject({ undone: 0 })
      }
      expect(await rows('attribute', (row) => row.object_id === 'rack')).toEqual(before)
      // Once the identifier is free, the former returns with all that was its own.
      expect((await undo(creation)).bk_error_msg).toBe('')
      expect(await rows('object', (row) => row.id === present)).toEqual([])
      for (const each of [deletion, attributeDeletion, instanceDeletion]) {
        expect((await undo(each)).bk_error_msg).toBe('')
      }
      expect(await rows('object', (row) => row.object_id === 'rack')).toMatchObject([{ id: former }])
      expect(await rows('node', (row) => row.object_id === 'rack')).toMatchObject([{ attributes: { size: 3 } }])
    })

    it('has one attribute of an identifier and of a name', async () => {
      const { id } = await send('POST', '/object/attr', { ...size, bk_property_id: 'depth', bk_property_name: 'Depth' })
      await send('DELETE', `/object/attr/${id}`)
      const deletion = await changed()
      const again = { ...size, bk_property_id: 'depth', bk_property_name: 'Deep' }
      const { id: other } = await send('POST', '/object/attr', again)
      await expectConflict(deletion, `attribute ${other}`)
      await send('DELETE', `/object/attr/${other}`)
      const named = await send('POST', '/object/attr', { ...again, bk_property_id: 'deep', bk_property_name: 'Depth' })
      await expectConflict(deletion, `attribute ${named.id}`)
      await send('PUT', `/object/attr/${named.id}`, { bk_property_name: 'Deeper' })
      expect((await undo(deletion)).bk_error_msg).toBe('')
    })

    it('with another association of the same identifier, or of the same instances, keeps these', async () => {
      const association = { bk_obj_id: 'rack', bk_asst_obj_id: 'biz', bk_asst_id: 'connect', bk_obj_asst_id: 'holds' }
      const declare = (more: object) =>
        send('POST', '/object/association/action/create', { ...association, mapping: '1:n', ...more })
      const pair = async (bk_inst_id: number, bk_asst_inst_id: number) =>
        (
          await send('POST', '/inst/association/action/create', {
            bk_obj_asst_id: 'holds',
            bk_inst_id,
            bk_asst_inst_id,
          })
        ).id
      const release = (id: number) => send('DELETE', `/inst/association/${id}/action/delete`)
      const { id: declared } = await declare({})
      const business = await makeBusiness(server)
      const [one, two] = [await makeInstance('one'), await makeInstance('two')]
      const first = await pair(one, business)
      await release(first)
      const deletion = await changed()
      for (const source of [one, two]) {
        const holder = await pair(source, business)
        await expectConflict(deletion, `association ${holder}`)
        await release(holder)
      }
      await send('DELETE', `/object/association/${declared}/action/delete`)
      const declaration = await changed()
      const { id: other } = await declare({ bk_asst_obj_id: 'bk_switch' })
      await expectConflict(deletion, "'holds'")
      await expectConflict(declaration, `object association ${other}`)
      await send('DELETE', `/object/association/${other}/action/delete`)
      // Both return in one undo, the definition first.
      const positions = [(await rowsOfLog(declaration.txn_id))[0], (await rowsOfLog(deletion.txn_id))[0]]
      expect((await undo({ positions })).data).toMatchObject({ undone: 2 })
      expect(await rows('instance_association', () => true)).toMatchObject([{ id: first }])
    })
    const rowsOfLog = async (txn: string) =>
      (await readLog(server.service.storage.read))
        .filter(({ txn_id }) => txn_id === txn)
        .map(({ position }) => position)

    it('without the object or the kind of an association has no such association', async () => {
      const { id: object } = await send('POST', '/object', { ...rack, bk_obj_id: 'shelf', bk_obj_name: 'Shelf' })
      const kind = { bk_asst_id: 'backs', bk_asst_name: 'backs', src_des: 'backs', dest_des: 'is backed by' }
      const { id: backs } = await send('POST', '/topo/association/type/action/create', kind)
      const ends = { bk_obj_id: 'shelf', bk_asst_obj_id: 'set', bk_asst_id: 'backs' }
      const { id } = await send('POST', '/object/association/action/create', ends)
      await send('DELETE', `/object/association/${id}/action/delete`)
      const deletion = await changed()
      await send('DELETE', `/topo/association/type/${backs}/action/delete`)
      const kindDeletion = await changed()
      await expectConflict(deletion, 'association kind backs')
      await undo(kindDeletion)
      await send('DELETE', `/object/${object}`)
      await expectConflict(deletion, 'object shelf')
    })

    it('with a level in between is no place for what was above or below it before', async () => {
      const businesses = [await makeBusiness(server), await makeBusiness(server), await makeBusiness(server)]
      const deletions: { txn_id: string }[] = []
      for (const business of businesses) {
        const set = await makeSet(server, business)
        await send('DELETE', `/set/${business}/${set}`)
        deletions.push(await changed())
      }
      const level = {
        bk_classification_id: 'bk_biz_topo',
        bk_obj_id: 'zone',
        bk_obj_name: 'zone',
        bk_asst_obj_id: 'biz',
      }
      await send('POST', '/topo/model/mainline', level)
      const zones = await rows('node', (row) => row.object_id === 'zone')
      // Ids of businesses and of instances of levels are drawn apart: one of the parents now seems to be a zone.
      expect(zones.filter((zone) => businesses.includes(Number(zone.inst_id)))).not.toEqual([])
      for (const deletion of deletions) await expectConflict(deletion, 'zone')
      const [zone] = zones.filter((each) => businesses.includes(Number(each.biz_id)))
      const body = { bk_biz_id: zone?.biz_id, bk_parent_id: zone?.inst_id, bk_supplier_account: '0', bk_set_name: 'in' }
      const { bk_set_id: set } = await send<{ bk_set_id: number }>('POST', `/set/${zone?.biz_id}`, body)
      await send('DELETE', `/set/${zone?.biz_id}/${set}`)
      const inside = await changed()
      await send('DELETE', '/topo/model/mainline/owners/0/objectids/zone')
      await expectConflict(inside, `biz ${zone?.inst_id}`)
      for (const deletion of deletions) expect((await undo(deletion)).data).toMatchObject({ undone: 1 })
    })
  })

  it('what was deleted again is not restored as it was before its first deletion', async () => {
    const business = await makeBusiness(server)
    const set = await makeSet(server, business, { description: 'old' })
    const host = await makeHost(server)
    const deletions: { txn_id: string }[] = []
    for (const description of ['new', 'newer']) {
      await send('DELETE', `/set/${business}/${set}`, undefined, { cc_request_id: description })
      await send('DELETE', '/hosts/batch', { bk_host_id: String(host) }, { cc_request_id: description })
      deletions.push(await changed())
      if (description === 'newer') break
      expect((await undo({ request_id: description })).data).toMatchObject({ undone: 2 })
      await send('PUT', `/set/${business}/${set}`, { bk_biz_id: business, description })
      await send('PUT', '/hosts/batch', { bk_host_id: String(host), bk_comment: description })
    }
    for (const first of [{ request_id: 'new' }, deletions[0] ?? {}]) await expectConflict(first, 'deleted since')
    expect((await undo({ request_id: 'newer' })).data).toMatchObject({ undone: 2 })
    const kept = await rows('node', (row) => row.object_id === 'set' && row.inst_id === set)
    expect(kept).toMatchObject([{ attributes: { description: 'new' } }])
  })

  it('an area that was made with its hosts, or for them, is undone together with them', async () => {
    const request = { cc_request_id: 'moved-to-the-west' }
    const area = (name: string) =>
      send<{ bk_inst_id: number }>('POST', '/inst/0/plat', { bk_cloud_name: name }, request)
    const host = await makeHost(server)
    const { bk_inst_id: west } = await area('west')
    const address = { bk_host_innerip: '10.67.0.1', bk_cloud_id: west }
    await send('POST', '/hosts/add', { bk_biz_id: 0, host_info: { 1: address } }, request)
    await send('PUT', '/hosts/batch', { bk_host_id: String(host), bk_cloud_id: west }, request)
    expect((await undo({ request_id: request.cc_request_id })).data).toMatchObject({ undone: 3 })
    expect(await rows('node', (row) => row.object_id === 'plat' && row.inst_id === west)).toEqual([])
    expect(await rows('host', (row) => row.host_id === host)).toMatchObject([{ cloud_id: 0 }])
  })

  it('undone twice at once, what was outside of businesses returns once', async () => {
    const area = await send<{ bk_inst_id: number }>('POST', '/inst/0/plat', { bk_cloud_name: 'east' })
    await send('DELETE', `/inst/0/plat/${area.bk_inst_id}`)
    const deletion = await changed()
    const answers = await Promise.all([undo(deletion), undo(deletion), undo(deletion)])
    expect(answers.map((answer) => answer.bk_error_msg)).toEqual(['', '', ''])
    expect(answers.map(({ data }) => data.undone).toSorted()).toEqual([0, 0, 1])
  })

  it('a module that is made again with the same name is another module', async () => {
    const shop = await makeShop(server)
    const host = await makeHost(server, { business: shop.business, modules: [shop.web] })
    const body = { bk_biz_id: shop.business, bk_host_id: [host] }
    await send('POST', '/hosts/modules', { ...body, bk_module_id: [shop.db], is_increment: false })
    const move = await changed()
    await send('DELETE', `/module/${shop.business}/${shop.set}/${shop.web}`)
    await makeModule(server, shop.business, shop.set, 'web')
    await expectConflict(move, `module ${shop.web}`)
    expect(await modulesOf(server, host)).toEqual([shop.db])
  })
})
