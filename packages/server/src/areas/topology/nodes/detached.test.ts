import { afterAll, beforeAll, expect, it } from 'vitest'
import { findRecords } from '../../../testing/data/factories.ts'
import { findInstances, makeInstance, pause } from '../../../testing/data/levels.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { brokenLinks, readLog } from '../../../testing/inspect/log.ts'
import { putAttribute, refuses, stored } from '../../../testing/inspect/rows.ts'

/** Instances of objects beside the main line, such as switches. */
eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
    await putAttribute(server, 'bk_switch', { attribute_id: 'ports', type: 'int', options: '{"min":1,"max":96}' })
  })
  afterAll(() => server.close())

  it('answers the full stored record, without business and parent', async () => {
    const sent = { bk_inst_name: 'core-1', ports: '48', bk_biz_id: 7, bk_parent_id: 7 }
    const made = await server.call('POST', '/inst/0/bk_switch', sent)
    expect(made.data).toMatchObject({
      bk_inst_name: 'core-1',
      ports: 48,
      bk_biz_id: 0,
      bk_parent_id: 0,
      bk_obj_id: 'bk_switch',
      bk_supplier_account: '0',
      default: 0,
    })
    const id = made.data.bk_inst_id
    expect((await findInstances(server, 'bk_switch', { bk_inst_id: id })).data.info).toEqual([made.data])
    const again = await server.call('POST', '/inst/0/bk_switch', { ...made.data, bk_inst_name: 'core-1 copy' })
    expect(again).toMatchObject({ result: true, data: { bk_biz_id: 0, ports: 48 } })
    expect(again.data.bk_inst_id).not.toBe(id)
  })

  it('records changes outside any business, with events named by the object, and nothing without a change', async () => {
    const id = await makeInstance(server, 'bk_switch', { bk_inst_name: 'edge' })
    const path = `/inst/0/bk_switch/${id}`
    for (const ports of [24, '24']) expect((await server.call('PUT', path, { ports })).data).toBe('success')
    const [record] = (await findInstances(server, 'bk_switch', { bk_inst_id: id })).data.info
    expect((await server.call('PUT', path, record)).data).toBe('success')
    expect((await server.call('DELETE', path)).data).toBe('success')
    expect((await server.call('DELETE', path)).bk_error_code).toBe(1199019)
    const { info } = (await findRecords(server, { inst_id: id, bk_obj_id: 'bk_switch' })).data
    expect(info.map((row) => [row.op_type, row.op_target, row.op_desc, row.bk_biz_id])).toEqual([
      [1, 'object', 'create instance', 0],
      [2, 'object', 'update instance', 0],
      [3, 'object', 'delete instance', 0],
    ])
    expect(info[1]?.content).toMatchObject({ pre_data: { ports: null }, cur_data: { ports: 24 } })
    const rows = await server.service.storage.read
      .selectFrom('log')
      .select('events')
      .where('object_id', '=', 'bk_switch')
      .where('inst_id', '=', id)
      .orderBy('ticket')
      .execute()
    const names = rows.flatMap((row) => (JSON.parse(row.events) as { name: string }[]).map((event) => event.name))
    expect(names).toEqual(['bk_switchcreate', 'bk_switchupdate', 'bk_switchdelete'])
  })

  it('keeps names unique among the instances of the object in the account', async () => {
    const first = await makeInstance(server, 'bk_switch', { bk_inst_name: 'unique' })
    const second = await makeInstance(server, 'bk_switch', { bk_inst_name: 'unique too' })
    await makeInstance(server, 'bk_router', { bk_inst_name: 'unique' })
    expect((await server.call('POST', '/inst/far/bk_switch', { bk_inst_name: 'unique' })).result).toBe(true)
    const taken = { bk_inst_name: 'unique' }
    const say = 'bk_inst_name'
    await refuses(server, 1199014, say, () => server.call('POST', '/inst/0/bk_switch', taken))
    await refuses(server, 1199014, say, () => server.call('PUT', `/inst/0/bk_switch/${second}`, taken))
    expect((await server.call('PUT', `/inst/0/bk_switch/${first}`, taken)).data).toBe('success')
  })

  it('deletes several in one request', async () => {
    const ids = []
    for (const name of ['x1', 'x2', 'x3']) ids.push(await makeInstance(server, 'bk_firewall', { bk_inst_name: name }))
    const [one, two, three] = ids
    const batch = { delete: { inst_ids: [three, one, three] } }
    expect((await server.call('DELETE', '/inst/0/bk_firewall/batch', batch)).data).toBe('success')
    const { info } = (await findInstances(server, 'bk_firewall')).data
    expect(info.map((row) => row.bk_inst_id)).toEqual([two])
  })

  it('finds by page, fields and condition, in order of id, all of them optional', async () => {
    const ids: number[] = []
    for (const [index, name] of ['c', 'a', 'b'].entries()) {
      ids.push(await makeInstance(server, 'bk_apache', { bk_inst_name: `${name}${index}` }))
    }
    const all = await server.call<{ count: number; info: Record<string, unknown>[] }>(
      'POST',
      '/inst/search/owner/0/object/bk_apache',
    )
    expect(all.data.info.map((row) => row.bk_inst_id)).toEqual(ids)
    const page = { start: 1, limit: 1, sort: '-bk_inst_name' }
    expect((await findInstances(server, 'bk_apache', {}, { page, fields: ['bk_inst_name'] })).data).toEqual({
      count: 3,
      info: [{ bk_inst_name: 'b2' }],
    })
    const matching = await findInstances(server, 'bk_apache', { bk_inst_name: { $regex: '^[ab]' } })
    expect(matching.data.info.map((row) => row.bk_inst_id)).toEqual([ids[1], ids[2]])
    expect((await findInstances(server, 'bk_apache', { bk_inst_name: 'c' })).data.count).toBe(0)
  })

  it('lets no user change instances of a paused model, and every user find them', async () => {
    const id = await makeInstance(server, 'bk_tomcat', { bk_inst_name: 'resting' })
    await pause(server, 'bk_tomcat', true)
    const batch = { delete: { inst_ids: [id] } }
    for (const [method, path, body] of [
      ['POST', '', { bk_inst_name: 'new' }],
      ['PUT', `/${id}`, { bk_inst_name: 'other' }],
      ['DELETE', `/${id}`, undefined],
      ['DELETE', '/batch', batch],
      ['DELETE', `/${id}?dry_run=true`, undefined],
    ] as const) {
      await refuses(server, 1101084, 'paused', () => server.call(method, `/inst/0/bk_tomcat${path}`, body))
    }
    expect((await findInstances(server, 'bk_tomcat')).data.count).toBe(1)
    await pause(server, 'bk_tomcat', false)
    expect((await server.call('DELETE', `/inst/0/bk_tomcat/${id}`)).data).toBe('success')
  })

  it('is restricted to administrators unless a group grants it', async () => {
    const id = await makeInstance(server, 'bk_router', { bk_inst_name: 'guarded' })
    const before = await stored(server)
    for (const [method, path, body] of [
      ['POST', '', { bk_inst_name: 'new' }],
      ['PUT', `/${id}`, { bk_inst_name: 'other' }],
      ['DELETE', `/${id}`, undefined],
      ['DELETE', '/batch', { delete: { inst_ids: [id] } }],
    ] as const) {
      const denied = await server.call(method, `/inst/0/bk_router${path}`, body, { BK_User: 'amy' })
      expect(denied).toMatchObject({ status: 403, bk_error_code: 9900403 })
      expect(denied.bk_error_msg).toContain('model_config')
    }
    expect(await stored(server)).toEqual(before)
  })

  it('serialises concurrent changes of one instance', async () => {
    const id = await makeInstance(server, 'bk_switch', { bk_inst_name: 'busy' })
    const ports = Array.from({ length: 12 }, (_, index) => index + 1)
    await Promise.all(ports.map((each) => server.call('PUT', `/inst/0/bk_switch/${id}`, { ports: each })))
    expect(brokenLinks(await readLog(server.service.storage.read))).toEqual([])
  })
})
