import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { system } from '../../../service.ts'
import { findRecords, findSets, makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { findInstances, findModules, makeInstance, makeModule, putLevel } from '../../../testing/data/levels.ts'
import { attributeNamed, define, fillAll, keptValues, makeSearchable } from '../../../testing/data/searchable.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { statementsOf } from '../../../testing/inspect/explain.ts'
import { refuses } from '../../../testing/inspect/rows.ts'
import { createSet, deleteSets, updateSet } from '../../topology/nodes/sets.ts'

const showing = { language: 'en', zone: { write: String } as never } as const

eachEngine((engine) => {
  let server: TestServer
  let business: number
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
  })
  afterAll(() => server.close())
  const post = (more: Record<string, unknown>) =>
    server.call('POST', '/object/attr', { bk_obj_id: 'set', bk_property_name: 'x', ...more })
  const agrees = async (object: string) => {
    const { kept, wanted } = await keptValues(server, object)
    expect(kept).toEqual(wanted)
    return kept.length
  }

  it('is set when an attribute is created or changed, and shown with its progress', async () => {
    const id = await define(server, 'set', 'code', 'singlechar', { searchable: true })
    await fillAll(server)
    expect(await attributeNamed(server, 'set', 'code')).toMatchObject({
      searchable: true,
      bk_searchable_state: 'ready',
    })
    const [made] = (await findRecords(server, { op_target: 'model', inst_id: id })).data.info
    expect(made?.content.cur_data).toMatchObject({ searchable: true, bk_searchable_state: 'filling' })

    await makeSearchable(server, 'set', ['code'], false)
    expect(await attributeNamed(server, 'set', 'code')).toMatchObject({ searchable: false, bk_searchable_state: '' })
    await makeSearchable(server, 'set', ['bk_capacity'])
    await fillAll(server)
    const found = await server.call<unknown[]>('POST', '/object/attr/search', { searchable: true, bk_obj_id: 'set' })
    expect(found.data).toMatchObject([{ bk_property_id: 'bk_capacity' }])
    await makeSearchable(server, 'set', ['bk_capacity'], false)
  })

  it('is unchanged when sent back as shown', async () => {
    const id = await define(server, 'set', 'same', 'int', { searchable: true })
    await fillAll(server)
    const { last_time, ...read } = await attributeNamed(server, 'set', 'same')
    expect(await server.call('PUT', `/object/attr/${id}`, read)).toMatchObject({ result: true })
    expect((await attributeNamed(server, 'set', 'same')).last_time).toBe(last_time)
    await server.call('DELETE', `/object/attr/${id}`)
  })

  it('is refused for types that are too long or indexed anyway, and when it is not a boolean', async () => {
    const described = await attributeNamed(server, 'set', 'description')
    const inner = await attributeNamed(server, 'host', 'bk_host_innerip')
    const put = (id: number, searchable: unknown) => server.call('PUT', `/object/attr/${id}`, { searchable })
    await refuses(server, 1199006, 'values of type longchar are too long', () => put(described.id, true))
    await refuses(server, 1199006, 'always indexed', () => put(inner.id, true))
    const long = { bk_property_id: 'long', bk_property_type: 'longchar', searchable: true }
    await refuses(server, 1199006, "'searchable'", () => post(long))
    for (const searchable of [1, 'true', {}, []]) {
      await refuses(server, 1199025, "'searchable' must be boolean", () => put(described.id, searchable))
      const wrong = { bk_property_id: 'wrong', bk_property_type: 'int', searchable }
      await refuses(server, 1199025, "'searchable' must be boolean", () => post(wrong))
    }
    expect(await put(described.id, false)).toMatchObject({ result: true })
  })

  it('is the default of common search attributes of hosts, in every account with its own keys', async () => {
    await server.call('GET', '/topo/model/other')
    const { read } = server.service.storage
    const on = await read
      .selectFrom('attribute')
      .select(['account', 'object_id', 'attribute_id', 'searchable', 'filled'])
      .where('searchable', '<>', 0)
      .where('object_id', '=', 'host')
      .orderBy('attribute_id')
      .execute()
    const names = ['bk_asset_id', 'bk_host_name', 'bk_host_outerip', 'bk_sn', 'operator']
    for (const account of ['0', 'other']) {
      expect(on.filter((row) => row.account === account).map((row) => row.attribute_id)).toEqual(names)
    }
    expect(on.every((row) => row.filled === 1)).toBe(true)
    expect(new Set(on.map((row) => row.searchable)).size).toBe(2 * names.length)
  })

  it('keeps values under the keys of an account whose creation was rolled back and repeated', async () => {
    const { engine: opened, read } = server.service.storage
    const transact = opened.transact.bind(opened)
    let failed = false
    const undone = vi.spyOn(opened, 'transact').mockImplementation((id, work, options) => {
      const attempt = async (connection: Parameters<typeof work>[0]) => {
        const done = await work(connection)
        // Background changes are ignored: only the change that created the account is counted.
        const { rows } = await connection.query(`SELECT name FROM account WHERE name = 'again'`, [])
        if (failed || rows.length === 0) return done
        failed = true
        throw new Error('on purpose')
      }
      return transact(id, attempt, options) as never
    })
    onTestFinished(() => undone.mockRestore())
    const open = (account: string) => server.call('GET', `/topo/model/${account}`)
    expect(await open('again')).toMatchObject({ bk_error_code: 1199999 })
    // If a rolled-back draw released its keys, another change draws them now.
    expect(await open('between')).toMatchObject({ result: true })
    expect(await open('again')).toMatchObject({ result: true })

    const host_info = { 0: { bk_host_innerip: '192.0.2.77', bk_sn: 'number of again' } }
    const far = { HTTP_BLUEKING_SUPPLIER_ID: 'again' }
    expect(await server.call('POST', '/hosts/add', { host_info }, far)).toMatchObject({ result: true })
    const kept = await read
      .selectFrom('attribute_value')
      .innerJoin('attribute', 'attribute.searchable', 'attribute_value.key')
      .select(['attribute.account', 'attribute.attribute_id'])
      .where('text', '=', 'number of again')
      .execute()
    expect(kept).toEqual([{ account: 'again', attribute_id: 'bk_sn' }])
  })

  it('indexes the values of every kind of instance when it is created, changed and deleted', async () => {
    await putLevel(server, 'region')
    const own = await makeBusiness(server)
    await makeSearchable(server, 'biz', ['bk_biz_maintainer', 'bk_biz_name', 'language'])
    await makeSearchable(server, 'region', ['bk_inst_name'])
    await makeSearchable(server, 'set', ['bk_set_name', 'bk_capacity'])
    await makeSearchable(server, 'module', ['operator'])
    await makeSearchable(server, 'bk_switch', ['bk_inst_name'])
    await fillAll(server)
    const objects = ['biz', 'region', 'set', 'module', 'bk_switch']
    const allAgree = async () => {
      for (const object of objects) await agrees(object)
    }

    const region = await makeInstance(server, 'region', { bk_inst_name: 'north', bk_biz_id: own, bk_parent_id: own })
    const set = await makeSet(server, own, { bk_parent_id: region, bk_capacity: 5 })
    const module = await makeModule(server, own, set, 'web')
    const rack = await makeInstance(server, 'bk_switch', { bk_inst_name: 'rack 1' })
    await allAgree()
    expect(await agrees('bk_switch')).toBe(1)

    await server.call('PUT', `/module/${own}/${set}/${module}`, { operator: 'amy,bob' })
    await server.call('PUT', `/set/${own}/${set}`, { bk_biz_id: own, bk_capacity: null, bk_set_name: 'renamed' })
    await server.call('PUT', `/inst/0/region/${region}`, { bk_inst_name: 'south' })
    await server.call('PUT', `/inst/0/bk_switch/${rack}`, { bk_inst_name: 'rack 2' })
    await server.call('PUT', `/biz/0/${own}`, { bk_biz_maintainer: 'zoe,amy' })
    await server.call('PUT', `/biz/status/disabled/0/${own}`)
    await server.call('PUT', `/biz/status/enable/0/${own}`)
    await allAgree()
    expect(await agrees('module')).toBe(3)
    expect((await findModules(server, own, set, { condition: { operator: 'amy,bob' } })).data.count).toBe(1)
    expect((await findInstances(server, 'region', { bk_inst_name: 'south' })).data.count).toBe(1)
    expect((await findInstances(server, 'bk_switch', { bk_inst_name: 'rack 2' })).data.count).toBe(1)
    expect((await findInstances(server, 'bk_switch', { bk_inst_name: 'rack 1' })).data.count).toBe(0)

    await server.call('DELETE', `/inst/0/bk_switch/${rack}`)
    await server.call('DELETE', `/inst/0/region/${region}`)
    await allAgree()
    expect([await agrees('bk_switch'), await agrees('region'), await agrees('module')]).toEqual([0, 0, 0])
    await makeSet(server, own, {
      bk_parent_id: await makeInstance(server, 'region', { bk_inst_name: 'east', bk_biz_id: own, bk_parent_id: own }),
    })
    expect(await server.call('DELETE', `/biz/0/${own}`)).toMatchObject({ result: true })
    await allAgree()
    expect(await server.call('DELETE', '/topo/model/mainline/owners/0/objectids/region')).toMatchObject({
      result: true,
    })
    await makeSearchable(server, 'set', ['bk_set_name', 'bk_capacity'], false)
  })

  it('indexes nothing of a refused change', async () => {
    await makeSearchable(server, 'set', ['bk_set_name'])
    await fillAll(server)
    await makeSet(server, business, { bk_set_name: 'taken' })
    const before = await agrees('set')
    await expect(makeSet(server, business, { bk_set_name: 'taken' })).rejects.toThrow('duplicated')
    expect(await agrees('set')).toBe(before)
    await makeSearchable(server, 'set', ['bk_set_name'], false)
  })

  it('costs a change nothing without searchable attributes, otherwise one statement to remove and one to insert', async () => {
    const { storage } = server.service
    const asked = async (work: Parameters<typeof storage.change>[1]) => {
      const statements = await statementsOf(storage, () => storage.change(system('0'), work))
      return statements.map(({ sql }) => sql).filter((sql) => sql.includes('attribute_value')).length
    }
    let made = 0
    const turns = async () => {
      const name = `counted ${made++}`
      let id = 0
      const create = await asked(async (tx) => {
        const set = await createSet(tx, business, business, { bk_set_name: name, bk_capacity: 1, same: 1 }, showing)
        id = set.bk_set_id as number
      })
      const unrelated = await asked((tx) => updateSet(tx, business, id, { description: 'x' }, showing))
      const update = await asked((tx) =>
        updateSet(tx, business, id, { bk_capacity: 2, bk_set_name: `${name} b` }, showing),
      )
      const remove = await asked((tx) => deleteSets(tx, business, [id], showing))
      return [create, unrelated, update, remove]
    }
    await define(server, 'set', 'same', 'int')
    expect(await turns()).toEqual([0, 0, 0, 0])
    await makeSearchable(server, 'set', ['bk_capacity', 'same', 'bk_set_name'])
    await fillAll(server)
    expect(await turns()).toEqual([1, 0, 2, 1])
    await makeSearchable(server, 'set', ['bk_capacity', 'same', 'bk_set_name'], false)
  })

  it('finds values left by a former attribute of the same name', async () => {
    const first = await define(server, 'set', 'again', 'singlechar')
    const id = await makeSet(server, business, { again: 'old' })
    await server.call('DELETE', `/object/attr/${first}`)
    await define(server, 'set', 'again', 'singlechar', { searchable: true })
    await fillAll(server)
    expect((await findSets(server, business, { again: 'old' })).data.info).toMatchObject([{ bk_set_id: id }])
    await agrees('set')
  })
})
