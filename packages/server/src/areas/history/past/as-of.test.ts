import { createClient } from '@mainline/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { readLog } from '../../../testing/inspect/log.ts'
import { caughtUp, rebuild } from '../../../testing/inspect/past.ts'

interface Tree {
  bk_inst_name: string
  child: Tree[]
}

eachEngine((engine) => {
  let server: TestServer
  let shop: number
  let set: number
  /** The position before the set was renamed and deleted. */
  let then: number
  const head = async () => (await readLog(server.service.storage.read)).at(-1)?.position ?? 0
  beforeAll(async () => {
    server = await startServer(engine)
    shop = await makeBusiness(server, 'shop')
    set = await makeSet(server, shop, { bk_set_name: 'till' })
    then = await head()
    const named = { bk_biz_id: shop, bk_set_name: 'checkout' }
    await server.call('PUT', `/set/${shop}/${set}`, named)
    await server.call('DELETE', `/set/${shop}/${set}`)
    await server.call('PUT', `/biz/status/disabled/0/${shop}`, {})
  })
  afterAll(() => server.close())

  const tree = (query: string, headers?: Record<string, string>) =>
    server.call<Tree[]>('GET', `/topo/inst/0/${shop}?${query}`, undefined, headers)
  const namesAt = async (position: number) =>
    (await tree(`as_of=position:${position}`)).data?.[0]?.child.map((child) => child.bk_inst_name)

  it('reads what has been renamed, deleted and archived since, as it was', async () => {
    expect((await tree('')).bk_error_code).not.toBe(0)
    expect(await namesAt(then)).toEqual(['till'])
    expect(await namesAt(then + 1)).toEqual(['checkout'])
    expect(await namesAt(then + 2)).toEqual([])
    const searched = { page: { start: 0, limit: 5 }, condition: { bk_set_name: 'till' }, fields: ['bk_set_id'] }
    const found = await server.call('POST', `/set/search/0/${shop}?as_of=position:${then}`, searched)
    expect(found.data).toEqual({ count: 1, info: [{ bk_set_id: set }] })
  })

  it('names the position and its time, and has an ETag of that moment', async () => {
    const answer = await tree(`as_of=position:${then}`)
    expect(answer.headers.get('mainline-as-of')).toMatch(
      new RegExp(`^${then}; \\d{4}-\\d\\d-\\d\\dT.*[+-]\\d\\d:\\d\\d$`),
    )
    const tag = answer.headers.get('etag') ?? ''
    const again = await fetch(`${server.url}/api/v3/topo/inst/0/${shop}?as_of=position:${then}`, {
      headers: { 'if-none-match': tag },
    })
    expect(again.status).toBe(304)
    expect((await tree(`as_of=position:${then + 1}`, { 'if-none-match': tag })).headers.get('etag')).not.toBe(tag)
  })

  it('reads times and durations, the newest records included', async () => {
    const bank = await makeBusiness(server, 'bank')
    const now = encodeURIComponent(new Date().toISOString())
    const answer = await server.call('GET', `/topo/internal/0/${bank}?as_of=${now}`)
    expect(answer.result).toBe(true)
    expect(Number.parseInt(answer.headers.get('mainline-as-of') ?? '', 10)).toBe(await head())
  })

  it('says the moment of an export, which is streamed', async () => {
    const answer = await fetch(`${server.url}/api/v3/export/topology/${shop}?as_of=position:${then}`)
    expect(answer.headers.get('mainline-as-of')).toMatch(new RegExp(`^${then}; `))
    expect(await answer.text()).toContain('till')
  })

  it.each<[why: string, query: string, code: number]>([
    ['a word', 'as_of=yesterday', 1199006],
    ['nothing', 'as_of=', 1199006],
    ['the future', 'as_of=2999-01-01T00:00:00Z', 1199006],
    ['a position that does not exist yet', 'as_of=position:999999', 1199006],
    ['two moments', 'as_of=-1h&as_of=position:1', 1199006],
    ['a time and a position', 'as_of=position:1,2026-01-01', 1199006],
    ['a moment before the log begins', 'as_of=2001-01-01', 1199410],
    ['a position before it', 'as_of=position:0', 1199410],
  ])('refuses %s', async (_, query, code) => {
    expect(await tree(query)).toMatchObject({ result: false, bk_error_code: code })
  })

  it('refuses a moment where only the present is read or changed', async () => {
    const asked = `as_of=position:${then}`
    for (const [method, path, body] of [
      ['POST', '/audit/search', { start: 0, limit: 1, condition: {} }],
      ['DELETE', `/biz/0/${shop}`, undefined],
    ] as const) {
      const { bk_error_code, bk_error_msg } = await server.call(method, `${path}?${asked}`, body)
      expect(bk_error_code).not.toBe(0)
      expect(bk_error_msg).toContain('as_of')
    }
  })

  it('judges the caller by the grants of today', async () => {
    const body = { page: { start: 0, limit: 1 }, condition: {} }
    const path = '/inst/search/owner/0/object/bk_switch'
    const user = { BK_User: 'mona' }
    await server.call('POST', '/topo/privilege/group/0', { group_name: 'switches', user_list: 'mona' })
    const groups = await server.call<{ group_id: string }[]>('POST', '/topo/privilege/group/0/search', {})
    const detail = `/topo/privilege/group/detail/0/${groups.data[0]?.group_id}`
    await server.call('POST', detail, { model_config: { bk_network: { bk_switch: ['search'] } } })
    const allowed = await head()
    expect(await server.call('POST', `${path}?as_of=position:${allowed}`, body, user)).toMatchObject({ result: true })
    await server.call('POST', detail, { model_config: {} })
    const refused = await server.call('POST', `${path}?as_of=position:${allowed}`, body, user)
    expect(refused).toMatchObject({ result: false, status: 403 })
  })

  it('is read by the typed client, which refuses what reads the present', async () => {
    const client = createClient({ url: server.url, user: 'admin' })
    const params = { bk_supplier_account: '0', bk_biz_id: shop }
    const [root] = await client.asOf(`position:${then}`).topology.getTree({ params })
    expect(root?.child).toMatchObject([{ bk_inst_name: 'till' }])
    await expect(client.asOf('-1h').session.getSession()).rejects.toThrow('does not read the past')
  })

  describe('an account with records of an early release', () => {
    it('begins once, after the newest of them, and names the oldest moment', async () => {
      const { engine: store } = server.service.storage
      await store.script(
        engine === 'sqlite'
          ? `UPDATE log SET content = json_remove(content, '$.unshown') WHERE position < ${then}`
          : `UPDATE log SET content = (content::jsonb - 'unshown')::text WHERE position < ${then}`,
      )
      await rebuild(server)
      expect(await namesAt(then)).toEqual(['till'])
      const refused = await tree(`as_of=position:${then - 2}`)
      expect(refused).toMatchObject({ bk_error_code: 1199410, bk_error_msg: expect.stringContaining(`${then - 1}`) })
    })

    it('begins again once such a record has been written, and refuses reads until then', async () => {
      await caughtUp(server)
      const { engine: store } = server.service.storage
      await store.script(`UPDATE past_account SET stage = -1, begin_after = ${Date.now() + 60_000}`)
      expect(await tree(`as_of=position:${then}`)).toMatchObject({ status: 503 })
      await makeBusiness(server, 'meanwhile')
      await store.script('UPDATE past_account SET begin_after = 0')
      await caughtUp(server)
      expect(await namesAt(then + 1)).toEqual(['checkout'])
    })
  })
})
