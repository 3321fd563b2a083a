import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Connection } from '../../../storage/connection.ts'
import { readerOver } from '../../../storage/handles.ts'
import { makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { whileLevelComesAndGoes } from '../../../testing/data/levels.ts'
import { eachEngine, makeStore, startServer, type TestServer } from '../../../testing/harness.ts'
import { putModule } from '../../../testing/inspect/rows.ts'
import { findBusiness } from '../businesses/hold.ts'
import { type TreeNode, treePage } from './tree.ts'

const names = (nodes: TreeNode[]): unknown[] =>
  nodes.map((node) => (node.child.length > 0 ? [node.bk_inst_name, names(node.child)] : node.bk_inst_name))

eachEngine((engine) => {
  let server: TestServer
  let business: number
  let set: number
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server, 'shop')
    for (const name of ['beta', 'Alpha', 'alpha', '中文']) await makeSet(server, business, { bk_set_name: name })
    set = await makeSet(server, business, { bk_set_name: 'web' })
    for (const name of ['nginx', 'api']) await putModule(server, set, name)
  })
  afterAll(() => server.close())
  const get = <Data = TreeNode[]>(path: string, headers: Record<string, string> = {}) =>
    server.call<Data>('GET', path, undefined, headers)
  const whole = `/topo/inst/0/`

  it('answers the business with its children by name, modules as leaves', async () => {
    const { data } = await get(`${whole}${business}`)
    expect(names(data)).toEqual([['shop', ['Alpha', 'alpha', 'beta', ['web', ['api', 'nginx']], '中文']]])
    expect(data[0]).toMatchObject({ bk_obj_id: 'biz', bk_obj_name: 'Business', bk_inst_id: business, default: 0 })
    expect(data[0]?.child[3]?.child[0]).toMatchObject({
      bk_obj_id: 'module',
      bk_obj_name: 'Module',
      child: [],
      default: 0,
    })
  })

  it('shows the built-in pool only on request, with its kinds and in the language of the caller', async () => {
    const chinese = { http_blueking_language: 'zh-cn' }
    const pool = (await get(`${whole}${business}?with_default=true`, chinese)).data[0]?.child.find((node) =>
      node.bk_inst_name.startsWith('空闲'),
    )
    expect(pool).toMatchObject({ bk_inst_name: '空闲机池', bk_obj_name: '集群', default: 0 })
    expect(pool?.child.map((node) => [node.bk_inst_name, node.default])).toEqual([
      ['故障机', 2],
      ['空闲机', 1],
    ])
  })

  it('is limited to the requested depth', async () => {
    expect(names((await get(`${whole}${business}?level=0`)).data)).toEqual(['shop'])
    expect(names((await get(`${whole}${business}?level=1`)).data)).toEqual([
      ['shop', ['Alpha', 'alpha', 'beta', 'web', '中文']],
    ])
    expect((await get(`${whole}${business}?level=-1`)).data).toEqual((await get(`${whole}${business}`)).data)
    for (const level of ['x', '-2', '1.5', '9999999']) {
      expect((await get(`${whole}${business}?level=${level}`)).bk_error_code).toBe(1199006)
    }
    expect((await get(`${whole}${business}?with_default=perhaps`)).bk_error_code).toBe(1199006)
  })

  it('answers 304 without a body for a current copy, by language and query, until the tree changes visibly', async () => {
    const url = `${server.url}/api/v3${whole}${business}`
    const first = await fetch(url)
    const etag = first.headers.get('etag') ?? ''
    expect(first.headers.get('cache-control')).toBe('private, no-cache')
    const again = (headers: Record<string, string>, query = '') =>
      fetch(url + query, { headers: { 'if-none-match': etag, ...headers } })
    const same = await again({})
    expect([same.status, await same.text()]).toEqual([304, ''])
    expect((await again({ http_blueking_language: 'zh-cn' })).status).toBe(200)
    expect((await again({}, '?level=1')).status).toBe(200)

    await server.call('PUT', `/set/${business}/${set}`, { bk_biz_id: business, bk_capacity: 7 })
    expect((await again({})).status).toBe(304)
    const elsewhere = await makeBusiness(server)
    await makeSet(server, elsewhere)
    expect((await again({})).status).toBe(304)
    await server.call('PUT', `/set/${business}/${set}`, { bk_biz_id: business, bk_set_name: 'web2' })
    expect((await again({})).status).toBe(200)
    await server.call('PUT', `/set/${business}/${set}`, { bk_biz_id: business, bk_set_name: 'web' })
  })

  it('never caches an old tree under a new stamp, whatever happens between the two reads', async () => {
    const { storage } = server.service
    const question = { language: 'en', depth: undefined, withDefault: false } as const
    const before = await findBusiness(storage.read, '0', business)
    const id = await makeSet(server, business, { bk_set_name: 'between' })
    // The stamp is from before the change, the rows are from after it.
    const built = await treePage(storage, '0', before, question)
    expect(built.saying('').bytes.toString()).toContain('between')
    expect(JSON.stringify((await get(`${whole}${business}`)).data)).toContain('between')

    await server.call('DELETE', `/set/${business}/${id}`)
    expect(JSON.stringify((await get(`${whole}${business}`)).data)).not.toContain('between')
  })

  it('caches a tree under the stamp read with its rows, also if a change follows immediately', async () => {
    const { storage } = server.service
    const under = storage.engine
    const question = { language: 'en', depth: undefined, withDefault: false } as const
    const first = await makeSet(server, business, { bk_set_name: 'first' })
    let happens: Promise<number> | undefined
    const query: Connection['query'] = async (sql, parameters) => {
      const rows = await under.heavyReads.query(sql, parameters)
      happens ??= makeSet(server, business, { bk_set_name: 'afterwards' })
      await happens
      return rows
    }
    const heavy = readerOver({ ...under.heavyReads, query }, under)
    const now = await findBusiness(storage.read, '0', business)
    const built = await treePage({ ...storage, heavy }, '0', now, question)
    expect(built.saying('').bytes.toString()).not.toContain('afterwards')
    expect(JSON.stringify((await get(`${whole}${business}`)).data)).toContain('afterwards')
    for (const id of [first, await happens]) await server.call('DELETE', `/set/${business}/${id}`)
  })

  it('shows every set, also if a level is inserted or removed during the read', async () => {
    const { storage } = server.service
    for (const [nth, { heavy, happened }] of whileLevelComesAndGoes(server, 'biz').entries()) {
      // A query that is not in the cache.
      const question = { language: 'en', depth: 9 + nth, withDefault: false } as const
      const now = await findBusiness(storage.read, '0', business)
      const built = await treePage({ ...storage, heavy }, '0', now, question)
      expect(await happened()).toMatchObject({ result: true })
      expect(built.saying('').bytes.toString()).toContain('nginx')
    }
  })

  it('builds a tree once for all concurrent requests', async () => {
    await server.call('PUT', `/set/${business}/${set}`, { bk_biz_id: business, bk_set_name: 'web3' })
    const business_ = await findBusiness(server.service.storage.read, '0', business)
    const question = { language: 'en', depth: undefined, withDefault: true } as const
    const pages = await Promise.all([1, 2, 3].map(() => treePage(server.service.storage, '0', business_, question)))
    expect(new Set(pages).size).toBe(1)
    await server.call('PUT', `/set/${business}/${set}`, { bk_biz_id: business, bk_set_name: 'web' })
  })

  it('answers an instance with its whole subtree, and an empty result for an unknown one', async () => {
    const child = '/topo/inst/child/0'
    expect(names((await get(`${child}/set/${business}/${set}`)).data)).toEqual([['web', ['api', 'nginx']]])
    const all = (await get(`${child}/biz/${business}/${business}`)).data
    expect(names(all)[0]).toEqual([
      'shop',
      expect.arrayContaining(['beta', ['idle pool', ['fault machine', 'idle machine']]]),
    ])
    const other = await makeBusiness(server)
    for (const path of [
      `set/${other}/${set}`,
      `set/${business}/99999`,
      `nothing/${business}/1`,
      `set/99999/${set}`,
      `biz/${business}/${other}`,
      `host/${business}/1`,
    ]) {
      expect((await get(`${child}/${path}`)).data).toEqual([])
    }
    expect((await get(`${child}/set/${business}/x`)).bk_error_code).toBe(1199009)
  })

  it('caches a subtree like a tree: only changes that are visible in the tree invalidate it', async () => {
    const path = `/topo/inst/child/0/set/${business}/${set}`
    const tagNow = async () => (await fetch(`${server.url}/api/v3${path}`)).headers.get('etag')
    const tag = await tagNow()
    expect(tag).not.toBe((await fetch(`${server.url}/api/v3${whole}${business}`)).headers.get('etag'))
    await server.call('PUT', `/set/${business}/${set}`, { bk_biz_id: business, bk_capacity: 8 })
    expect(await tagNow()).toBe(tag)
    const known = { 'if-none-match': tag ?? '' }
    expect((await fetch(`${server.url}/api/v3${path}`, { headers: known })).status).toBe(304)

    const level = { bk_classification_id: 'bk_biz_topo', bk_obj_id: 'zone', bk_obj_name: 'zone', bk_asst_obj_id: 'biz' }
    await server.call('POST', '/topo/model/mainline', level)
    const instances = (await get(`/topo/inst/child/0/biz/${business}/${business}`)).data[0]?.child ?? []
    expect(instances.map((node) => [node.bk_obj_id, node.bk_inst_name])).toEqual([
      ['zone', 'zone'],
      ['set', 'idle pool'],
    ])
    const [zone] = instances
    expect((await get(`/topo/inst/child/0/zone/${business}/${zone?.bk_inst_id}`)).data).toEqual([zone])
    await server.call('DELETE', '/topo/model/mainline/owners/0/objectids/zone')
    expect((await get(`/topo/inst/child/0/zone/${business}/${zone?.bk_inst_id}`)).data).toEqual([])

    await server.call('PUT', `/set/${business}/${set}`, { bk_biz_id: business, bk_set_name: 'web4' })
    expect(names((await get(path)).data)).toEqual([['web4', ['api', 'nginx']]])
    await server.call('PUT', `/set/${business}/${set}`, { bk_biz_id: business, bk_set_name: 'web' })
  })

  it('answers the built-in pool of a business, idle first', async () => {
    const { data } = await get<Record<string, unknown>>(`/topo/internal/0/${business}`)
    expect(data).toMatchObject({
      bk_set_name: 'idle pool',
      module: [{ bk_module_name: 'idle machine' }, { bk_module_name: 'fault machine' }],
    })
    expect((await get('/topo/internal/0/99999')).bk_error_code).toBe(1199019)
    expect((await get(`${whole}99999`)).bk_error_code).toBe(1199019)
    expect((await get('/topo/internal/0/zero')).bk_error_code).toBe(1199009)
  })
})

it('a set created through one process is in the next tree of another', async () => {
  const store = await makeStore('postgres')
  const [one, two] = [await startServer('postgres', { store }), await startServer('postgres', { store })]
  const business = await makeBusiness(one)
  for (let round = 0; round < 20; round++) {
    const name = `set ${round}`
    await makeSet(round % 2 ? one : two, business, { bk_set_name: name })
    const seen = await (round % 2 ? two : one).call<TreeNode[]>('GET', `/topo/inst/0/${business}`)
    expect(seen.data[0]?.child.map((node) => node.bk_inst_name)).toContain(name)
  }
  await Promise.all([one.close(), two.close()])
})
