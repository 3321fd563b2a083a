import { afterAll, beforeAll, expect, it } from 'vitest'
import { findRecords, makeBusiness } from '../../../testing/data/factories.ts'
import { createQuery, entry, infoOf, preview, runQuery, saveQuery } from '../../../testing/data/queries.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { refuses, stored } from '../../../testing/inspect/rows.ts'

/** Saved queries: created, changed, deleted, found and read. */
eachEngine((engine) => {
  let server: TestServer
  let business: number
  let other: number
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
    other = await makeBusiness(server)
  })
  afterAll(() => server.close())
  const all = infoOf()
  const detail = (id: string, of = business) => server.call('GET', `/userapi/detail/${of}/${id}`)
  const update = (id: string, body: unknown, headers?: Record<string, string>) =>
    server.call('PUT', `/userapi/${business}/${id}`, body, headers)
  const remove = (id: string, of = business) => server.call('DELETE', `/userapi/${of}/${id}`)
  type Found = { count: number; info: Record<string, unknown>[] }
  const search = (body: unknown, of = business) => server.call<Found>('POST', `/userapi/search/${of}`, body)

  it('stores the definition byte for byte, including unknown keys', async () => {
    const info = `{ "page":{"sort": "-bk_host_id", "note": "é 😀 \\u0000 \\ud83d"},\n\t"condition" : [], "colour":1e3,"condition":[] }`
    const made = await createQuery(server, business, info, 'by the byte', { BK_User: 'amy' })
    expect(made).toMatchObject({ status: 200, result: true, data: { id: expect.stringMatching(/^[0-9a-v]{20}$/) } })
    const { data } = await detail(made.data.id)
    expect(data).toEqual({
      id: made.data.id,
      bk_biz_id: business,
      biz_id: business,
      name: 'by the byte',
      info,
      create_user: 'amy',
      create_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/),
      creat_time: data.create_time,
      modify_user: '',
      last_time: '',
    })
    expect((await runQuery(server, business, made.data.id)).data).toEqual({ count: 0, info: [] })
  })

  it('finds by a part of the name in all businesses of the account that are not archived', async () => {
    const [shop, archived] = [await makeBusiness(server, 'shop'), await makeBusiness(server, 'archived')]
    const id = await saveQuery(server, shop, all, 'Found 100%')
    await saveQuery(server, other, all, 'also FOUND')
    await saveQuery(server, archived, all, 'not found')
    await server.call('PUT', `/biz/status/disabled/0/${archived}`)
    const find = async (body: unknown, account = '0') =>
      (await server.call<Found>('POST', `/userapi/find/${account}`, body)).data
    const found = await find({ name: 'found' })
    expect(found.info[0]).toEqual({ id, name: 'Found 100%', bk_biz_id: shop, bk_biz_name: 'shop' })
    expect(found.info.map((each) => each.name)).toEqual(['Found 100%', 'also FOUND'])
    expect(await find({ name: '0%' })).toMatchObject({ count: 1, info: [{ id }] })
    expect(await find({ name: 'found', page: { start: 1, limit: 1 } })).toMatchObject({
      count: 2,
      info: [{ bk_biz_id: other }],
    })
    expect(await find({ name: 'found' }, 'another')).toEqual({ count: 0, info: [] })
    await refuses(server, 1199007, 'name', () => server.call('POST', '/userapi/find/0', { name: 7 }))
  })

  it('changes the sent fields; absent or empty ones stay, and without a difference so does the time', async () => {
    const id = await saveQuery(server, business, all, 'to be changed')
    const before = await stored(server)
    for (const body of [{}, { name: '', info: '' }, { name: null, info: null }, { name: 'to be changed', info: all }]) {
      expect(await update(id, body, { BK_User: 'amy' })).toMatchObject({ status: 200, result: true, data: null })
    }
    expect(await stored(server)).toEqual(before)
    await update(id, { name: 'changed', id: 'another', bk_biz_id: other, create_user: 'mallory' }, { BK_User: 'amy' })
    const changed = (await detail(id)).data
    expect(changed).toMatchObject({
      name: 'changed',
      info: all,
      create_user: 'admin',
      modify_user: 'amy',
      bk_biz_id: business,
    })
    expect(Date.parse(changed.last_time as string)).toBeGreaterThanOrEqual(Date.parse(changed.create_time as string))
    const info = infoOf(entry('host'))
    await update(id, { info })
    expect((await detail(id)).data).toMatchObject({ name: 'changed', info, modify_user: 'admin' })
    await refuses(server, 1199011, 'condition[0].bk_obj_id', () => update(id, { info: infoOf(entry('rack')) }))
  })

  it('requires unique names within a business only, compared exactly', async () => {
    const id = await saveQuery(server, business, all, 'taken')
    await refuses(server, 1199014, 'name', () => createQuery(server, business, all, 'taken'))
    const free = await saveQuery(server, business, all, 'Taken')
    await saveQuery(server, other, all, 'taken')
    await refuses(server, 1199014, 'name', () => update(free, { name: 'taken' }))
    expect(await remove(id)).toMatchObject({ status: 200, result: true, data: null })
    expect((await update(free, { name: 'taken' })).result).toBe(true)
  })

  it('belongs to its business: unknown through any other, and unknown after deletion', async () => {
    const id = await saveQuery(server, business, all)
    for (const [which, of] of [
      [id, other],
      [id, 99_999],
      ['c0ffee00000000000000', business],
      ['x', business],
    ] as const) {
      const path = `/userapi/${of}/${which}`
      await refuses(server, 1199019, 'No relevant data', () => detail(which, of))
      await refuses(server, 1199019, 'No relevant data', () => server.call('PUT', path, { name: 'mine' }))
      await refuses(server, 1199019, 'No relevant data', () => server.call('PUT', path, { name: 7 }))
      await refuses(server, 1199019, 'No relevant data', () => remove(which, of))
      await refuses(server, 1199019, 'No relevant data', () => runQuery(server, of, which))
    }
    expect((await remove(id)).result).toBe(true)
    await refuses(server, 1199019, 'No relevant data', () => remove(id))
  })

  it('is found by any literal part of its name, and by equality of the other attributes', async () => {
    const of = await makeBusiness(server)
    const names = ['100% web', '100 web', 'a_b', 'axb', 'c\\d', 'CD', 'web']
    const ids: string[] = []
    for (const name of names) ids.push(await saveQuery(server, of, all, name))
    const put = (id: unknown, body: object) => server.call('PUT', `/userapi/${of}/${id}`, body, { BK_User: 'amy' })
    await put(ids[6], { info: infoOf(entry('host')) })
    const found = async (body: unknown) => {
      const { data } = await search(body, of)
      return data.info.map((query) => query.name)
    }
    for (const body of [{}, { condition: null }, { condition: {} }, { condition: { name: '' } }]) {
      expect(await found(body)).toEqual(names)
    }
    expect(await found({ condition: { name: 'web' } })).toEqual(['100% web', '100 web', 'web'])
    expect(await found({ condition: { name: '%' } })).toEqual(['100% web'])
    expect(await found({ condition: { name: '_' } })).toEqual(['a_b'])
    expect(await found({ condition: { name: '\\' } })).toEqual(['c\\d'])
    expect(await found({ condition: { name: 'cd' } })).toEqual([])
    expect(await found({ condition: { name: { $regex: '^.x?b' } } })).toEqual(['axb'])
    expect(await found({ condition: { $or: [{ name: 'x' }, { name: 'C' }] } })).toEqual(['axb', 'CD'])
    expect(await found({ condition: { modify_user: 'amy' } })).toEqual(['web'])
    expect(await found({ condition: { modify_user: 'am' } })).toEqual([])
    expect(await found({ condition: { create_user: { $ne: 'admin' } } })).toEqual([])
    expect(await found({ condition: { id: { $in: [ids[1], ids[3]] } } })).toEqual(['100 web', 'axb'])
    expect(await found({ condition: { name: 'web', modify_user: '' }, sort: '-name' })).toEqual(['100% web', '100 web'])
    const page = await search({ start: 2, limit: 3 }, of)
    expect(page.data).toMatchObject({ count: 7, info: [{ name: 'a_b' }, { name: 'axb' }, { name: 'c\\d' }] })
    expect(Object.keys(page.data.info[0] ?? {})).toHaveLength(8)
    expect((await search({ start: 99 }, of)).data).toEqual({ count: 7, info: [] })
    await refuses(server, 1199011, 'colour', () => search({ condition: { colour: 1 } }, of))
    await refuses(server, 1199011, 'sort', () => search({ sort: 'colour' }, of))
    await refuses(server, 1199059, '200', () => search({ limit: 201 }, of))
    await refuses(server, 1199006, 'start', () => search({ start: -1 }, of))
    await refuses(server, 1199019, 'No relevant data', () => search({}, 99_999))
  })

  it('is recorded when it is created, changed and deleted, also with its business', async () => {
    const of = await makeBusiness(server)
    const [id, left] = [await saveQuery(server, of, all, 'recorded'), await saveQuery(server, of, all, 'left')]
    await server.call('PUT', `/userapi/${of}/${id}`, { name: 'renamed' })
    await remove(id, of)
    expect((await server.call('DELETE', `/biz/0/${of}`)).result).toBe(true)
    const { info } = (await findRecords(server, { bk_biz_id: of, op_target: 'userapi' })).data
    const told = info.map((row) => [row.op_type, row.op_desc, row.content.pre_data?.name, row.content.cur_data?.name])
    expect(told).toEqual([
      [1, 'create custom query', undefined, 'recorded'],
      [1, 'create custom query', undefined, 'left'],
      [2, 'update custom query', 'recorded', 'renamed'],
      [3, 'delete custom query', 'renamed', undefined],
      [3, 'delete custom query', 'left', undefined],
    ])
    expect((await stored(server)).queries.filter((row) => row.id === left)).toEqual([])
  })

  it('can be changed with customapi, and read and run by anyone', async () => {
    const id = await saveQuery(server, business, all)
    const [amy, bob] = [{ BK_User: 'amy' }, { BK_User: 'bob' }]
    await refuses(server, 9900403, 'customapi', () => createQuery(server, business, all, 'bob’s', bob))
    await refuses(server, 9900403, 'customapi', () => update(id, { name: 'bob’s' }, bob))
    const path = `/userapi/${business}/${id}`
    await refuses(server, 9900403, 'customapi', () => server.call('DELETE', path, undefined, bob))
    expect((await runQuery(server, business, id, {}, bob)).result).toBe(true)
    expect((await server.call('POST', `/userapi/search/${business}`, {}, bob)).result).toBe(true)
    await refuses(server, 9900403, 'administrators', () => runQuery(server, business, id, { explain: 'true' }, amy))
    const asks = () => server.call('POST', `/userapi/preview/${business}?explain=true`, { info: all }, amy)
    await refuses(server, 9900403, 'administrators', asks)
    expect((await preview(server, business, all, {}, amy)).result).toBe(true)
    expect((await server.call('DELETE', path, undefined, amy)).result).toBe(true)
  })
})
