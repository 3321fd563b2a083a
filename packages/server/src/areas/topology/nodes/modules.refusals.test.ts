import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findSets, makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { findModules, makeModule } from '../../../testing/data/levels.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { putHost, refuses } from '../../../testing/inspect/rows.ts'

type Headers = Record<string, string>
type Case = [wrong: string, code: number, saying: string, sent: unknown]

const far = { HTTP_BK_SUPPLIER_ACCOUNT: 'far' }
/** As text, since an object literal would set the prototype instead. */
const hostile = (body: unknown, key: string) => `${JSON.stringify(body).slice(0, -1)},"${key}":{"admin":true}}`

const attributes: Case[] = [
  ['an empty name', 1199010, "'bk_module_name'", { bk_module_name: '' }],
  ['a name that is null', 1199010, "'bk_module_name'", { bk_module_name: null }],
  ['a number for a name', 1199007, "'bk_module_name'", { bk_module_name: 5 }],
  ['a map for a name', 1199007, "'bk_module_name'", { bk_module_name: { $ne: '' } }],
  ['a name of 257 bytes', 1199015, '256', { bk_module_name: 'x'.repeat(257) }],
  ['a name with NUL', 1199006, '', { bk_module_name: 'a\0b' }],
  ['the name of a sibling', 1199014, 'bk_module_name', { bk_module_name: 'sibling' }],
  ['a type there is not', 1199006, '1, 2', { bk_module_type: '3' }],
  ['a list of types', 1199006, "'bk_module_type'", { bk_module_type: ['1'] }],
  ['a list of operators', 1199007, "'operator'", { operator: ['amy'] }],
  ['operators of 2001 bytes', 1199015, "'operator'", { operator: 'x'.repeat(2001) }],
  ['an attribute that modules do not have', 1199011, "'colour'", { colour: 'red' }],
  ['an attribute of sets', 1199011, "'bk_set_name'", { bk_set_name: 'x' }],
  ['SQL for an attribute', 1199011, 'DROP TABLE', { "x'); DROP TABLE node; --": 1 }],
  ['another business than the path', 1199006, "'bk_biz_id'", { bk_biz_id: 1 }],
]
const bodies: [wrong: string, code: number, sent: unknown][] = [
  ['a list', 1199000, []],
  ['null', 1199000, 'null'],
  ['half of a body', 1199000, '{"bk_module_name":'],
]
const searches: Case[] = [
  ['a page that is no object', 1199006, "'page'", { page: 1 }],
  ['a start below 0', 1199006, "'page.start'", { page: { start: -1 } }],
  ['a limit of 0', 1199006, "'page.limit'", { page: { limit: 0 } }],
  ['a limit of 201', 1199059, '200', { page: { limit: 201 } }],
  ['half a start', 1199009, "'page.start'", { page: { start: 0.5 } }],
  ['an unknown field to sort by', 1199011, "'sort'", { page: { sort: 'colour' } }],
  ['fields that are no list', 1199006, "'fields'", { fields: 'bk_module_id' }],
  ['a number among the fields', 1199007, "'fields.0'", { fields: [1] }],
  ['a condition that is a list', 1199006, "'condition'", { condition: [] }],
  ['an unknown field', 1199011, "'colour'", { condition: { colour: 'red' } }],
  ['an unknown operator', 1199011, '$where', { condition: { bk_module_name: { $where: '1' } } }],
  ['a word for an id', 1199009, "'bk_set_id'", { condition: { bk_set_id: 'x' } }],
]

