import type { history } from '@mainline/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { makeHost, makeShop } from '../../../testing/data/hosts.ts'
import { subscribe } from '../../../testing/data/subscriptions.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { readLog } from '../../../testing/inspect/log.ts'
import { refuses } from '../../../testing/inspect/rows.ts'

type Method = 'POST' | 'PUT' | 'DELETE'

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
  })
  afterAll(() => server.close())

  const undo = (body: unknown) => server.call<history.UndoResult>('POST', '/history/undo', body)
  const newest = async () => (await readLog(server.service.storage.read)).at(-1)?.txn_id
  const send = async <Data = { id: number }>(method: Method, path: string, body?: unknown) => {
    const answer = await server.call<Data>(method, path, body)
    expect(answer.bk_error_msg, path).toBe('')
    return answer.data
  }
  const attributeOf = async (object: string, attribute: string) => {
    const found = await send<{ id: number; bk_property_id: string }[]>('POST', '/object/attr/search', {
      bk_obj_id: object,
    })
    return found.find((each) => each.bk_property_id === attribute)?.id ?? 0
  }
  const ruleOn = async (object: string, ...attributes: string[]) => {
    const keys = await Promise.all(
      attributes.map(async (id) => ({ key_kind: 'property', key_id: await attributeOf(object, id) })),
    )
    return send('POST', `/object/${object}/unique/action/create`, { keys })
  }
  const rulesOf = async (object: string) => {
    const path = `/object/${object}/unique/action/search`
    return (await server.call<{ id: number }[]>('GET', path)).data.filter(({ id }) => id > 0)
  }
  const makeObject = (id: string) =>
    send('POST', '/object', { bk_obj_id: id, bk_obj_name: id, bk_classification_id: 'bk_network' })

  describe('records that cannot be undone', () => {
    async function expectFinal(): Promise<void> {
      const txn_id = await newest()
      for (const on_conflict of ['refuse', 'force']) {
        const answer = await undo({ txn_id, on_conflict })
        expect(answer).toMatchObject({ status: 409, bk_error_code: 1199409 })
        const [conflict] = answer.data.records[0]?.conflicts ?? []
        expect(conflict).toMatchObject({ why: 'records of this kind cannot be undone', forcible: false })
      }
      expect((await undo({ txn_id, on_conflict: 'skip' })).data).toMatchObject({ undone: 0, conflict: 1 })
      expect(await newest()).toBe(txn_id)
    }

    it('are those of subscriptions', async () => {
      const { path } = await subscribe(server, { url: 'http://127.0.0.1:1/' })
      await expectFinal()
      await send('DELETE', path)
      await expectFinal()
    })

    it('are those of unique rules', async () => {
      await makeObject('shelf')
      const { id } = await ruleOn('shelf', 'bk_inst_name')
      await expectFinal()
      await send('DELETE', `/object/shelf/unique/${id}/action/delete`)
      await expectFinal()
    })
  })

  describe('a unique rule', () => {
    it('that was made since keeps its object, and the attribute that it is about', async () => {
      const { id: object } = await makeObject('drawer')
      const creation = await newest()
      await send('POST', '/object/attr', {
        bk_obj_id: 'drawer',
        bk_property_id: 'label',
        bk_property_name: 'Label',
        bk_property_type: 'singlechar',
      })
      const attribute = await newest()
      await ruleOn('drawer', 'label')
      for (const on_conflict of ['refuse', 'force']) {
        for (const txn_id of [creation, attribute]) {
          const answer = await undo({ txn_id, on_conflict })
          expect(answer).toMatchObject({ status: 409, bk_error_code: 1199409 })
          expect(answer.data.records[0]?.conflicts[0]).toMatchObject({ forcible: false })
        }
      }
      expect(await rulesOf('drawer')).toHaveLength(1)
      await send('DELETE', `/object/attr/${await attributeOf('drawer', 'label')}`).catch(() => {})
      expect(object).toBeGreaterThan(0)
    })

    it('is named when its object returns, which does without it if that is left out', async () => {
      const { id: object } = await makeObject('crate')
      await ruleOn('crate', 'bk_inst_name')
      await send('DELETE', `/object/${object}`)
      const txn_id = await newest()
      const refused = await undo({ txn_id })
      expect(refused).toMatchObject({ status: 409, bk_error_code: 1199409 })
      expect(refused.data).toMatchObject({ undone: 1, conflict: 1 })
      expect((await undo({ txn_id, on_conflict: 'skip' })).data).toMatchObject({ undone: 1, conflict: 1 })
      await send('POST', '/inst/0/crate', { bk_inst_name: 'c1' })
      expect(await rulesOf('crate')).toEqual([])
    })

    it('is kept by instances that return: a value that another one has taken is a conflict', async () => {
      await makeObject('tag')
      const add = { bk_obj_id: 'tag', bk_property_id: 'code', bk_property_name: 'Code', bk_property_type: 'singlechar' }
      await send('POST', '/object/attr', add)
      await ruleOn('tag', 'code')
      const make = (name: string) =>
        send<{ bk_inst_id: number }>('POST', '/inst/0/tag', { bk_inst_name: name, code: 'A' })
      const { bk_inst_id: first } = await make('one')
      await send('DELETE', `/inst/0/tag/${first}`)
      const txn_id = await newest()
      const { bk_inst_id: second } = await make('two')
      const answer = await undo({ txn_id })
      expect(answer).toMatchObject({ status: 409, bk_error_code: 1199409 })
      expect(answer.data.records[0]?.conflicts[0]?.why).toContain(`tag ${second}`)
      expect((await undo({ txn_id, on_conflict: 'skip' })).data).toMatchObject({ undone: 0, conflict: 1 })
      // The value of the second one becomes free by the same undo.
      await send('DELETE', `/inst/0/tag/${second}`)
      expect((await undo({ txn_id })).data).toMatchObject({ undone: 1 })
      await refuses(server, 1199014, 'code', () =>
        server.call('POST', '/inst/0/tag', { bk_inst_name: 'three', code: 'A' }),
      )
      await send('PUT', `/inst/0/tag/${first}`, { code: 'B' })
      const change = await newest()
      await make('four')
      const changed = await undo({ txn_id: change })
      expect(changed).toMatchObject({ status: 409, bk_error_code: 1199409 })
    })

    it('is kept by hosts that return, also about addresses and areas', async () => {
      const { business, web } = await makeShop(server)
      await ruleOn('host', 'bk_cloud_id', 'bk_sn')
      const host = await makeHost(server, { business, modules: [web] }, { bk_sn: 'S-1' })
      await send('POST', '/hosts/modules/idle', { bk_biz_id: business, bk_host_id: [host] })
      await send('POST', '/hosts/modules/resource', { bk_biz_id: business, bk_host_id: [host] })
      await send('DELETE', '/hosts/batch', { bk_host_id: String(host) })
      const txn_id = await newest()
      expect((await undo({ txn_id })).data).toMatchObject({ undone: 1 })
      const again = { bk_biz_id: business, host_info: { 1: { bk_host_innerip: '10.77.0.1', bk_sn: 'S-1' } } }
      expect(await server.call('POST', '/hosts/add', again)).toMatchObject({ result: false })
      await send('DELETE', '/hosts/batch', { bk_host_id: String(host) })
      expect(await server.call('POST', '/hosts/add', again)).toMatchObject({ result: true })
      expect(await undo({ txn_id })).toMatchObject({ status: 409, bk_error_code: 1199409 })
    })
  })

  it('refuses what is left of a change once retention has removed its beginning', async () => {
    const business = await makeBusiness(server)
    const set = await makeSet(server, business)
    for (const name of ['a', 'b', 'c']) await send('POST', `/module/${business}/${set}`, { bk_module_name: name })
    await server.call('DELETE', `/set/${business}/${set}`, undefined, { cc_request_id: 'halved' })
    const log = await readLog(server.service.storage.read)
    const last = log.at(-1)
    const [first] = log.filter(({ txn_id }) => txn_id === last?.txn_id)
    const { engine: store } = server.service.storage
    await store.script(
      `DELETE FROM log WHERE position <= ${first?.position}; UPDATE log_head SET floor = ${first?.position} + 1`,
    )
    for (const body of [{ txn_id: last?.txn_id }, { request_id: 'halved' }]) {
      await refuses(server, 1199411, 'retention', () => undo({ ...body, on_conflict: 'force' }))
    }
    // Those that are asked for one by one are what the caller has seen.
    expect((await undo({ positions: [last?.position] })).data).toMatchObject({ undone: 1 })
  })
})
