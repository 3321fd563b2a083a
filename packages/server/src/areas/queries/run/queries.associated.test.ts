import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { associate, declare, makeInstance } from '../../../testing/data/associations.ts'
import { makeHost, makeShop, type Shop } from '../../../testing/data/hosts.ts'
import { createQuery, entry, type Filter, infoOf, preview, runQuery, saveQuery } from '../../../testing/data/queries.ts'
import { subscriptionBody } from '../../../testing/data/subscriptions.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'

/** Saved queries that find hosts by what they are associated with. */
eachEngine((engine) => {
  describe.each([
    ['the documented dialect', []],
    ['the dialect of the original', ['--compat', 'bk-cmdb']],
  ])('in %s', (_dialect, flags) => {
    let server: TestServer
    let shop: Shop
    const host: Record<string, number> = {}
    const made: Record<string, number> = {}
    beforeAll(async () => {
      server = await startServer(engine, { flags })
      shop = await makeShop(server)
      await declare(server, 'bk_switch', 'host', { mapping: '1:n' })
      await declare(server, 'bk_router', 'host', { bk_asst_id: 'connect' })
      await declare(server, 'host', 'bk_router', { bk_asst_id: 'run' })
      for (const name of ['a', 'b', 'c', 'd']) {
        const modules = [name === 'd' ? shop.db : shop.web]
        host[name] = await makeHost(server, { business: shop.business, modules }, { bk_host_name: name })
      }
      host.other = await makeHost(server, {}, { bk_host_name: 'other' })
      for (const name of ['top', 'spare']) made[name] = await makeInstance(server, 'bk_switch', name)
      for (const name of ['north', 'south']) made[name] = await makeInstance(server, 'bk_router', name)
      for (const name of ['a', 'b', 'other']) await put('bk_switch_connect_host', 'top', name)
      await put('bk_router_connect_host', 'north', 'b')
      await put('host_run_bk_router', 'c', 'north')
      await put('host_run_bk_router', 'd', 'south')
    })
    afterAll(() => server.close())

    const idOf = (name: string) => made[name] ?? host[name] ?? 0
    async function put(association: string, source: string, target: string) {
      const done = await associate(server, association, idOf(source), idOf(target))
      expect(done.bk_error_msg).toMatch(/^(success)?$/)
      return done.data.id
    }
    const nameField = entry('host', [], ['bk_host_name'])
    const names = (rows: { host: Record<string, unknown> }[]) => rows.map((row) => row.host.bk_host_name).join('')
    const found = async (...entries: unknown[]) => {
      const { data, bk_error_msg } = await preview(server, shop.business, infoOf(nameField, ...entries))
      expect(bk_error_msg).toMatch(/^(success)?$/)
      expect(data.count).toBe(data.info.length)
      return names(data.info)
    }
    const by = (object: string, ...filters: Filter[]) => found(entry(object, filters))
    const through = (bk_obj_asst_id: string, object: string, ...filters: Filter[]) =>
      found({ ...entry(object, filters), bk_obj_asst_id })

    it('finds the hosts of the business that are associated with a matching instance, at either end', async () => {
      expect(await by('bk_switch', ['bk_inst_name', '$eq', 'top'])).toBe('ab')
      expect(await by('bk_switch', ['bk_inst_name', '$in', ['spare', 'none']])).toBe('')
      expect(await by('bk_switch', ['bk_inst_name', '$regex', '^T.P$'])).toBe('')
      expect(await by('bk_switch', ['bk_inst_name', '$regex', '^t.p$'])).toBe('ab')
      expect(await by('bk_switch', ['bk_inst_id', '$ne', made.top])).toBe('')
      expect(await by('bk_router', ['bk_inst_id', '$exists', true])).toBe('bcd')
      expect(await by('bk_router', ['bk_inst_name', '$eq', 'north'])).toBe('bc')
    })

    it('follows only the association that an entry names', async () => {
      expect(await through('bk_router_connect_host', 'bk_router', ['bk_inst_name', '$eq', 'north'])).toBe('b')
      expect(await through('host_run_bk_router', 'bk_router', ['bk_inst_name', '$eq', 'north'])).toBe('c')
    })

    it('combines with other filters; those on one object are about one instance', async () => {
      const switched = entry('bk_switch', [['bk_inst_name', '$eq', 'top']])
      const routed = entry('bk_router', [['bk_inst_name', '$eq', 'north']])
      expect(await found(switched, routed)).toBe('b')
      expect(await found(routed, entry('host', [['bk_host_name', '$ne', 'b']]))).toBe('c')
      expect(
        await found(
          entry('module', [['bk_module_name', '$eq', 'db']]),
          entry('bk_router', [['bk_inst_id', '$exists', true]]),
        ),
      ).toBe('d')
      expect(await found(routed, entry('bk_router', [['bk_inst_name', '$eq', 'south']]))).toBe('')
      // As everywhere, an entry without filters filters nothing.
      expect(await found(entry('bk_switch'))).toBe('abcd')
    })

    it('finds what is associated now, in every page of a saved query', async () => {
      const info = infoOf(nameField, entry('bk_switch', [['bk_inst_name', '$eq', 'spare']]))
      const query = await saveQuery(server, shop.business, info)
      const answer = async (page = {}) => {
        const { data } = await runQuery(server, shop.business, query, page)
        return [data.count, names(data.info)]
      }
      expect(await answer()).toEqual([0, ''])
      const ids = [await put('bk_switch_connect_host', 'spare', 'c'), await put('bk_switch_connect_host', 'spare', 'd')]
      expect(await answer()).toEqual([2, 'cd'])
      expect(await answer({ start: 1, limit: 1 })).toEqual([2, 'd'])
      expect(await answer({ after: host.c ?? 0 })).toEqual([2, 'd'])
      const csv = await fetch(`${server.url}/api/v3/integrations/csv/${shop.business}/${query}`)
      expect((await csv.text()).trim().split(/\r?\n/)).toHaveLength(3)
      const rename = (bk_inst_name: string) => server.call('PUT', `/inst/0/bk_switch/${made.spare}`, { bk_inst_name })
      await rename('moved')
      expect(await answer()).toEqual([0, ''])
      await rename('spare')
      expect(await answer()).toEqual([2, 'cd'])
      await server.call('DELETE', `/inst/association/${ids[0]}/action/delete`)
      expect(await answer()).toEqual([1, 'd'])
      await server.call('DELETE', `/inst/association/${ids[1]}/action/delete`)
    })

    it('refuses what is not associated with hosts, with what is', async () => {
      const refused = async (more: object, ...saying: string[]) => {
        const answer = await createQuery(server, shop.business, infoOf({ ...entry('bk_switch'), ...more }))
        expect(answer).toMatchObject({ result: false, bk_error_code: 1199011 })
        for (const part of saying) expect(answer.bk_error_msg).toContain(part)
      }
      await refused({ bk_obj_id: 'bk_firewall' }, 'condition[0].bk_obj_id', 'bk_switch, bk_router')
      await refused({ bk_obj_id: 'unheard_of' }, 'condition[0].bk_obj_id')
      await refused({ bk_obj_asst_id: 'host_run_bk_router' }, 'bk_switch_connect_host')
      await refused({ condition: [{ field: 'colour', operator: '$eq', value: 'red' }] }, 'colour')
    })

    it('is answered to callers who may search the object', async () => {
      const olga = { BK_User: 'olga' }
      const info = infoOf(nameField, entry('bk_switch', [['bk_inst_name', '$eq', 'top']]))
      const query = await saveQuery(server, shop.business, info)
      // The answer of an administrator is cached.
      expect((await runQuery(server, shop.business, query)).data.count).toBe(2)
      const subscribe = () =>
        server.call(
          'POST',
          '/event/subscribe/0/0',
          subscriptionBody('http://127.0.0.1:9/', { subscription_form: `customquery:${query}` }),
          olga,
        )
      const refusedTo = async (ask: () => Promise<{ bk_error_code: number | string; bk_error_msg: string | null }>) => {
        const { bk_error_code, bk_error_msg } = await ask()
        expect([bk_error_code, bk_error_msg]).toEqual([9900403, expect.stringContaining('bk_switch')])
      }
      await refusedTo(() => runQuery(server, shop.business, query, {}, olga))
      await refusedTo(() => preview(server, shop.business, info, {}, olga))
      await refusedTo(() => server.call('GET', `/integrations/csv/${shop.business}/${query}`, undefined, olga))
      await server.call('POST', '/topo/privilege/group/0', { group_name: 'readers', user_list: 'olga' })
      const groups = await server.call<{ group_id: string }[]>('POST', '/topo/privilege/group/0/search', {})
      const grant = (actions: string[]) =>
        server.call('POST', `/topo/privilege/group/detail/0/${groups.data[0]?.group_id}`, {
          sys_config: { global_busi: [], back_config: ['event'] },
          model_config: { bk_network: { bk_switch: actions } },
        })
      await grant(['update'])
      await refusedTo(subscribe)
      await grant(['search'])
      expect((await runQuery(server, shop.business, query, {}, olga)).data.count).toBe(2)
      expect((await preview(server, shop.business, info, {}, olga)).data.count).toBe(2)
      expect(await subscribe()).toMatchObject({ result: true })
    })
  })
})