eachEngine((engine) => {
  let server: TestServer
  /** A business with a set and a module; its idle pool; and records of another business and another account. */
  let world: { business: number; set: number; module: number; housing: number; idlePool: number; builtIns: number[] }
  let other: { business: number; set: number; sibling: number; module: number; farBusiness: number; farSet: number }
  beforeAll(async () => {
    server = await startServer(engine)
    const business = await makeBusiness(server)
    const set = await makeSet(server, business)
    const idlePool = (await findSets(server, business, { default: 1 })).data.info[0]?.bk_set_id as number
    await makeModule(server, business, set, 'sibling')
    world = {
      business,
      set,
      idlePool,
      module: await makeModule(server, business, set, 'web'),
      housing: await makeModule(server, business, set, 'housing'),
      builtIns: (await findModules(server, business, idlePool)).data.info.map((row) => row.bk_module_id as number),
    }
    await putHost(server, world.housing)
    const elsewhere = await makeBusiness(server)
    const otherSet = await makeSet(server, elsewhere)
    const farBusiness = (await server.call('POST', '/biz/far', { bk_biz_name: 'far' })).data.bk_biz_id as number
    const farSet = await server.call('POST', `/set/search/far/${farBusiness}`, {
      page: { start: 0, limit: 1 },
      fields: [],
      condition: {},
    })
    other = {
      business: elsewhere,
      set: otherSet,
      sibling: await makeSet(server, business),
      module: await makeModule(server, elsewhere, otherSet, 'web'),
      farBusiness,
      farSet: (farSet.data.info as { bk_set_id: number }[])[0]?.bk_set_id as number,
    }
  })
  afterAll(() => server.close())

  const refused = async (
    code: number,
    saying: string,
    method: string,
    path: string,
    body?: unknown,
    more?: Headers,
  ) => {
    await refuses(server, code, saying, () => server.call(method, path, body, more))
  }
  /** Sets that are not in the business of the path. */
  const places = (): [code: number, place: string, headers?: Headers][] => [
    [1199019, `${world.business}/999999`],
    [1199019, `${world.business}/${other.set}`],
    [1199019, `${world.business}/${other.farSet}`],
    [1199019, `${other.business}/${world.set}`],
    [1199019, `999999/${world.set}`],
    [1199019, `${other.farBusiness}/${other.farSet}`],
    [1199019, `${world.business}/${world.set}`, far],
    [9900403, `${world.business}/${world.set}`, { BK_User: 'bob' }],
    [1199009, `x/${world.set}`],
    [1199009, `${world.business}/0`],
    [1199009, `${world.business}/1.5`],
  ]

  describe('create_module refuses', () => {
    const path = () => `/module/${world.business}/${world.set}`
    it.each(attributes)('%s', (_, code, saying, sent) =>
      refused(code, saying, 'POST', path(), { bk_module_name: 'new', ...(sent as object) }),
    )
    it.each(bodies)('%s for a body', (_, code, sent) => refused(code, '', 'POST', path(), sent))
    it('a body without a name', () => refused(1199010, "'bk_module_name'", 'POST', path(), {}))
    it.each(['idle machine', '空闲机', 'fault machine', '故障机'])('%s in the idle pool', (name) =>
      refused(1199014, 'bk_module_name', 'POST', `/module/${world.business}/${world.idlePool}`, {
        bk_module_name: name,
      }),
    )
    it.each(['__proto__', 'constructor', 'toString'])('the key %s', async (key) => {
      await refused(1199011, `'${key}'`, 'POST', path(), hostile({ bk_module_name: 'new' }, key))
      expect({}).not.toHaveProperty('admin')
    })
    it('a set that is not in the business, with any body', async () => {
      for (const [code, place, headers] of places()) {
        await refused(code, '', 'POST', `/module/${place}`, { bk_module_name: 'new' }, headers)
        await refused(code, '', 'POST', `/module/${place}`, {}, headers)
      }
    })
  })

  describe('update_module refuses', () => {
    const path = () => `/module/${world.business}/${world.set}/${world.module}`
    it.each(attributes)('%s', (_, code, saying, sent) => refused(code, saying, 'PUT', path(), sent))
    it.each(bodies)('%s for a body', (_, code, sent) => refused(code, '', 'PUT', path(), sent))
    it('the key __proto__', () =>
      refused(1199011, "'__proto__'", 'PUT', path(), hostile({ operator: 'x' }, '__proto__')))
  })

  describe('delete_module refuses', () => {
    it('a module with a host in it', () =>
      refused(1101030, '', 'DELETE', `/module/${world.business}/${world.set}/${world.housing}`))
    it.each(['maybe', '', '1', 'TRUE', 'true&dry_run=true'])('dry_run=%s', (value) =>
      refused(
        1199006,
        "'dry_run'",
        'DELETE',
        `/module/${world.business}/${world.set}/${world.module}?dry_run=${value}`,
      ),
    )
  })

  it.each(['PUT', 'DELETE'])('%s refuses a module that is not in the set of the path', async (method) => {
    const body = method === 'PUT' ? { operator: 'x' } : undefined
    const at = (code: number, path: string, headers?: Headers) =>
      refused(code, '', method, `/module/${path}`, body, headers)
    for (const [code, place, headers] of places()) await at(code, `${place}/${world.module}`, headers)
    await at(1199019, `${world.business}/${other.sibling}/${world.module}`)
    for (const id of [999_999, other.module, world.builtIns[0]])
      await at(1199019, `${world.business}/${world.set}/${id}`)
    for (const id of ['x', '0', '-1', '1.5']) await at(1199009, `${world.business}/${world.set}/${id}`)
  })

  it('refuses to rename or delete the built-in modules', async () => {
    for (const id of world.builtIns) {
      const path = `/module/${world.business}/${world.idlePool}/${id}`
      await refused(1101009, 'built in', 'PUT', path, { bk_module_name: 'mine', operator: 'x' })
      await refused(1101009, 'built in', 'DELETE', path)
      await refused(1101009, 'built in', 'DELETE', `${path}?dry_run=true`)
    }
    const [idle] = world.builtIns
    await refused(1101009, '', 'PUT', `/module/${world.business}/${world.idlePool}/${idle}`, {
      bk_module_name: '故障机',
    })
  })

  describe('search_module refuses', () => {
    it.each(searches)('%s', (_, code, saying, sent) =>
      refused(code, saying, 'POST', `/module/search/0/${world.business}/${world.set}`, sent),
    )
    it('a set that is not in the business', async () => {
      const { business, set } = world
      for (const place of [`${business}/${other.set}`, `${business}/999999`, `999999/${set}`, `1/${set}`]) {
        await refused(1199019, '', 'POST', `/module/search/0/${place}`, {})
      }
      await refused(1199019, '', 'POST', `/module/search/far/${business}/${set}`, {})
    })
  })
})
