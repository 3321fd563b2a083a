import { afterAll, beforeAll, expect, it } from 'vitest'
import { findRecords } from '../../../testing/data/factories.ts'
import {
  addRows,
  freshAddress,
  makeHost,
  makeShop,
  modulesOf,
  type Report,
  readHost,
  recordsOf,
  type Shop,
  searchHosts,
} from '../../../testing/data/hosts.ts'
import { makeInstance } from '../../../testing/data/levels.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { putAttribute, refuses, stored } from '../../../testing/inspect/rows.ts'

const chinese = { HTTP_BLUEKING_LANGUAGE: 'zh-cn' }

eachEngine((engine) => {
  let server: TestServer
  let shop: Shop
  let area: number
  beforeAll(async () => {
    server = await startServer(engine)
    await putAttribute(server, 'host', { attribute_id: 'rack', type: 'singlechar' })
    await putAttribute(server, 'host', { attribute_id: 'watts', type: 'int', options: '{"min":1,"max":2000}' })
    shop = await makeShop(server)
    area = await makeInstance(server, 'plat', { bk_cloud_name: 'east' })
  })
  afterAll(() => server.close())
  const idleOf = async (hostId: number) => (await searchHosts(server, where('bk_host_id', hostId))).data.info[0]
  const where = (field: string, value: unknown) => ({
    condition: [{ bk_obj_id: 'host', fields: [], condition: [{ field, operator: '$eq', value }] }],
  })
  const into = (rows: Record<string, unknown>, modules: number[] = [shop.web]) =>
    server.call<Report>('POST', '/hosts/sync/new/host', {
      bk_biz_id: shop.business,
      bk_module_id: modules,
      host_info: rows,
    })

  it('treats an attribute named like the name attribute of other objects as an ordinary one', async () => {
    await putAttribute(server, 'host', { attribute_id: 'bk_inst_name', type: 'int' })
    const host = await makeHost(server, {}, { bk_inst_name: 7 })
    expect(await readHost(server, host)).toMatchObject({ bk_inst_name: 7 })
    const cleared = await server.call('PUT', '/hosts/batch', { bk_host_id: `${host}`, bk_inst_name: null })
    expect(cleared).toMatchObject({ result: true, bk_error_msg: '' })
    expect(await readHost(server, host)).toMatchObject({ bk_inst_name: null })
  })

  it('keeps valid rows and reports each invalid one by number, in the language of the caller', async () => {
    const [good, other, there] = [freshAddress(), freshAddress(), freshAddress()]
    await makeHost(server, shop, { bk_host_innerip: there })
    const rows = {
      7: { bk_host_innerip: good },
      2: { bk_host_innerip: 'not an address' },
      3: { bk_host_name: 'nameless' },
      4: { bk_host_innerip: other, bk_cloud_id: 4_711 },
      5: { bk_host_innerip: other, bk_service_term: 99 },
      6: { bk_host_innerip: there },
      8: { bk_host_innerip: other, colour: 'red' },
    }
    const told = await addRows(server, rows)
    expect(told).toMatchObject({ status: 400, result: false, bk_error_code: 1110004 })
    expect(told.bk_error_msg).toContain('2: ')
    expect(told.data.success).toEqual(['7'])
    expect(told.data.hosts).toEqual({ 7: expect.any(Number) })
    expect(told.data.error.map((line) => line.slice(0, 2)).toSorted()).toEqual(['2:', '3:', '4:', '5:', '8:'])
    expect(told.data.error.join('\n')).toMatch(/2: .*not an address is not an IPv4/)
    expect(told.data.error.join('\n')).toMatch(/3: 'bk_host_innerip' unassigned/)
    expect(told.data.error.join('\n')).toMatch(/4: cloud area does not exist.*4711/)
    expect(told.data.update_error).toEqual([expect.stringMatching(/^6: the host already belongs to another business/)])
    expect((await searchHosts(server, { ip: { data: [good, other] } })).data.count).toBe(1)
    expect((await addRows(server, { 1: { bk_host_innerip: 'x' } }, {}, chinese)).data.error[0]).toMatch(/不是 IPv4/)
  })

  it('gives a new host its defaults, puts it into the idle module of the pool, and records it once', async () => {
    const ip = freshAddress()
    const id = await makeHost(server, {}, { bk_host_innerip: ip, bk_os_type: 1 })
    const host = await readHost(server, id)
    expect(host).toMatchObject({
      bk_host_id: id,
      bk_host_innerip: ip,
      bk_cloud_id: 0,
      bk_host_name: '',
      bk_os_type: '1',
      bk_mem: null,
      import_from: '3',
      rack: '',
      bk_supplier_account: '0',
      last_time: host.create_time,
    })
    expect(await idleOf(id)).toMatchObject({ biz: [{ bk_biz_id: 1 }], set: [{ default: 1 }], module: [{ default: 1 }] })
    const [record, ...more] = await recordsOf(server, id)
    expect(more).toEqual([])
    expect(record).toMatchObject({ operation: 1, biz_id: 1, ext_key: ip, content: { pre: null, cur: host } })
    const ids = { bk_biz_id: 1, bk_set_id: 1, bk_module_id: 1, bk_host_id: id, bk_supplier_account: '0' }
    expect(record?.events).toEqual([{ name: 'hostcreate' }, { name: 'moduletransfer', before: null, after: ids }])
    const { info } = (await findRecords(server, { op_target: 'host', ext_key: { $in: [ip] } })).data
    expect(info).toMatchObject([{ op_type: 1, op_desc: 'create host', inst_id: id, content: { pre_data: null } }])
  })

  it('updates an existing host, found by address and area, and writes nothing if it is unchanged', async () => {
    const ip = freshAddress()
    const id = await makeHost(server, {}, { bk_host_innerip: ip, bk_host_name: 'before', rack: 'a1' })
    const told = await addRows(server, { 4: { bk_host_innerip: ip, bk_host_name: 'after', watts: '300' } })
    expect(told).toMatchObject({ result: true, data: { success: ['4'], error: [], hosts: { 4: id } } })
    const host = await readHost(server, id)
    expect(host).toMatchObject({ bk_host_name: 'after', rack: 'a1', watts: 300 })
    const [, update] = await recordsOf(server, id)
    expect(update).toMatchObject({ operation: 2, content: { pre: { bk_host_name: 'before', watts: null } } })
    expect(update?.events).toEqual([{ name: 'hostupdate' }])

    const before = await stored(server)
    expect(await addRows(server, { 1: host })).toMatchObject({ result: true })
    expect(await server.call('PUT', '/hosts/batch', { ...host, bk_host_id: `${id}` })).toMatchObject({ result: true })
    expect(await stored(server)).toEqual(before)
  })

  it('adds and updates hosts of the account that the body names', async () => {
    const far = { bk_supplier_account: 'far' }
    const added = await addRows(server, { 1: { bk_host_innerip: '10.9.9.1' } }, far)
    const id = added.data.hosts[1]
    await refuses(server, 1110008, `${id}`, () =>
      server.call('PUT', '/hosts/batch', { bk_host_id: id, bk_comment: 'near' }),
    )
    expect(await server.call('PUT', '/hosts/batch', { ...far, bk_host_id: id, bk_comment: 'far' })).toMatchObject({
      result: true,
    })
  })

  it('identifies a host by any spelling of its IPv6 address, and by any address of its list', async () => {
    const id = await makeHost(server, {}, { bk_host_innerip: '2001:DB8:0::0:1, 10.250.0.1,2001:db8::1' })
    expect((await readHost(server, id)).bk_host_innerip).toBe('2001:db8::1,10.250.0.1')
    for (const ip of ['2001:0db8:0:0:0:0:0:1,10.250.0.1', '10.250.0.1', '10.250.0.9,10.250.0.1']) {
      expect((await addRows(server, { 1: { bk_host_innerip: ip } })).data.hosts).toEqual({ 1: id })
    }
    expect((await readHost(server, id)).bk_host_innerip).toBe('10.250.0.9,10.250.0.1')
    // An address that a host no longer has can be used by another.
    const freed = await makeHost(server, {}, { bk_host_innerip: '2001:DB8::1' })
    expect(freed).not.toBe(id)
    const both = await addRows(server, { 1: { bk_host_innerip: '10.250.0.9,2001:db8::1' } })
    expect(both).toMatchObject({ bk_error_code: 1110004, data: { success: [], error: [] } })
    expect(both.data.update_error).toEqual([expect.stringContaining('bk_host_innerip')])
  })

  it('accepts one row per host in a request, whatever the spelling of the address', async () => {
    const ip = freshAddress()
    const twice = await addRows(server, {
      1: { bk_host_innerip: ip },
      2: { bk_host_innerip: `${ip}, ${freshAddress()}` },
    })
    expect(twice.data).toMatchObject({ success: ['1'], error: [expect.stringMatching(/^2: .*bk_host_innerip/)] })

    const [one, other] = [freshAddress(), freshAddress()]
    const id = await makeHost(server, {}, { bk_host_innerip: `${one},${other}` })
    const parts = await addRows(server, { 1: { bk_host_innerip: one }, 2: { bk_host_innerip: other } })
    expect(parts.data).toMatchObject({ success: ['1'], update_error: [expect.stringMatching(/^2: .*bk_host_innerip/)] })
    expect((await readHost(server, id)).bk_host_innerip).toBe(one)
    expect((await stored(server)).addresses.filter((row) => row.ip === one || row.ip === other)).toHaveLength(1)
    expect(await recordsOf(server, id)).toHaveLength(2)
  })

  it('allows the same address in two cloud areas', async () => {
    const ip = freshAddress()
    const here = await makeHost(server, {}, { bk_host_innerip: ip })
    const there = await makeHost(server, {}, { bk_host_innerip: ip, bk_cloud_id: `${area}` })
    expect(there).not.toBe(here)
    const swap = { bk_host_id: there, bk_cloud_id: 0 }
    await refuses(server, 1199014, 'bk_host_innerip', () => server.call('PUT', '/hosts/batch', swap))
    await refuses(server, 1101032, 'cloud area', () =>
      server.call('PUT', '/hosts/batch', { ...swap, bk_cloud_id: 9_999 }),
    )
  })

  it('adds to the idle module of a business, where hosts of the pool are unknown', async () => {
    const id = await makeHost(server, { business: shop.business })
    expect(await modulesOf(server, id)).toEqual([shop.idle])
    const pooled = freshAddress()
    await makeHost(server, {}, { bk_host_innerip: pooled })
    const told = await addRows(server, { 1: { bk_host_innerip: pooled } }, { bk_biz_id: shop.business })
    expect(told.data.update_error).toEqual([expect.stringMatching(/^1: the host already belongs to another business/)])
    await refuses(server, 1199011, 'bk_biz_id', () =>
      addRows(server, { 1: { bk_host_innerip: freshAddress() } }, { bk_biz_id: 99_999 }),
    )
  })

  it('adds directly into modules, all rows or none, and moves existing hosts', async () => {
    const ip = freshAddress()
    const id = await makeHost(
      server,
      { business: shop.business, modules: [shop.web, shop.db] },
      { bk_host_innerip: ip },
    )
    expect(await modulesOf(server, id)).toEqual([shop.web, shop.db])
    const again = await into({
      1: { bk_host_innerip: ip, bk_host_name: 'moved' },
      2: { bk_host_innerip: freshAddress() },
    })
    expect(again.data).toMatchObject({ success: ['1', '2'], hosts: { 1: id } })
    expect(await modulesOf(server, id)).toEqual([shop.web])
    expect((await readHost(server, id)).bk_host_name).toBe('moved')

    const before = await stored(server)
    const half = await into({ 1: { bk_host_innerip: ip, bk_host_name: 'lost' }, 2: { bk_host_innerip: 'nowhere' } })
    expect(half).toMatchObject({ status: 400, bk_error_code: 1110004 })
    expect(half.data).toMatchObject({ success: [], hosts: {}, error: [expect.stringMatching(/^2: /)] })
    expect(await stored(server)).toEqual(before)
    const row = { 1: { bk_host_innerip: freshAddress() } }
    await refuses(server, 1199006, 'cannot be combined with other modules', () => into(row, [shop.idle, shop.web]))
    await refuses(server, 1101080, '999999', () => into(row, [999_999]))
  })

  it('refuses an invalid list of hosts: empty, too long, keys that are not row numbers, rows that are not objects', async () => {
    await refuses(server, 1199010, 'host_info', () => addRows(server, {}))
    await refuses(server, 1199010, 'host_info', () => server.call('POST', '/hosts/add', {}))
    const many = Object.fromEntries(Array.from({ length: 5_001 }, (_, row) => [row, {}]))
    await refuses(server, 1199035, '5000', () => addRows(server, many))
    await refuses(server, 1199006, 'row number', () => addRows(server, { one: { bk_host_innerip: freshAddress() } }))
    const hostile = '{"host_info":{"__proto__":{"bk_host_innerip":"10.9.9.9"}}}'
    expect((await server.call('POST', '/hosts/add', hostile)).result).toBe(false)
    for (const row of ['text', 7, null, []]) expect((await addRows(server, { 1: row })).result).toBe(false)
    for (const ip of ['\0', '\ud800']) {
      await refuses(server, 1199006, 'without NUL', () => addRows(server, { 1: { bk_host_innerip: ip } }))
    }
    const odd = ['10.0.0.256', '010.1.1.1', '1.2.3', 'fe80::1%eth0', ' , ', '10.0.0.1;10.0.0.2']
    const rows = Object.fromEntries(odd.map((bk_host_innerip, index) => [index, { bk_host_innerip }]))
    const told = await addRows(server, rows)
    expect(told.data).toMatchObject({ success: [], hosts: {} })
    expect(told.data.error).toHaveLength(odd.length)
  })

  it('checks user-defined attributes like preset ones', async () => {
    const ip = freshAddress()
    const wrong = await addRows(server, {
      1: { bk_host_innerip: ip, watts: 2001 },
      2: { bk_host_innerip: ip, rack: 5 },
    })
    expect(wrong.data.error).toEqual([expect.stringMatching(/^1: 'watts'.*2000/), expect.stringMatching(/^2: 'rack'/)])
    const id = await makeHost(server, {}, { bk_host_innerip: ip, watts: 2000, rack: 'b 2' })
    expect(await server.call('PUT', '/hosts/batch', { bk_host_id: id, watts: null, rack: '' })).toMatchObject({
      data: null,
    })
    expect(await readHost(server, id)).toMatchObject({ watts: null, rack: '' })
  })

  it('accepts 5,000 rows in one request, some new, some existing and some invalid', async () => {
    const rows = Array.from({ length: 5_000 }, () => ({ bk_host_innerip: freshAddress(), rack: 'r' }))
    const part = (from: number, to: number) => Object.fromEntries([...rows.entries()].slice(from, to))
    expect((await addRows(server, part(0, 1_000))).data.success).toHaveLength(1_000)
    const again = rows.map((row, index) =>
      index < 500 ? { ...row, rack: 's' } : index < 510 ? { ...row, watts: 0 } : row,
    )
    const told = await addRows(server, { ...again })
    expect([told.data.success.length, told.data.error.length, told.data.update_error]).toEqual([4_990, 10, []])
    expect(new Set(Object.values(told.data.hosts)).size).toBe(4_990)
    expect(await readHost(server, told.data.hosts[499] as number)).toMatchObject({ rack: 's' })
    const data = rows.map((row) => row.bk_host_innerip)
    const found = await searchHosts(server, { ip: { data, exact: 1, flag: 'bk_host_innerip' }, page: { limit: 1 } })
    expect(found.data.count).toBe(5_000)
  })
})
