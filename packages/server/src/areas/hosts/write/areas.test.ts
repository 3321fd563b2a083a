import { afterAll, beforeAll, expect, it } from 'vitest'
import { findRecords } from '../../../testing/data/factories.ts'
import { addRows, freshAddress, makeHost, readHost, searchHosts } from '../../../testing/data/hosts.ts'
import { findInstances, makeInstance } from '../../../testing/data/levels.ts'
import { entry } from '../../../testing/data/queries.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { refuses } from '../../../testing/inspect/rows.ts'

const chinese = { HTTP_BLUEKING_LANGUAGE: 'zh-cn' }

/** Cloud areas: instances like others, of which every account has one from the start. */
eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
  })
  afterAll(() => server.close())
  const named = (bk_cloud_name: string) => makeInstance(server, 'plat', { bk_cloud_name })

  it('lists the default area in the language of the caller, and finds it by its name in either language', async () => {
    const all = await findInstances(server, 'plat')
    expect(all.data).toMatchObject({
      count: 1,
      info: [{ bk_cloud_id: 0, bk_inst_id: 0, bk_cloud_name: 'default area' }],
    })
    const path = '/inst/search/owner/0/object/plat'
    const shown = await server.call<typeof all.data>('POST', path, {}, chinese)
    expect(shown.data.info).toMatchObject([{ bk_cloud_id: 0, bk_cloud_name: '默认区域', default: 1 }])
    for (const bk_cloud_name of ['default area', '默认区域']) {
      expect((await findInstances(server, 'plat', { bk_cloud_name })).data.count).toBe(1)
      const create = () => server.call('POST', '/inst/0/plat', { bk_cloud_name })
      await refuses(server, 1199014, 'bk_cloud_name', create)
    }
  })

  it('is created, renamed and deleted; each answer is the whole record', async () => {
    const made = await server.call('POST', '/inst/0/plat', { bk_cloud_name: 'east' })
    expect(made).toMatchObject({ result: true, data: { bk_cloud_name: 'east', bk_supplier_account: '0', default: 0 } })
    const id = made.data.bk_inst_id as number
    expect(made.data.bk_cloud_id).toBe(id)
    expect(id).toBeGreaterThan(0)
    const path = `/inst/0/plat/${id}`
    expect((await server.call('PUT', path, { bk_cloud_name: 'far east' })).data).toBe('success')
    expect((await findInstances(server, 'plat', { bk_cloud_id: id })).data.info).toMatchObject([
      { bk_cloud_name: 'far east' },
    ])
    await refuses(server, 1199014, 'bk_cloud_name', () => server.call('PUT', path, { bk_cloud_name: '默认区域' }))
    await refuses(server, 1199010, 'bk_cloud_name', () => server.call('POST', '/inst/0/plat', {}))
    expect((await server.call('DELETE', path)).data).toBe('success')
    await refuses(server, 1199019, 'No relevant data', () => server.call('DELETE', path))
    const { info } = (await findRecords(server, { inst_id: id, bk_obj_id: 'plat' })).data
    expect(info.map((row) => [row.op_type, row.bk_biz_id])).toEqual([
      [1, 0],
      [2, 0],
      [3, 0],
    ])
  })

  it('cannot be deleted with hosts in it, and the default area never', async () => {
    const [empty, used] = [await named('empty'), await named('used')]
    const host = await makeHost(server, {}, { bk_cloud_id: used })
    const many = { delete: { inst_ids: [empty, used] } }
    await refuses(server, 1101036, 'host', () => server.call('DELETE', `/inst/0/plat/${used}`))
    await refuses(server, 1101036, 'host', () => server.call('DELETE', '/inst/0/plat/batch', many))
    expect((await server.call('DELETE', '/inst/0/plat/0')).result).toBe(false)
    expect((await server.call('PUT', '/inst/0/plat/0', { bk_cloud_name: 'mine' })).result).toBe(false)
    expect((await server.call('DELETE', '/inst/0/plat/batch', { delete: { inst_ids: [0] } })).result).toBe(false)
    expect((await findInstances(server, 'plat', { bk_cloud_id: 0 })).data.info).toMatchObject([
      { bk_cloud_name: 'default area' },
    ])
    await server.call('PUT', '/hosts/batch', { bk_host_id: host, bk_cloud_id: 0 })
    expect((await readHost(server, host)).bk_cloud_id).toBe(0)
    expect((await server.call('DELETE', '/inst/0/plat/batch', many)).data).toBe('success')
  })

  it('belongs to its account, which has its own default area and does not see those of others', async () => {
    const mine = await named('mine')
    const other = { HTTP_BLUEKING_SUPPLIER_ID: 'other' }
    const path = '/inst/search/owner/other/object/plat'
    const theirs = await server.call<{ info: unknown[] }>('POST', path, {})
    expect(theirs.data.info).toMatchObject([{ bk_cloud_id: 0, bk_supplier_account: 'other' }])
    const ip = freshAddress()
    const refused = await addRows(server, { 1: { bk_host_innerip: ip, bk_cloud_id: mine } }, {}, other)
    expect(refused.data.error).toEqual([expect.stringMatching(/^1: cloud area does not exist/)])
    const [here, there] = [
      await addRows(server, { 1: { bk_host_innerip: ip } }),
      await addRows(server, { 1: { bk_host_innerip: ip } }, {}, other),
    ]
    expect([here.result, there.result]).toEqual([true, true])
    expect(here.data.hosts[1]).not.toBe(there.data.hosts[1])
    expect((await server.call('DELETE', `/inst/other/plat/${mine}`)).bk_error_code).toBe(1199019)
    const condition = [entry('plat', [['bk_cloud_id', '$eq', 0]]), entry('host', [['bk_host_innerip', '$eq', ip]])]
    for (const [headers, id] of [
      [{}, here.data.hosts[1]],
      [other, there.data.hosts[1]],
    ] as const) {
      const { data } = await searchHosts(server, { condition }, headers as Record<string, string>)
      expect(data.info.map((row) => row.host.bk_host_id)).toEqual([id])
    }
  })
})
