import { afterAll, beforeAll, expect, it } from 'vitest'
import { findRecords, makeBusiness, makeSet, setBody } from '../../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import type { TreeNode } from '../tree/tree.ts'

const level = (id: string, above = 'biz', more: Record<string, unknown> = {}) => ({
  bk_classification_id: 'bk_biz_topo',
  bk_obj_id: id,
  bk_obj_name: `Level ${id}`,
  bk_asst_obj_id: above,
  bk_supplier_account: '0',
  ...more,
})

eachEngine((engine) => {
  let server: TestServer
  let business: number
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server, 'shop')
  })
  afterAll(() => server.close())

  const insert = (body: unknown) => server.call('POST', '/topo/model/mainline', body)
  const remove = (id: string, query = '') =>
    server.call('DELETE', `/topo/model/mainline/owners/0/objectids/${id}${query}`)
  const chain = async () =>
    (await server.call<{ bk_obj_id: string }[]>('GET', '/topo/model/0')).data.map((node) => node.bk_obj_id)
  const tree = async (biz = business, query = '') =>
    (await server.call<TreeNode[]>('GET', `/topo/inst/0/${biz}${query}`)).data
  /** `shop > storefront` for each path from the business to a leaf. */
  const paths = (nodes: TreeNode[], above = ''): string[] =>
    nodes.flatMap((node) => {
      const path = above ? `${above} > ${node.bk_inst_name}` : node.bk_inst_name
      return node.child.length === 0 ? [path] : paths(node.child, path)
    })

  it('shows the chain from business to host, empty at both ends', async () => {
    const { data } = await server.call<Record<string, string>[]>('GET', '/topo/model/0')
    expect(data.map((node) => node.bk_obj_id)).toEqual(['biz', 'set', 'module', 'host'])
    expect(data[0]).toEqual({
      bk_obj_id: 'biz',
      bk_obj_name: 'Business',
      bk_pre_obj_id: '',
      bk_pre_obj_name: '',
      bk_next_obj: 'set',
      bk_next_name: 'Set',
      bk_supplier_account: '0',
    })
    expect(data[3]).toMatchObject({ bk_pre_obj_id: 'module', bk_next_obj: '', bk_next_name: '' })
    const chinese = await server.call<Record<string, string>[]>('GET', '/topo/model/0', undefined, {
      http_blueking_language: 'zh-cn',
    })
    expect(chinese.data.map((node) => node.bk_obj_name)).toEqual(['业务', '集群', '模块', '主机'])
  })

  it('inserts a level between an object and its children, in every business, and removes it again', async () => {
    const other = await makeBusiness(server, 'bank')
    const [front, ledger] = [
      await makeSet(server, business, { bk_set_name: 'front' }),
      await makeSet(server, other, { bk_set_name: 'ledger' }),
    ]
    const { data: plan } = await server.call<{ creates: number; moves_count: number }>(
      'POST',
      '/topo/model/mainline?dry_run=true',
      level('region'),
    )
    expect(await chain()).toEqual(['biz', 'set', 'module', 'host'])
    expect((await insert(level('region'))).data).toBe('success')
    const made = await findRecords(server, { op_target: 'region', op_type: 'add' })
    const moved = await findRecords(server, { op_target: 'set', op_type: 'update' })
    expect(plan).toEqual({ creates: made.data.count, moves_count: moved.data.count })
    expect((await insert(level('zone', 'region'))).data).toBe('success')
    expect(await chain()).toEqual(['biz', 'region', 'zone', 'set', 'module', 'host'])
    expect(paths(await tree())).toEqual(['shop > Level region > Level zone > front'])
    expect(paths(await tree(other))).toEqual(['bank > Level region > Level zone > ledger'])
    // The built-in pool stays directly under the business.
    expect(paths(await tree(business, '?with_default=true'))).toEqual([
      'shop > Level region > Level zone > front',
      'shop > idle pool > fault machine',
      'shop > idle pool > idle machine',
    ])

    const [change] = (await findRecords(server, { op_target: 'set', inst_id: front, op_type: 'update' })).data.info
    expect(change?.content).toMatchObject({ pre_data: { bk_parent_id: business }, cur_data: { bk_set_name: 'front' } })
    const created = (await findRecords(server, { op_target: 'region', bk_biz_id: other })).data.info
    expect(created.map((row) => [row.op_target, row.op_desc])).toEqual([['object', 'create instance']])

    // A set now goes under a zone, not under the business.
    expect((await server.call('POST', `/set/${business}`, setBody(business))).bk_error_code).toBe(1199011)

    expect((await remove('region')).data).toBe('success')
    expect(paths(await tree())).toEqual(['shop > Level zone > front'])
    expect((await remove('zone')).data).toBe('success')
    expect(await chain()).toEqual(['biz', 'set', 'module', 'host'])
    expect(paths(await tree(other))).toEqual(['bank > ledger'])
    expect(
      (await findRecords(server, { op_target: 'set', inst_id: ledger })).data.info.map((row) => row.op_type),
    ).toEqual([1, 2, 2, 2])
  })

  it.each([
    ['nothing at all', {}, 1199010],
    ['no id', level('', 'biz'), 1199010],
    ['an id with digits', level('zone1'), 1199006],
    ['an id that exists in another case', level('SET'), 1199014],
    ['a name that is too long', level('long', 'biz', { bk_obj_name: 'x'.repeat(21) }), 1199015],
    ['the name of a built-in object', level('taken', 'biz', { bk_obj_name: 'Set' }), 1199014],
    ['the Chinese name of a built-in object', level('taken', 'biz', { bk_obj_name: '集群' }), 1199014],
    ['an unknown parent', level('lost', 'nowhere'), 1199011],
    ['a parent below which no level is allowed', level('low', 'set'), 1199011],
    ['a parent that is not on the main line', level('off', 'bk_switch'), 1199011],
    ['a new classification that is not letters', level('odd', 'biz', { bk_classification_id: 'a-b' }), 1199006],
    ['a name that is not text', level('number', 'biz', { bk_obj_name: 7 }), 1199007],
    ['a hostile id', level("x'; DROP TABLE node; --", 'biz', { bk_obj_name: 'Hostile' }), 1199006],
  ])('refuses a level with %s, and changes nothing', async (_, body, code) => {
    expect((await insert(body)).bk_error_code).toBe(code)
    expect(await chain()).toEqual(['biz', 'set', 'module', 'host'])
  })

  it('refuses to remove a built-in, unknown or off-line object', async () => {
    for (const id of ['biz', 'set', 'module', 'host']) expect((await remove(id)).bk_error_code).toBe(1001035)
    for (const id of ['nothing', 'bk_switch']) expect((await remove(id)).bk_error_code).toBe(1101016)
  })

  it('refuses levels above the limit, and the second of two that are inserted concurrently under one name', async () => {
    const both = await Promise.all([insert(level('country')), insert(level('country'))])
    expect(both.map((answer) => answer.bk_error_code).toSorted()).toEqual([0, 1199014])
    await insert(level('city', 'country'))
    await insert(level('hall', 'city'))
    expect(await chain()).toEqual(['biz', 'country', 'city', 'hall', 'set', 'module', 'host'])
    expect((await insert(level('rack', 'hall'))).bk_error_code).toBe(1101035)
    for (const id of ['country', 'city', 'hall']) expect((await remove(id)).data).toBe('success')
    expect(await chain()).toEqual(['biz', 'set', 'module', 'host'])
  })

  it('changes nothing and names the children that would share a name', async () => {
    const biz = await makeBusiness(server, 'twins')
    await insert(level('site'))
    const [node] = await tree(biz)
    const first = node?.child[0]?.bk_inst_id as number
    const second = await server.call<{ bk_inst_id: number }>('POST', '/inst/0/site', {
      bk_inst_name: 'second',
      bk_biz_id: biz,
      bk_parent_id: biz,
    })
    for (const parent of [first, second.data.bk_inst_id])
      await makeSet(server, biz, { bk_set_name: 'same', bk_parent_id: parent })
    await makeSet(server, biz, { bk_set_name: 'idle pool', bk_parent_id: first })
    const before = JSON.stringify(await tree(biz))

    const planned = await remove('site', '?dry_run=true')
    expect(planned.data).toMatchObject({
      conflicts: [
        { bk_inst_name: 'idle pool', parent_name: 'twins', count: 2 },
        { bk_inst_name: 'same', parent_name: 'twins', count: 2 },
      ],
    })
    const refused = await remove('site')
    expect(refused.bk_error_code).toBe(1001049)
    expect(refused.bk_error_msg).toContain("'same' appears 2 times under 'twins'")
    expect(JSON.stringify(await tree(biz))).toBe(before)
    expect(await chain()).toContain('site')
  })
})
