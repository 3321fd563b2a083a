import type { DataOf, history } from '@mainline/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeSet } from '../../../../testing/data/factories.ts'
import { makeHost, makeHosts, makeShop, type Shop } from '../../../../testing/data/hosts.ts'
import { makeModule } from '../../../../testing/data/levels.ts'
import { entry, infoOf, saveQuery } from '../../../../testing/data/queries.ts'
import { eachEngine, startServer, type TestServer } from '../../../../testing/harness.ts'
import { readLog } from '../../../../testing/inspect/log.ts'
import { refuses } from '../../../../testing/inspect/rows.ts'
import { changeAtRandom, randomFrom } from '../../../../testing/random/changes.ts'
import { type Columns, readLive } from '../../recorded/index.ts'

type Diff = DataOf<typeof history.getDiff>
const seed = Number(process.env.SEED ?? 4)

eachEngine((engine) => {
  let server: TestServer
  let shop: Shop
  beforeAll(async () => {
    server = await startServer(engine)
    shop = await makeShop(server)
  })
  afterAll(() => server.close())

  const diff = (body: object, headers?: Record<string, string>) =>
    server.call<Diff>('POST', '/history/diff', body, headers)
  const now = async () => `position:${(await readLog(server.service.storage.read)).at(-1)?.position}`
  const move = (hosts: number[], modules: number[]) =>
    server.call('POST', '/hosts/modules', {
      bk_biz_id: shop.business,
      bk_host_id: hosts,
      bk_module_id: modules,
      is_increment: false,
    })
  const comment = (host: number, text: string, headers?: Record<string, string>) =>
    server.call('PUT', '/hosts/batch', { bk_host_id: String(host), bk_comment: text }, headers)

  describe('what differs between two moments of a business', () => {
    let from: string
    let to: string
    let [set, gone, host, guest, brief] = [0, 0, 0, 0, 0]
    beforeAll(async () => {
      gone = await makeSet(server, shop.business, { bk_set_name: 'gone' })
      host = await makeHost(server, { business: shop.business, modules: [shop.web] })
      guest = await makeHost(server, { business: shop.business, modules: [shop.web] })
      from = await now()
      set = await makeSet(server, shop.business, { bk_set_name: 'new' })
      await server.call('DELETE', `/set/${shop.business}/${gone}`)
      await server.call('PUT', `/set/${shop.business}/${shop.set}`, { bk_biz_id: shop.business, bk_capacity: 3 })
      const headers = { BK_User: 'amy', 'X-Change-Reason': 'because' }
      await server.call(
        'PUT',
        `/set/${shop.business}/${shop.set}`,
        { bk_biz_id: shop.business, bk_capacity: 4 },
        headers,
      )
      await comment(host, 'x')
      await move([host], [shop.db])
      brief = await makeSet(server, shop.business)
      await server.call('DELETE', `/set/${shop.business}/${brief}`)
      await move([guest], [shop.db])
      await move([guest], [shop.web])
      to = await now()
      await comment(host, 'later')
    })

    it('is listed from the top down, field by field, with who did it', async () => {
      const { data } = await diff({ bk_biz_id: shop.business, from, to })
      expect(data.counts).toEqual({ created: 1, deleted: 1, changed: 1, moved: 1 })
      expect(data.info.map((row) => [row.change, row.bk_obj_id, row.bk_inst_id])).toEqual([
        ['changed', 'set', shop.set],
        ['deleted', 'set', gone],
        ['created', 'set', set],
        ['moved', 'host', host],
      ])
      const [changed, , , moved] = data.info
      expect(changed?.fields).toMatchObject([
        { bk_property_id: 'bk_capacity', before: null, after: 4, operator: 'amy', op_reason: 'because' },
      ])
      expect(moved).toMatchObject({
        left: [{ bk_module_name: 'web' }],
        entered: [{ bk_module_name: 'db', bk_set_name: 'shop' }],
        fields: [{ bk_property_id: 'bk_comment', before: '', after: 'x' }],
      })
      expect(data.from.position).toBe(Number(from.split(':')[1]))
    })

    it('is paged, goes on to the present by default, and can be about a set, a module or a host', async () => {
      const page = { start: 1, limit: 2 }
      const { data } = await diff({ bk_biz_id: shop.business, from, to, page })
      expect(data.count).toBe(4)
      expect(data.info.map((row) => row.bk_inst_id)).toEqual([gone, set])
      const ofHost = await diff({ bk_obj_id: 'host', bk_inst_id: host, from })
      expect(ofHost.data.info[0]?.fields).toMatchObject([{ before: '', after: 'later' }])
      const ofModule = await diff({ bk_obj_id: 'module', bk_inst_id: shop.db, from, to })
      expect(ofModule.data.info.map((row) => row.bk_inst_id)).toEqual([host])
      const ofSet = await diff({ bk_obj_id: 'set', bk_inst_id: shop.set, from, to })
      expect(ofSet.data.info.map((row) => row.bk_obj_id)).toEqual(['set', 'host'])
      const same = await diff({ bk_obj_id: 'set', bk_inst_id: set, from: to })
      expect(same.data).toMatchObject({ count: 0, info: [] })
    })

    it('is sent as JSON lines to callers that accept them', async () => {
      const answer = await fetch(`${server.url}/api/v3/history/diff`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/x-ndjson', BK_User: 'admin' },
        body: JSON.stringify({ bk_biz_id: shop.business, from, to }),
      })
      expect(answer.headers.get('content-type')).toContain('application/x-ndjson')
      const lines = (await answer.text())
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      const { data } = await diff({ bk_biz_id: shop.business, from, to })
      expect(lines).toEqual([{ from: data.from, to: data.to }, ...data.info, { counts: data.counts }])
    })

    it('is readable like the audit log', async () => {
      const body = { bk_biz_id: shop.business, from }
      await refuses(server, 9900403, `business ${shop.business}`, () => diff(body, { BK_User: 'mallory' }))
      expect((await diff(body, { BK_User: 'amy' })).result).toBe(true)
    })
  })

  describe('the results of a saved query', () => {
    const hostCalled = (text: string) =>
      makeHost(server, { business: shop.business, modules: [shop.web] }, { bk_comment: text })
    const marked = (text: string) => entry('host', [['bk_comment', '$eq', text]])
    const save = (...entries: unknown[]) => saveQuery(server, shop.business, infoOf(...entries))

    it('are compared host by host: those that entered and left, and what has changed about the others', async () => {
      const [leaves, stays, moves, alike] = [
        await hostCalled('mark'),
        await hostCalled('mark'),
        await hostCalled('mark'),
        await hostCalled('mark'),
      ]
      const enters = await hostCalled('none')
      const from = await now()
      const query = await save(marked('mark'))
      await comment(leaves, 'none', { BK_User: 'amy', 'X-Change-Reason': 'retired' })
      await comment(enters, 'mark')
      await comment(alike, 'none')
      await comment(alike, 'mark')
      await server.call('PUT', '/hosts/batch', { bk_host_id: String(stays), bk_host_name: 'named' })
      await move([moves], [shop.db])
      const { data, bk_error_msg } = await diff({ query_id: query, from })
      expect(bk_error_msg).toBe('')
      expect(data.counts).toEqual({ created: 1, deleted: 1, changed: 1, moved: 1 })
      expect(data.info.map((row) => [row.change, row.bk_inst_id])).toEqual(
        [
          ['deleted', leaves],
          ['changed', stays],
          ['moved', moves],
          ['created', enters],
        ].toSorted((one, other) => Number(one[1]) - Number(other[1])),
      )
      const left = data.info.find((row) => row.bk_inst_id === leaves)
      expect(left).toMatchObject({ operator: 'amy', op_reason: 'retired' })
      expect(left?.fields).toMatchObject([{ bk_property_id: 'bk_comment', before: 'mark', after: 'none' }])
      const to = await now()
      await server.call('DELETE', `/userapi/${shop.business}/${query}`)
      expect((await diff({ query_id: query, from, to })).data.count).toBe(4)
      await refuses(server, 1199019, '', () => diff({ query_id: query, from }))
    })

    it('name hosts that entered because something else has changed, without an author', async () => {
      const host = await hostCalled('y')
      const from = await now()
      const query = await save(marked('y'), entry('set', [['description', '$eq', 'winter']]))
      const described = { bk_biz_id: shop.business, description: 'winter' }
      await server.call('PUT', `/set/${shop.business}/${shop.set}`, described)
      const { data } = await diff({ query_id: query, from })
      const row = { change: 'created', bk_inst_id: host, position: null, operator: '', fields: [] }
      expect(data.info).toMatchObject([row])
      expect(data.info[0]?.name).toMatch(/^\d+\.\d+\.\d+\.\d+$/)
      await refuses(server, 9900403, `business ${shop.business}`, () =>
        diff({ query_id: query, from }, { BK_User: 'mallory' }),
      )
    })
  })

  it('names no author of a record in a business that the caller may not audit', async () => {
    const [other, host] = [
      await makeShop(server),
      await makeHost(server, { business: shop.business, modules: [shop.web] }),
    ]
    await server.call('PUT', `/biz/0/${shop.business}`, { bk_biz_maintainer: 'olga' })
    const from = await now()
    const [reason, olga] = [{ 'X-Change-Reason': 'secret' }, { BK_User: 'olga' }]
    const body = { bk_biz_id: shop.business, bk_host_id: [host] }
    await server.call('POST', '/hosts/modules/idle', body)
    await server.call('POST', '/hosts/modules/resource', body)
    await server.call('POST', '/hosts/modules/resource/idle', { ...body, bk_biz_id: other.business })
    await comment(host, 'there', reason)
    const rowFor = async (headers?: Record<string, string>) => {
      const { data } = await diff({ bk_biz_id: shop.business, from }, headers)
      return data.info.find((row) => row.bk_obj_id === 'host' && row.bk_inst_id === host)
    }
    const commented = { bk_property_id: 'bk_comment', after: 'there' }
    expect((await rowFor(olga))?.fields).toMatchObject([{ ...commented, operator: '', op_reason: '', request_id: '' }])
    expect((await rowFor())?.fields).toMatchObject([{ ...commented, operator: 'admin', op_reason: 'secret' }])
  })

  it.each<[string, number, object]>([
    ['no subject', 1199006, { from: '-0s' }],
    ['two subjects', 1199006, { bk_biz_id: 1, bk_obj_id: 'set', bk_inst_id: 1, from: '-0s' }],
    ['a query and a business', 1199006, { bk_biz_id: 1, query_id: 'q', from: '-0s' }],
    ['a query that is none', 1199019, { query_id: 'nosuch', from: 'position:4' }],
    ['an object without an instance', 1199006, { bk_obj_id: 'set', from: '-0s' }],
    ['no moment', 1199010, { bk_biz_id: 1 }],
    ['a moment that is none', 1199006, { bk_biz_id: 'shop', from: 'tomorrow' }],
    ['the future', 1199006, { bk_biz_id: 'shop', from: '-0s', to: '2999-01-01' }],
    ['a time before the log', 1199410, { bk_biz_id: 'shop', from: '2001-01-01' }],
    ['a position that is not there', 1199006, { bk_biz_id: 'shop', from: 'position:99999999' }],
    ['moments in the wrong order', 1199006, { bk_biz_id: 'shop', from: 'position:4', to: 'position:3' }],
    ['a business that is none', 1199019, { bk_biz_id: 999_999, from: 'position:3' }],
  ])('refuses %s', async (_, code, body) => {
    const known = 'bk_biz_id' in body && body.bk_biz_id === 'shop' ? { ...body, bk_biz_id: shop.business } : body
    await refuses(server, code, '', () => diff(known))
  })

  it(`tells of random histories what the stored states tell (seed ${seed})`, async () => {
    const random = randomFrom(seed)
    const { read } = server.service.storage
    await makeHosts(server, { business: shop.business, modules: [shop.web] }, [{}, {}, {}])
    await makeModule(server, shop.business, shop.set, 'third')
    const state = async () => ({
      moment: await now(),
      nodes: await readLive(read, '0', 'node'),
      hosts: await readLive(read, '0', 'placement'),
    })
    const states = [await state()]
    for (let part = 0; part < 3; part++) {
      for (let index = 0; index < 25; index++) await changeAtRandom(server, random)
      states.push(await state())
    }
    let compared = 0
    for (const [index, earlier] of states.entries()) {
      for (const later of states.slice(index + 1)) {
        const ids = new Set([...earlier.nodes.values(), ...later.nodes.values()].map((row) => Number(row.biz_id)))
        for (const business of ids) {
          if (business === 0) continue
          const body = { bk_biz_id: business, from: earlier.moment, to: later.moment, page: { limit: 200 } }
          const { data, bk_error_msg } = await diff(body)
          expect(bk_error_msg).toBe('')
          const told = (changes: string[], isHost: boolean) =>
            data.info
              .filter((row) => changes.includes(row.change) && (row.bk_obj_id === 'host') === isHost)
              .filter((row) => row.bk_obj_id !== 'userapi')
              .map((row) => `${row.bk_obj_id} ${row.bk_inst_id}`)
              .toSorted()
          const of = (rows: ReadonlyMap<string, Columns>) =>
            new Map([...rows].filter(([, row]) => row.biz_id === business && !row.built_in))
          const [was, is] = [of(earlier.nodes), of(later.nodes)]
          const without = (some: typeof was, others: typeof was) => [...some.keys()].filter((key) => !others.has(key))
          const where = `business ${business}, ${earlier.moment} to ${later.moment}`
          expect(told(['created'], false), where).toEqual(without(is, was).toSorted())
          expect(told(['deleted'], false), where).toEqual(without(was, is).toSorted())
          const renamed = [...was].filter(([key, row]) => is.has(key) && is.get(key)?.name !== row.name)
          expect(told(['changed'], false)).toEqual(expect.arrayContaining(renamed.map(([key]) => key)))
          const place = (rows: typeof was, host: string) =>
            rows.get(host)?.biz_id === business ? JSON.stringify(rows.get(host)?.modules) : undefined
          const hosts = new Set([...earlier.hosts.keys(), ...later.hosts.keys()])
          const moved = [...hosts].filter((host) => place(earlier.hosts, host) !== place(later.hosts, host))
          expect(told(['created', 'deleted', 'moved'], true), where).toEqual(moved.map((id) => `host ${id}`).toSorted())
          compared += data.count
        }
      }
    }
    expect(compared).toBeGreaterThan(20)
  })
})
