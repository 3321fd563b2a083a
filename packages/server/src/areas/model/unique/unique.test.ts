import type { model, uniques } from '@mainline/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeInstance } from '../../../testing/data/associations.ts'
import { findRecords, makeBusiness, makeSet, setBody } from '../../../testing/data/factories.ts'
import { addRows, freshAddress, makeHost, readHost } from '../../../testing/data/hosts.ts'
import { define, putSets } from '../../../testing/data/searchable.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { refuses } from '../../../testing/inspect/rows.ts'

eachEngine((engine) => {
  let server: TestServer
  let business: number
  const ids = new Map<string, number>()
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
    for (const object of ['bk_switch', 'bk_router', 'host', 'set']) {
      for (const name of ['serial', 'slot'])
        ids.set(`${object}.${name}`, await define(server, object, name, 'singlechar'))
    }
  })
  afterAll(() => server.close())

  const path = (object: string, rest: string) => `/object/${object}/unique/${rest}`
  const keys = (object: string, ...names: string[]) =>
    names.map((name) => ({ key_kind: 'property', key_id: ids.get(`${object}.${name}`) }))
  const create = (object: string, names: string[], must_check = false) =>
    server.call<uniques.UniqueRuleRecord>('POST', path(object, 'action/create'), {
      keys: keys(object, ...names),
      must_check,
    })
  const made = async (object: string, ...names: string[]) => {
    const answer = await create(object, names)
    expect(answer).toMatchObject({ result: true, data: { bk_unique_state: 'enforced', ispre: false } })
    return answer.data.id
  }
  const remove = (object: string, id: number) => server.call('DELETE', path(object, `${id}/action/delete`))
  const ruleOf = async (object: string, id: number) => {
    const { data } = await server.call<uniques.UniqueRuleRecord[]>('GET', path(object, 'action/search'))
    return data.find((rule) => rule.id === id)
  }
  const add = (object: string, name: string, more: object) =>
    server.call('POST', `/inst/0/${object}`, { bk_inst_name: name, ...more })

  it('no two instances have the same values; one without a value is free, unless the rule says otherwise', async () => {
    const first = await makeInstance(server, 'bk_switch', 'a', { serial: 's1', slot: '1' })
    const id = await made('bk_switch', 'slot', 'serial')
    await refuses(server, 1199014, 'serial + slot', () => add('bk_switch', 'b', { serial: 's1', slot: '1' }))
    expect(await add('bk_switch', 'b', { serial: 's1', slot: '2' })).toMatchObject({ result: true })
    expect(await add('bk_switch', 'c', { serial: 's1' })).toMatchObject({ result: true })
    const second = await makeInstance(server, 'bk_switch', 'd', { serial: 's1' })
    await refuses(server, 1199014, 'serial', () => server.call('PUT', `/inst/0/bk_switch/${second}`, { slot: '1' }))
    await refuses(server, 1101160, `bk_switch`, () =>
      server.call('PUT', path('bk_switch', `${id}/action/update`), { must_check: true }),
    )
    expect(await server.call('DELETE', `/inst/0/bk_switch/${first}`)).toMatchObject({ result: true })
    expect(await server.call('PUT', `/inst/0/bk_switch/${second}`, { slot: '1' })).toMatchObject({ result: true })
    expect(await remove('bk_switch', id)).toMatchObject({ result: true })
    expect(await add('bk_switch', 'e', { serial: 's1', slot: '1' })).toMatchObject({ result: true })
  })

  it('is refused when instances violate it already, and names them', async () => {
    const twins = [
      await makeInstance(server, 'bk_router', 'one', { serial: 'same' }),
      await makeInstance(server, 'bk_router', 'two', { serial: 'same' }),
    ]
    await refuses(server, 1101160, `bk_router ${twins[0]} = ${twins[1]} (serial same)`, () =>
      create('bk_router', ['serial']),
    )
  })

  it('holds for concurrent requests', async () => {
    const id = await made('bk_router', 'slot')
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => add('bk_router', `r${n}`, { slot: 'contested' })),
    )
    expect(answers.filter((answer) => answer.result)).toHaveLength(1)
    expect(new Set(answers.map((answer) => answer.bk_error_code))).toEqual(new Set([0, 1199014]))
    await remove('bk_router', id)
  })

  it('is checked row by row when hosts are added, and hosts may exchange values', async () => {
    const id = await made('host', 'serial')
    const [one, other] = [freshAddress(), freshAddress()]
    const host = await makeHost(server, {}, { bk_host_innerip: one, serial: 'x' })
    const told = await addRows(server, {
      1: { bk_host_innerip: freshAddress(), serial: 'x' },
      2: { bk_host_innerip: freshAddress(), serial: 'y' },
      3: { bk_host_innerip: freshAddress(), serial: 'y' },
      4: { bk_host_innerip: other, serial: 'z' },
    })
    expect(told.data.success).toEqual(['2', '4'])
    expect(told.data.error).toEqual([expect.stringMatching(/^1: .*serial/), expect.stringMatching(/^3: .*serial/)])
    const swapped = await addRows(server, {
      1: { bk_host_innerip: one, serial: 'z' },
      2: { bk_host_innerip: other, serial: 'x' },
    })
    expect(swapped.data).toMatchObject({ success: ['1', '2'] })
    expect((await readHost(server, host)).serial).toBe('z')
    const both = `${host},${told.data.hosts[2]}`
    await refuses(server, 1199014, 'serial', () =>
      server.call('PUT', '/hosts/batch', { bk_host_id: both, serial: 'q' }),
    )
    await remove('host', id)
  })

  it('exempts built-in instances: every business has the same', async () => {
    const attributes = await server.call<model.AttributeRecord[]>('POST', '/object/attr/search', {
      bk_obj_id: 'module',
    })
    const named = attributes.data.find((each) => each.bk_property_id === 'bk_module_name')
    const rule = { keys: [{ key_kind: 'property', key_id: named?.id }], must_check: true }
    const unique = await server.call<uniques.UniqueRuleRecord>('POST', path('module', 'action/create'), rule)
    expect(unique).toMatchObject({ result: true })
    const next = await makeBusiness(server)
    const sets = [await makeSet(server, next), await makeSet(server, business)]
    const create = (biz: number, set?: number) =>
      server.call('POST', `/module/${biz}/${set}`, { bk_module_name: 'only', bk_parent_id: set })
    expect(await create(next, sets[0])).toMatchObject({ result: true })
    await refuses(server, 1199014, 'bk_module_name', () => create(business, sets[1]))
    await remove('module', unique.data.id)
  })

  it('keeps its attributes from being deleted, exists once, and is recorded', async () => {
    const id = await made('host', 'slot')
    await refuses(server, 1199014, 'keys', () => create('host', ['slot']))
    await refuses(server, 1101165, '', () => server.call('DELETE', `/object/attr/${ids.get('host.slot')}`))
    await refuses(server, 1199011, 'keys', () =>
      server.call('POST', path('host', 'action/create'), { keys: [{ key_kind: 'property', key_id: 999_999 }] }),
    )
    await refuses(server, 1199019, '', () => remove('bk_router', id))
    const { info } = (await findRecords(server, { op_target: 'model', op_desc: 'create unique rule' })).data
    expect(info.at(-1)).toMatchObject({ op_type: 1 })
    await remove('host', id)
  })

  it('checks many instances in the background, with progress, and names duplicates it finds late', async () => {
    await putSets(server, business, 1_200, `'{"serial":"' || i || '","slot":"' || (i % 1150) || '"}'`, 1_000_000)
    const good = await create('set', ['serial'])
    expect(good.data).toMatchObject({ bk_unique_state: 'checking', bk_checked: 500 })
    await expect
      .poll(async () => (await ruleOf('set', good.data.id))?.bk_unique_state, { timeout: 20_000 })
      .toBe('enforced')
    expect((await ruleOf('set', good.data.id))?.bk_checked).toBeGreaterThanOrEqual(1_200)
    const bad = await create('set', ['slot'])
    await expect
      .poll(async () => (await ruleOf('set', bad.data.id))?.bk_unique_state, { timeout: 20_000 })
      .toBe('refused')
    expect((await ruleOf('set', bad.data.id))?.bk_duplicates).toMatch(/^set \d+ = \d+ \(slot \d+\)/)
    await makeSet(server, business, { slot: '7' })
    await remove('set', bad.data.id)
    const cancelled = await create('set', ['slot', 'serial'])
    expect(await remove('set', cancelled.data.id)).toMatchObject({ result: true })
    await refuses(server, 1199014, 'serial', () =>
      server.call('POST', `/set/${business}`, setBody(business, { serial: '900' })),
    )
  })
})
