import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { makeHost, makeShop, type Shop } from '../../../testing/data/hosts.ts'
import { makeInstance, makeModule, putLevel } from '../../../testing/data/levels.ts'
import { createQuery, entry, type Filter, infoOf, preview, runQuery, saveQuery } from '../../../testing/data/queries.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { putAttribute, refuses } from '../../../testing/inspect/rows.ts'

/** Results of running a query. */
eachEngine((engine) => {
  let server: TestServer
  let mail: Shop
  let business: number
  const set: Record<string, number> = {}
  const module: Record<string, number> = {}
  const host: Record<string, number> = {}
  beforeAll(async () => {
    server = await startServer(engine)
    mail = await makeShop(server)
    await putLevel(server, 'region')
    await putAttribute(server, 'region', { attribute_id: 'grade', type: 'int' })
    await putAttribute(server, 'host', { attribute_id: 'rack', type: 'singlechar' })
    business = await makeBusiness(server, 'game')
    const above = { bk_biz_id: business, bk_parent_id: business }
    const north = await makeInstance(server, 'region', { ...above, bk_inst_name: 'north', grade: 3 })
    for (const [name, env, capacity] of [
      ['east', '1', 10],
      ['west', '3', null],
    ] as const) {
      const own = { bk_parent_id: north, bk_set_name: name, bk_set_env: env, bk_capacity: capacity }
      set[name] = await makeSet(server, business, own)
      for (const each of ['web', 'db']) {
        module[`${name} ${each}`] = await makeModule(server, business, set[name] as number, each)
      }
    }
    const put = async (name: string, modules: string[], more: object = {}) => {
      const ids = modules.map((each) => module[each] as number)
      const place = modules.length > 0 ? { business, modules: ids } : { business }
      host[name] = await makeHost(server, place, { bk_host_name: name, ...more })
    }
    await put('a', ['east web'], { bk_mem: 8, bk_os_type: '1', rack: 'r1' })
    await put('b', ['west db', 'east db', 'east web'], { bk_mem: 16, rack: 'r2' })
    await put('c', ['west web'], { bk_os_type: '2' })
    await put('d', [])
    await makeHost(server, { business: mail.business, modules: [mail.web] }, { bk_host_name: 'e', bk_mem: 8 })
  })
  afterAll(() => server.close())

  const rows = async (...entries: unknown[]) => {
    const answer = await preview(server, business, infoOf(...entries))
    expect([answer.result, answer.bk_error_msg]).toEqual([true, ''])
    expect(answer.data.count).toBe(answer.data.info.length)
    return answer.data.info
  }
  const nameField = entry('host', [], ['bk_host_name'])
  const named = async (...entries: unknown[]) =>
    (await rows(nameField, ...entries)).map((row) => row.host.bk_host_name).join('')
  const by = (kind: string, ...filters: Filter[]) => named(entry(kind, filters))

  it('answers one row per host of the business, ordered by id, with the selected kinds', async () => {
    const id = await saveQuery(server, business, infoOf(nameField))
    const { data } = await runQuery(server, business, id)
    const row = (name: string) => ({
      biz: {},
      set: {},
      module: {},
      host: { bk_host_id: host[name], bk_host_name: name },
    })
    expect(data).toEqual({ count: 4, info: ['a', 'b', 'c', 'd'].map(row) })
    expect((await runQuery(server, business, id, { start: 1, limit: 2 })).data).toEqual({
      count: 4,
      info: ['b', 'c'].map(row),
    })
    expect((await runQuery(server, business, id, { start: 9 })).data).toEqual({ count: 4, info: [] })
    expect(await rows()).toEqual(['a', 'b', 'c', 'd'].map(() => ({ biz: {}, set: {}, module: {}, host: {} })))
  })

  it('joins the values of several sets and modules, ordered by id; a single one keeps its types', async () => {
    const fields = ['bk_capacity', 'bk_set_name', 'bk_set_env', 'default']
    const found = await rows(entry('set', [], fields), entry('module', [], ['bk_module_name', 'bk_set_id']))
    const [a, b, , d] = found.map(({ set, module }) => ({ set, module }))
    expect(a).toEqual({
      set: { bk_set_id: set.east, bk_capacity: 10, bk_set_name: 'east', bk_set_env: '1', default: 0 },
      module: { bk_module_id: module['east web'], bk_module_name: 'web', bk_set_id: set.east },
    })
    expect(b).toEqual({
      set: {
        bk_set_id: `${set.east},${set.west}`,
        bk_capacity: '10,',
        bk_set_name: 'east,west',
        bk_set_env: '1,3',
        default: '0,0',
      },
      module: {
        bk_module_id: [module['east web'], module['east db'], module['west db']].join(','),
        bk_module_name: 'web,db,db',
        bk_set_id: [set.east, set.east, set.west].join(','),
      },
    })
    expect(d).toMatchObject({ set: { default: 1, bk_capacity: null }, module: { bk_module_name: 'idle machine' } })
    const chinese = await preview(
      server,
      business,
      infoOf(entry('module', [], ['bk_module_name'])),
      {},
      { HTTP_BLUEKING_LANGUAGE: 'zh-cn' },
    )
    expect(chinese.data.info[3]?.module.bk_module_name).toBe('空闲机')
  })

  it('shows all attributes of a kind without fields, always its id, and the fields of all entries of the kind', async () => {
    const [a] = await rows(
      entry('host'),
      entry('biz'),
      entry('set', [], ['description']),
      entry('set', [], ['bk_set_env']),
    )
    expect(a?.host).toMatchObject({ bk_host_id: host.a, bk_mem: 8, rack: 'r1', bk_comment: '', bk_cpu: null })
    expect(a?.biz).toMatchObject({ bk_biz_id: business, bk_biz_name: 'game', bk_biz_maintainer: 'amy', default: 0 })
    expect(a?.set).toEqual({ bk_set_id: set.east, description: '', bk_set_env: '1' })
    const [all] = await rows(entry('set', [], ['description']), entry('set'))
    expect(Object.keys(all?.set ?? {}).length).toBeGreaterThan(8)
  })

  it('accepts both spellings of "not equal", numbers and texts, lists and comma lists, as spec.md says', async () => {
    for (const unequal of ['$ne', '$neq']) {
      expect(await by('host', ['bk_mem', unequal, '8'])).toBe('bcd')
      expect(await by('host', ['bk_os_type', unequal, 1])).toBe('bcd')
      expect(await by('set', ['bk_set_name', unequal, 'east'])).toBe('bcd')
    }
    for (const value of [8, '8', ' 8 ', '8.0']) expect(await by('host', ['bk_mem', '$eq', value])).toBe('a')
    for (const list of [[8, '16'], '8,16', ' 8 , 16']) expect(await by('host', ['bk_mem', '$in', list])).toBe('ab')
    expect(await by('host', ['bk_mem', '$nin', '8,16'])).toBe('cd')
    expect(await by('host', ['bk_os_type', '$in', [1, '2']])).toBe('ac')
    expect(await by('host', ['rack', '$in', 'r1,r2'], ['bk_mem', '$gt', 8])).toBe('b')
    expect(await by('module', ['bk_module_name', '$in', '空闲机'])).toBe('d')
    expect(await by('biz', ['bk_biz_name', '$eq', 'game'])).toBe('abcd')
    expect(await by('biz', ['bk_biz_name', '$ne', 'game'])).toBe('')
  })

  it('requires one placement to satisfy all conditions on sets, modules and levels, and all entries of a kind', async () => {
    const at = (name: string, inSet: string) =>
      named(entry('module', [['bk_module_name', '$eq', name]]), entry('set', [['bk_set_name', '$eq', inSet]]))
    expect(await at('web', 'east')).toBe('ab')
    expect(await at('web', 'west')).toBe('c')
    expect(await at('db', 'west')).toBe('b')
    expect(
      await named(entry('set', [['bk_set_name', '$eq', 'east']]), entry('set', [['bk_set_name', '$eq', 'west']])),
    ).toBe('')
    expect(await by('object', ['bk_inst_name', '$eq', 'north'])).toBe('abc')
    expect(await by('object', ['grade', '$gte', '3'], ['bk_inst_name', '$regex', '^n'])).toBe('abc')
    expect(
      await named(entry('object', [['grade', '$eq', 3]]), entry('object', [['bk_inst_name', '$ne', 'north']])),
    ).toBe('')
  })

  it('never leaves the business of its path, whatever its definition says', async () => {
    const { business: elsewhere } = mail
    const filters: Filter[][] = [
      [['bk_biz_id', '$eq', elsewhere]],
      [['bk_biz_id', '$in', [elsewhere, 1]]],
      [['bk_biz_id', '$ne', business]],
    ]
    for (const each of filters) {
      expect(await named(entry('biz', each))).toBe('')
      expect(await named(entry('set', each))).toBe('')
      expect(await named(entry('module', each))).toBe('')
    }
    expect(await by('module', ['bk_module_id', '$eq', mail.web])).toBe('')
    expect(await by('host', ['bk_host_name', '$eq', 'e'])).toBe('')
    const info = { bk_biz_id: elsewhere, condition: [{ ...nameField, bk_biz_id: elsewhere }] }
    const widened = await preview(server, business, info, { bk_biz_id: elsewhere })
    expect(widened.data.info.map((row) => row.host.bk_host_name).join('')).toBe('abcd')
  })

  it('sorts by the page of the query, and can continue after a host only if ordered by id', async () => {
    const sorted = async (sort: unknown) => {
      const { data } = await preview(server, business, { condition: [nameField], page: { sort, start: 3 } })
      return data.info.map((row) => row.host.bk_host_name).join('')
    }
    expect(await sorted('-bk_mem,bk_host_name')).toBe('bacd')
    expect(await sorted('bk_mem,-bk_host_name')).toBe('dcab')
    expect(await sorted('')).toBe('abcd')
    const plain = await saveQuery(server, business, infoOf(nameField))
    const behind = await runQuery(server, business, plain, { after: host.b as number, limit: 1 })
    expect(behind.data).toMatchObject({ count: 4, info: [{ host: { bk_host_name: 'c' } }] })
    const info = JSON.stringify({ condition: [], page: { sort: 'bk_mem' } })
    const id = await saveQuery(server, business, info)
    await refuses(server, 1199006, 'after', () => runQuery(server, business, id, { after: 1 }))
    await refuses(server, 1199009, 'after', () => runQuery(server, business, id, { after: 'x' }))
  })

  it('shows administrators its statements, their plans and times', async () => {
    for (const filter of [
      ['bk_mem', '$eq', 8],
      ['bk_host_name', '$regex', '^a$'],
    ] as Filter[]) {
      const id = await saveQuery(server, business, infoOf(entry('host', [filter])))
      const { data } = await runQuery(server, business, id, { explain: 'true' })
      expect(data).toMatchObject({ count: 1, info: [{ host: { bk_host_name: 'a' } }] })
      const statements = data.explain?.statements ?? []
      expect(statements.map((each) => each.what)).toContain('page')
      for (const { sql, plan, milliseconds } of statements) {
        expect(sql).toMatch(/^select /i)
        expect(plan.join('\n')).toMatch(/host/)
        expect(milliseconds).toBeGreaterThan(0)
      }
    }
  })

  it('answers the current result: hosts added, changed or deleted since the last run', async () => {
    const id = await saveQuery(server, business, infoOf(entry('host', [['rack', '$eq', 'r9']], ['bk_host_name'])))
    const run = async () => (await runQuery(server, business, id)).data.info.map((row) => row.host.bk_host_name)
    expect([await run(), await run()]).toEqual([[], []])
    const late = await makeHost(server, { business }, { bk_host_name: 'late', rack: 'r9' })
    expect(await run()).toEqual(['late'])
    await server.call('PUT', '/hosts/batch', { bk_host_id: late, bk_host_name: 'later' })
    expect(await run()).toEqual(['later'])
    await server.call('POST', '/hosts/modules/resource', { bk_biz_id: business, bk_host_id: [late] })
    expect(await run()).toEqual([])
  })

  it('fails if an attribute it names was deleted since it was saved', async () => {
    type Attribute = { id: number }
    const own = {
      bk_obj_id: 'host',
      bk_property_id: 'shelf',
      bk_property_name: 'Shelf',
      bk_property_type: 'singlechar',
    }
    const attribute = await server.call<Attribute>('POST', '/object/attr', own)
    const filtered = await saveQuery(server, business, infoOf(entry('host', [['shelf', '$eq', '1']])))
    const shown = await saveQuery(server, business, infoOf(entry('host', [], ['shelf'])))
    expect((await runQuery(server, business, filtered)).data.count).toBe(0)
    expect((await server.call('DELETE', `/object/attr/${attribute.data.id}`)).result).toBe(true)
    await refuses(server, 1199011, 'condition[0].condition[0].field', () => runQuery(server, business, filtered))
    await refuses(server, 1199011, 'condition[0].fields[0]', () => runQuery(server, business, shown))
    const again = () => createQuery(server, business, infoOf(entry('host', [], ['shelf'])))
    await refuses(server, 1199011, 'condition[0].fields[0]', again)
  })
})
