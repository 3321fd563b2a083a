import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { makeHost, makeShop, type Shop, searchHosts } from '../../../testing/data/hosts.ts'
import { makeInstance, makeModule, putLevel, whileLevelComesAndGoes } from '../../../testing/data/levels.ts'
import { entry, type Filter } from '../../../testing/data/queries.ts'
import { configOf, eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { putAttribute, refuses } from '../../../testing/inspect/rows.ts'
import { answerSearch } from './answer.ts'

const chinese = { HTTP_BLUEKING_LANGUAGE: 'zh-cn' }

eachEngine((engine) => {
  let server: TestServer
  let mail: Shop
  let business: number
  let region: number
  let area: number
  /** Hosts by name. */
  const named: Record<string, number> = {}
  beforeAll(async () => {
    server = await startServer(engine)
    mail = await makeShop(server, 'mail')
    await putLevel(server, 'region')
    await putAttribute(server, 'region', { attribute_id: 'grade', type: 'int' })
    business = await makeBusiness(server, 'game')
    const level = (bk_inst_name: string, grade: number) =>
      makeInstance(server, 'region', { bk_biz_id: business, bk_parent_id: business, bk_inst_name, grade })
    region = await level('north', 1)
    const south = await level('south', 2)
    area = await makeInstance(server, 'plat', { bk_cloud_name: 'east' })
    const one = await makeSet(server, business, { bk_parent_id: region, bk_set_name: 'one', bk_set_env: '1' })
    const two = await makeSet(server, business, { bk_parent_id: south, bk_set_name: 'two' })
    const at = async (set: number, name: string) => makeModule(server, business, set, name)
    const [web1, db1, web2] = [await at(one, 'web'), await at(one, 'db'), await at(two, 'web')]
    const put = async (name: string, place: object, more: object) => {
      named[name] = await makeHost(server, place, { bk_host_name: name, ...more })
    }
    const of = (...modules: number[]) => ({ business, modules })
    await put('a', of(web1), {
      bk_host_innerip: '10.1.0.1',
      bk_host_outerip: '8.8.8.1',
      bk_mem: 4,
      operator: 'amy,bob',
    })
    await put('b', of(db1), { bk_host_innerip: '10.1.0.2,2001:db8::b', bk_mem: 16, operator: 'bob' })
    await put('c', of(db1, web2), { bk_host_innerip: '10.1.0.11', bk_mem: 8 })
    await put('d', { business }, { bk_host_innerip: '10.1.0.1', bk_cloud_id: area, bk_os_type: '2' })
    await put('e', { business: mail.business, modules: [mail.web] }, { bk_host_innerip: '10.2.0.1' })
    await put('f', {}, { bk_host_innerip: '10.3.0.1', bk_host_outerip: '8.8.4.1, 2001:DB8:0::F' })
  })
  afterAll(() => server.close())

  const found = async (body: Record<string, unknown>) => {
    const { data, bk_error_msg, result } = await searchHosts(server, body)
    expect([result, bk_error_msg]).toEqual([true, ''])
    expect(data.count).toBe(data.info.length)
    return data.info.map((row) => row.host.bk_host_name).join('')
  }
  const by = (kind: string, ...filters: Filter[]) => found({ condition: [entry(kind, filters)] })
  const refused = (code: number, saying: string, body: Record<string, unknown>) =>
    refuses(server, code, saying, () => searchHosts(server, body))

  it('finds hosts by their attributes', async () => {
    expect(await by('host')).toBe('abcdef')
    expect(await by('host', ['bk_mem', '$gte', '8'])).toBe('bc')
    expect(await by('host', ['bk_mem', '$ne', 8])).toBe('abdef')
    expect(await by('host', ['bk_mem', '$exists', true], ['bk_mem', '$lt', 10])).toBe('ac')
    expect(await by('host', ['operator', '$eq', 'bob'])).toBe('ab')
    expect(await by('host', ['bk_os_type', '$in', '2,3'])).toBe('d')
    expect(await by('host', ['bk_host_name', '$regex', '^[ace]$'])).toBe('ace')
    expect(await by('host', ['bk_host_id', '$in', [named.a, named.f]])).toBe('af')
    expect(await by('host', ['bk_host_innerip', '$eq', '10.1.0.1'])).toBe('ad')
    expect(await by('host', ['bk_host_innerip', '$nin', ['10.1.0.1', '2001:DB8:0:0::B']])).toBe('cef')
    expect(await by('host', ['bk_host_innerip', '$in', '10.1.0.11, 2001:0db8::b'])).toBe('bc')
    expect(await by('host', ['create_time', '$gt', '2099-01-01 00:00:00'])).toBe('')
  })

  it('finds hosts by placement: one module must satisfy all conditions on business, set, module and level', async () => {
    expect(await by('biz', ['bk_biz_name', '$eq', 'game'])).toBe('abcd')
    expect(await by('biz', ['bk_biz_id', '$nin', [business, 1]])).toBe('e')
    expect(await by('set', ['bk_set_env', '$eq', 1])).toBe('abc')
    expect(await by('module', ['bk_module_name', '$eq', 'web'])).toBe('ace')
    expect(await by('object', ['bk_inst_id', '$eq', region])).toBe('abc')
    expect(await by('object', ['grade', '$gt', 1])).toBe('c')
    expect(await by('object', ['bk_inst_name', '$ne', 'north'])).toBe('c')
    expect(await by('plat', ['bk_cloud_name', '$eq', 'east'])).toBe('d')
    expect(await by('plat', ['bk_cloud_id', '$ne', area])).toBe('abcef')
    // c is in db of one and in web of two, but not in web of one.
    const both = [entry('set', [['bk_set_name', '$eq', 'one']]), entry('module', [['bk_module_name', '$eq', 'web']])]
    expect(await found({ condition: both })).toBe('a')
    const level = [entry('object', [['bk_inst_name', '$eq', 'south']]), entry('set', [['bk_set_name', '$eq', 'one']])]
    expect(await found({ condition: level })).toBe('')
    const twice = [entry('host', [['bk_mem', '$gt', 4]]), entry('host', [['bk_mem', '$lt', 16]])]
    expect(await found({ condition: twice, bk_biz_id: business })).toBe('c')
  })

  it('searches one business if it is given, and all for 0, -1 or none', async () => {
    expect(await found({ bk_biz_id: `${business}` })).toBe('abcd')
    for (const all of [0, -1, null, '', undefined]) expect(await found({ bk_biz_id: all })).toBe('abcdef')
    await refused(1199011, 'bk_biz_id', { bk_biz_id: 99_999 })
    await refused(1199009, 'bk_biz_id', { bk_biz_id: 'game' })
  })

  it('finds hosts by whole addresses or by a part, inner or outer', async () => {
    const at = (data: string[], exact: 0 | 1, flag?: string) => found({ ip: { data, exact, flag } })
    expect(await at([], 1)).toBe('abcdef')
    expect(await at(['10.1.0.1'], 1)).toBe('ad')
    expect(await at(['10.1.0.1'], 0)).toBe('acd')
    expect(await at(['10.1.0.11, 10.2.0.1', ''], 1)).toBe('ce')
    expect(await at(['8.8.8.1'], 1, 'bk_host_innerip')).toBe('')
    expect(await at(['8.8.8.1'], 1, 'bk_host_outerip')).toBe('a')
    expect(await at(['8.8.8.1', '2001:0DB8:0::B'], 1, 'bk_host_innerip|bk_host_outerip')).toBe('ab')
    expect(await at(['2001:DB8:0::F'], 1, 'bk_host_outerip')).toBe('f')
    expect(await at(['2001:db8::f'], 1)).toBe('f')
    expect(await by('host', ['bk_host_outerip', '$in', ['2001:0db8::f', '8.8.8.1']])).toBe('af')
    expect(await at(['10.%', '_', '\\'], 0)).toBe('')
    expect(await found({ ip: { data: ['10.1.0.1'] }, condition: [entry('plat', [['bk_cloud_id', '$eq', 0]])] })).toBe(
      'a',
    )
    await refused(1199006, 'ip.flag', { ip: { data: ['1'], flag: 'bk_mac' } })
    await refused(1199006, 'ip.exact', { ip: { data: ['1'], exact: 2 } })
    await refused(1199035, '200', { ip: { data: Array.from({ length: 201 }, (_, index) => `${index}`), exact: 0 } })
    const many = '::1,'.repeat(10_001)
    await refused(1199035, 'ip.data exceed the limit 10000', { ip: { data: [many] } })
    const filter = entry('host', [['bk_host_innerip', '$in', many]])
    await refused(1199035, 'bk_host_innerip exceed the limit 10000', { condition: [filter] })
    const fields = Array.from({ length: 251 }, (_, index) => `field ${index}`)
    const more = fields.map((name) => `another ${name}`)
    await refused(1199035, 'condition[1].fields exceed the limit 500', {
      condition: [entry('module', [], fields), entry('module', [], more)],
    })
  })

  it('sorts by any field of the host and pages with the full count', async () => {
    const names = async (page: object) => {
      const { data } = await searchHosts(server, { bk_biz_id: business, page })
      expect(data.count).toBe(4)
      return data.info.map((row) => row.host.bk_host_name).join('')
    }
    expect(await names({ sort: 'bk_mem' })).toBe('dacb')
    expect(await names({ sort: '-bk_mem,bk_host_id' })).toBe('bcad')
    expect(await names({ sort: 'bk_host_innerip,-bk_host_id' })).toBe('dacb')
    expect(await names({ sort: '-bk_host_id', start: 1, limit: 2 })).toBe('cb')
    expect(await names({ start: 9 })).toBe('')
    expect(await names({ after: named.b })).toBe('cd')
    expect(await names({ after: named.b, limit: 1 })).toBe('c')
    await refused(1199006, 'after', { page: { after: 1, sort: 'bk_mem' } })
    await refused(1199006, 'page.after', { page: { after: 2 ** 63 } })
    await refused(1199011, 'sort', { page: { sort: 'colour' } })
    await refused(1199059, '200', { page: { limit: 201 } })
  })

  it('shows each module with its whole path; built-in names are shown in the language of the caller and found in both', async () => {
    const condition = [entry('host', [['bk_host_name', '$eq', 'c']])]
    const [c] = (await searchHosts(server, { condition })).data.info
    expect(c?.biz).toMatchObject([{ bk_biz_id: business, bk_biz_name: 'game' }])
    expect(c?.set.map((set) => set.bk_set_name)).toEqual(['one', 'two'])
    expect(c?.module.map((module) => module.TopModuleName)).toEqual(['game##one##db', 'game##two##web'])
    const idle = {
      bk_biz_id: 0,
      condition: [entry('module', [['bk_module_name', '$eq', '空闲机']], ['bk_module_name'])],
    }
    const [, f] = (await searchHosts(server, idle, chinese)).data.info
    expect(f).toMatchObject({ biz: [{ bk_biz_name: '资源池' }], set: [{ bk_set_name: '空闲机池' }] })
    expect(f?.module).toEqual([
      { bk_module_id: 1, bk_module_name: '空闲机', TopModuleName: '资源池##空闲机池##空闲机' },
    ])
    const english = await searchHosts(server, idle)
    expect(english.data.info[1]?.module[0]?.TopModuleName).toBe('resource pool##idle pool##idle machine')
    const withPath = [...condition, entry('module', [], ['bk_module_name', 'bk_path'])]
    const [d] = (await searchHosts(server, { condition: withPath })).data.info
    expect(d?.module.map((module) => module.bk_path)).toEqual(['north##one##db', 'south##two##web'])
    expect(await by('biz', ['bk_biz_name', '$in', ['resource pool', 'mail']])).toBe('ef')
    expect(await by('plat', ['bk_cloud_name', '$eq', '默认区域'])).toBe('abcef')
  })

  it('shows the requested fields and always the ids; unknown names are ignored', async () => {
    const condition = [
      entry('host', [['bk_host_name', '$eq', 'a']], ['bk_host_name', 'colour']),
      entry('set', [], ['bk_set_name']),
    ]
    const [a] = (await searchHosts(server, { condition })).data.info
    expect(a?.host).toEqual({ bk_host_id: named.a, bk_host_name: 'a' })
    expect(a?.set).toEqual([{ bk_set_id: expect.any(Number), bk_set_name: 'one' }])
    expect(a?.module[0]).toMatchObject({ bk_module_type: '1', TopModuleName: 'game##one##web' })
  })

  it('finds hosts below an instance, even if a level is inserted or removed during the search', async () => {
    const { storage } = server.service
    const placement = { field: 'bk_inst_id', operator: '$eq', value: region }
    const condition = [{ bk_obj_id: 'object', condition: [placement] }]
    for (const { heavy, happened } of whileLevelComesAndGoes(server, 'region')) {
      const caller = { user: 'admin', account: '0', requestId: '', language: 'en' } as const
      const { timezone } = configOf(server.store)
      const { info } = await answerSearch({ ...storage, heavy }, caller, { condition }, timezone)
      expect(await happened()).toMatchObject({ result: true })
      expect(info.map((row) => row.host.bk_host_name).join('')).toBe('abc')
    }
  })

  describe('reports errors with their path', () => {
    const wrong: [code: number, path: string, condition: unknown[]][] = [
      [1199011, 'condition[0].bk_obj_id', [entry('process', [])]],
      [1199011, 'condition[0].condition[0].field', [entry('host', [['colour', '$eq', 'red']])]],
      [
        1199011,
        'condition[1].condition[1].operator',
        [
          entry('host', []),
          entry('set', [
            ['bk_set_id', '$eq', 1],
            ['bk_set_id', '$where', 1],
          ]),
        ],
      ],
      [1199009, 'condition[0].condition[0].value', [entry('host', [['bk_mem', '$eq', 'much']])]],
      [1199006, 'condition[0].condition[0].value', [entry('host', [['bk_host_name', '$regex', '(']])]],
      [1199006, 'condition[0].condition[0].value', [entry('host', [['create_time', '$eq', 'today']])]],
      [1199011, 'condition[0].condition[0].field', [entry('object', [['colour', '$eq', 'red']])]],
      [1110058, 'bk_inst_id', [entry('object', [])]],
      [
        1199035,
        'condition',
        [
          entry(
            'host',
            Array.from({ length: 201 }, (): Filter => ['bk_mem', '$eq', 1]),
          ),
        ],
      ],
    ]
    it.each(wrong)('%i %s', async (code, path, condition) => {
      await refused(code, path, { condition })
    })
  })

  it('never shows another account’s hosts', async () => {
    const elsewhere = { HTTP_BLUEKING_SUPPLIER_ID: 'elsewhere' }
    expect((await searchHosts(server, {}, elsewhere)).data).toEqual({ count: 0, info: [] })
    const condition = [entry('host', [['bk_host_innerip', '$eq', '10.1.0.1']])]
    expect((await searchHosts(server, { condition }, elsewhere)).data.count).toBe(0)
    const module = [entry('module', [['bk_module_name', '$eq', 'web']])]
    expect((await searchHosts(server, { condition: module }, elsewhere)).data.count).toBe(0)
  })
})
