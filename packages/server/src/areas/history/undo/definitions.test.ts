import type { history } from '@mainline/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findSets, makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { readLog } from '../../../testing/inspect/log.ts'
import { refuses } from '../../../testing/inspect/rows.ts'
import { type Columns, readLive, rowKinds } from '../recorded/index.ts'

/** They count changes, so they go on. */
function steady({ revision: _, last_time: __, ...row }: Columns): Columns {
  return row
}

eachEngine((engine) => {
  let server: TestServer
  let business: number
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
  })
  afterAll(() => server.close())

  const undo = (body: unknown, query = '', headers?: Record<string, string>) =>
    server.call<history.UndoResult>('POST', `/history/undo${query}`, body, headers)
  const newest = async () => (await readLog(server.service.storage.read)).at(-1)?.txn_id
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
  const send = async (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) => {
    const answer = await server.call<{ id: number; bk_obj_asst_id: string }>(method, path, body)
    expect(answer.bk_error_msg, path).toBe('')
    return answer.data
  }
  const row = async (kind: (typeof rowKinds)[number], isMeant: (columns: Columns) => boolean) =>
    [...(await readLive(server.service.storage.read, '0', kind)).values()].find(isMeant) ?? {}

  /** Changes something, undoes it, undoes that, and undoes it again. */
  async function expectRoundTrip(change: () => Promise<unknown>): Promise<void> {
    const before = await state()
    await change()
    const after = await state()
    expect(after).not.toEqual(before)
    for (const expected of [before, after, before]) {
      expect((await undo({ txn_id: await newest() })).bk_error_msg).toBe('')
      expect(await state()).toEqual(expected)
    }
    expect((await undo({ txn_id: await newest() })).bk_error_msg).toBe('')
  }

  const attribute = { bk_obj_id: 'set', bk_property_name: 'Colour', bk_property_type: 'singlechar' }

  it('undoes definitions of attributes, with the values that instances had', async () => {
    const [id, more] = ['colour', { searchable: true, option: '^[a-z]*$', unit: 'nm' }]
    await expectRoundTrip(() => send('POST', '/object/attr', { ...attribute, bk_property_id: id, ...more }))
    const { id: own } = await row('attribute', (each) => each.attribute_id === id)
    const set = await makeSet(server, business, { colour: 'red' })
    await expectRoundTrip(() =>
      send('PUT', `/object/attr/${own}`, { bk_property_name: 'Hue', searchable: false, unit: '' }),
    )
    await expectRoundTrip(() => send('DELETE', `/object/attr/${own}`))
    expect(await row('attribute', (each) => each.attribute_id === id)).toEqual({})
    expect((await undo({ txn_id: await newest() })).data).toMatchObject({ undone: 1 })
    const found = await findSets(server, business, { colour: 'red' })
    expect(found.data.info).toMatchObject([{ bk_set_id: set, colour: 'red' }])
    const order = {
      bk_property_id: 'guests',
      bk_property_name: 'Guests',
      bk_property_type: 'objuser',
      bk_obj_id: 'biz',
    }
    await expectRoundTrip(() => send('POST', '/object/attr', order))
  })

  it('undoes classifications, objects and groups of attributes', async () => {
    const classification = { bk_classification_id: 'storage', bk_classification_name: 'Storage' }
    await expectRoundTrip(() => send('POST', '/object/classification', classification))
    const { id } = await row('classification', (each) => each.classification_id === 'storage')
    await expectRoundTrip(() => send('PUT', `/object/classification/${id}`, { bk_classification_name: 'Disks' }))
    const object = { bk_obj_id: 'disk', bk_obj_name: 'Disk', bk_classification_id: 'storage' }
    await expectRoundTrip(() => send('POST', '/object', object))
    const disk = await row('object', (each) => each.object_id === 'disk')
    await expectRoundTrip(() => send('PUT', `/object/${disk.id}`, { bk_obj_name: 'Drive' }))
    const group = { bk_obj_id: 'disk', bk_group_id: 'size', bk_group_name: 'Size' }
    await expectRoundTrip(() => send('POST', '/objectatt/group/new', group))
    const own = await row('attribute_group', (each) => each.group_id === 'size')
    await expectRoundTrip(() =>
      send('PUT', '/objectatt/group/update', { condition: { id: own.id }, data: { bk_group_name: 'Sizes' } }),
    )
    await send('POST', '/object/attr', {
      ...attribute,
      bk_obj_id: 'disk',
      bk_property_id: 'bytes',
      bk_property_group: 'size',
    })
    await expectRoundTrip(() => send('DELETE', `/object/${disk.id}`))
    await undo({ txn_id: await newest() })
    await expectRoundTrip(() => send('POST', '/inst/0/disk', { bk_inst_name: 'd1' }))
  })

  it('undoes kinds of associations, and which objects may be associated', async () => {
    const kind = { bk_asst_id: 'backs', bk_asst_name: 'backs', src_des: 'backs', dest_des: 'is backed by' }
    await expectRoundTrip(() => send('POST', '/topo/association/type/action/create', kind))
    const { id } = await row('association_kind', (each) => each.kind === 'backs')
    await expectRoundTrip(() => send('PUT', `/topo/association/type/${id}/action/update`, { src_des: 'serves' }))
    const ends = { bk_obj_id: 'bk_switch', bk_asst_obj_id: 'set', bk_asst_id: 'backs' }
    await expectRoundTrip(() => send('POST', '/object/association/action/create', ends))
    const own = await row('object_association', (each) => each.kind === 'backs')
    await expectRoundTrip(() =>
      send('PUT', `/object/association/${own.id}/action/update`, { bk_obj_asst_name: 'renamed' }),
    )
    await expectRoundTrip(() => send('DELETE', `/object/association/${own.id}/action/delete`))
    await expectRoundTrip(() => send('DELETE', `/topo/association/type/${id}/action/delete`))
  })

  it('undoes groups with their members and grants, and the privileges of roles', async () => {
    const group = { group_name: 'readers', user_list: 'ann;bob' }
    await expectRoundTrip(() => send('POST', '/topo/privilege/group/0', group))
    const { group_id } = await row('user_group', (each) => each.name === 'readers')
    await expectRoundTrip(() => send('PUT', `/topo/privilege/group/0/${group_id}`, { user_list: 'ann' }))
    const path = `/topo/privilege/group/detail/0/${group_id}`
    await expectRoundTrip(() => send('POST', path, { sys_config: { back_config: ['audit'] } }))
    await send('POST', path, { sys_config: { back_config: ['audit'] } })
    const mayRead = async () => (await server.call('GET', '/audit/integrity', undefined, { BK_User: 'ann' })).result
    expect(await mayRead()).toBe(true)
    await expectRoundTrip(() => send('DELETE', `/topo/privilege/group/0/${group_id}`))
    expect(await mayRead()).toBe(false)
    await undo({ txn_id: await newest() })
    expect(await mayRead()).toBe(true)
    await expectRoundTrip(() => send('POST', '/topo/privilege/0/biz/bk_biz_maintainer', ['hostupdate']))
  })

  it('undoes insertion and removal of levels, with the instances of the level under their ids', async () => {
    const other = await makeBusiness(server)
    const [set] = [await makeSet(server, business), await makeSet(server, other)]
    const level = { bk_classification_id: 'bk_biz_topo', bk_obj_id: 'zone', bk_obj_name: 'zone', bk_asst_obj_id: 'biz' }
    const remove = () => send('DELETE', '/topo/model/mainline/owners/0/objectids/zone')
    await expectRoundTrip(() => send('POST', '/topo/model/mainline', level))
    const insertion = await newest()
    const { inst_id: parent } = await row('node', (each) => each.object_id === 'zone' && each.biz_id === business)
    const north = await send('POST', '/inst/0/zone', {
      bk_biz_id: business,
      bk_parent_id: business,
      bk_inst_name: 'north',
    })
    expect(north).toBeDefined()
    await server.call('PUT', `/inst/0/zone/${parent}`, { bk_inst_name: 'south' })
    // Whatever came to depend on the level keeps it.
    const before = await state()
    for (const on_conflict of ['refuse', 'force']) {
      const refused = await undo({ txn_id: insertion, on_conflict })
      expect(refused.bk_error_code).toBe(1199409)
      expect(await state()).toEqual(before)
    }
    expect((await undo({ txn_id: insertion, on_conflict: 'skip' })).data).toMatchObject({ undone: 0 })
    expect(await state()).toEqual(before)
    await expectRoundTrip(remove)
    const path = await server.call<{ child: { bk_inst_id: number }[] }[]>('GET', `/topo/inst/0/${business}`)
    expect(path.data[0]?.child.map((node) => node.bk_inst_id)).toContain(set)
    const removal = await newest()
    await makeSet(server, business)
    const refused = await undo({ txn_id: removal })
    expect(refused.bk_error_code).toBe(1199409)
    expect(JSON.stringify(refused.data.records)).toContain('has come to depend on the levels')
  })

  it('never loses what was put into a definition since', async () => {
    await send('POST', '/object', { bk_obj_id: 'shelf', bk_obj_name: 'Shelf', bk_classification_id: 'bk_network' })
    const creation = await newest()
    const { bk_inst_id: id } = (
      await server.call<{ bk_inst_id: number }>('POST', '/inst/0/shelf', { bk_inst_name: 's' })
    ).data
    const before = await state()
    for (const on_conflict of ['refuse', 'force']) {
      const answer = await undo({ txn_id: creation, on_conflict })
      expect(answer.bk_error_code).toBe(1199409)
      expect(answer.data.records[0]?.conflicts[0]).toMatchObject({ forcible: false })
      expect(answer.data.records[0]?.conflicts[0]?.why).toContain(`shelf ${id}`)
      expect(await state()).toEqual(before)
    }
  })

  it('asks for the privilege to change the model, and for an administrator where grants are concerned', async () => {
    await send('POST', '/object/attr', { ...attribute, bk_property_id: 'shade', bk_property_name: 'Shade' })
    const definition = await newest()
    await send('POST', '/topo/privilege/group/0', { group_name: 'auditors', user_list: 'nora' })
    const grant = await newest()
    const { group_id } = await row('user_group', (each) => each.name === 'auditors')
    const give = (back_config: string[]) =>
      send('POST', `/topo/privilege/group/detail/0/${group_id}`, { sys_config: { back_config } })
    await give(['audit'])
    const nora = { BK_User: 'nora' }
    await refuses(server, 9900403, "'model'", () => undo({ txn_id: definition }, '', nora))
    await give(['audit', 'model'])
    await refuses(server, 9900403, 'administrator', () => undo({ txn_id: grant }, '', nora))
    expect((await undo({ txn_id: definition }, '?dry_run=true', nora)).data).toMatchObject({ undone: 1 })
  })
})
