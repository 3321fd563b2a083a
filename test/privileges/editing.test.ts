import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { moveToPool } from '../../packages/server/src/areas/hosts/placement/moves.ts'
import { makeBusiness, makeSet } from '../../packages/server/src/testing/data/factories.ts'
import { addRows, makeHost } from '../../packages/server/src/testing/data/hosts.ts'
import { makeModule } from '../../packages/server/src/testing/data/levels.ts'
import { importFile } from '../../packages/server/src/testing/data/transfer.ts'
import { type Answer, eachEngine, startServer, type TestServer } from '../../packages/server/src/testing/harness.ts'

const mover = { BK_User: 'mover' }
const keeper = { BK_User: 'keeper' }

eachEngine((engine) => {
  describe('adding a host that exists already', () => {
    let server: TestServer
    let business: number
    let module: number
    beforeAll(async () => {
      server = await startServer(engine)
      business = await makeBusiness(server)
      const set = await makeSet(server, business)
      module = await makeModule(server, business, set, 'web')
      await server.call('POST', '/topo/privilege/0/biz/bk_biz_tester', ['hosttrans'])
      await server.call('PUT', `/biz/0/${business}`, { bk_biz_tester: 'mover', bk_biz_maintainer: 'amy' })
      await server.call('POST', '/topo/privilege/group/0', { group_name: 'pool', user_list: 'keeper' })
      const [group] = (await server.call<[{ group_id: string }]>('POST', '/topo/privilege/group/0/search', {})).data
      await server.call('POST', `/topo/privilege/group/detail/0/${group.group_id}`, {
        sys_config: { global_busi: ['resource'] },
      })
    })
    afterAll(() => server.close())

    const comment = async (ip: string) => {
      const found = await server.call<{ info: [{ host: { bk_comment: string | null } }] }>('POST', '/hosts/search', {
        ip: { data: [ip], exact: 1, flag: 'bk_host_innerip' },
        condition: [{ bk_obj_id: 'host', fields: ['bk_comment'], condition: [] }],
      })
      return found.data.info[0].host.bk_comment
    }
    const denied = /permission denied.*hostupdate/

    it.each([
      ['who may move them', mover],
      ['who keeps the pool', keeper],
    ])('does not edit it for a user %s: the row is reported, the others are kept', async (_, who) => {
      const [old, fresh] = [`10.50.0.${who === mover ? 1 : 2}`, `10.51.0.${who === mover ? 1 : 2}`]
      await makeHost(server, { business }, { bk_host_innerip: old, bk_comment: 'theirs' })
      const rows = {
        1: { bk_host_innerip: old, bk_comment: 'mine' },
        2: { bk_host_innerip: fresh, bk_comment: 'new' },
      }
      const answer = await addRows(server, rows, { bk_biz_id: business }, who)
      expect(answer).toMatchObject({ result: false, data: { success: ['2'], error: [] } })
      expect(answer.data.update_error).toEqual([expect.stringMatching(denied)])
      expect([await comment(old), await comment(fresh)]).toEqual(['theirs', 'new'])

      const same = { 1: { bk_host_innerip: old, bk_comment: 'theirs' } }
      expect(await addRows(server, same, { bk_biz_id: business }, who)).toMatchObject({ result: true })
      const changed = { 1: { bk_host_innerip: old, bk_comment: 'ours' } }
      expect(await addRows(server, changed, { bk_biz_id: business }, { BK_User: 'amy' })).toMatchObject({
        result: true,
      })
      expect(await comment(old)).toBe('ours')
    })

    it('into modules moves it for users who may move, without editing it', async () => {
      const ip = '10.50.0.3'
      await makeHost(server, { business }, { bk_host_innerip: ip, bk_comment: 'theirs' })
      const sync = (bk_comment: string) =>
        server.call(
          'POST',
          '/hosts/sync/new/host',
          { bk_biz_id: business, bk_module_id: [module], host_info: { 1: { bk_host_innerip: ip, bk_comment } } },
          mover,
        )
      expect(await sync('mine')).toMatchObject({ result: false, bk_error_msg: expect.stringMatching(denied) })
      expect(await sync('theirs')).toMatchObject({ result: true })
      expect(await comment(ip)).toBe('theirs')
    })

    it('from a file fails the rows that would edit', async () => {
      const ip = '10.50.0.4'
      await makeHost(server, { business }, { bk_host_innerip: ip, bk_comment: 'theirs' })
      const file = `bk_host_innerip,bk_comment\n${ip},mine\n10.51.0.4,new\n`
      const { lines } = await importFile(server.url, `hosts/${business}`, file, '', mover)
      expect(lines).toMatchObject([
        { outcome: 'failed', code: 9900403, why: expect.stringMatching(denied) },
        { outcome: 'created' },
      ])
      expect(await comment(ip)).toBe('theirs')
    })

    it('is judged by the placement of the host when the change gets its turn', async () => {
      const ip = '10.50.0.5'
      const id = await makeHost(server, { business }, { bk_host_innerip: ip, bk_comment: 'theirs' })
      const admin = { user: 'admin', account: '0', requestId: '' }
      let waiting: Promise<Answer> | undefined
      await server.service.storage.change(admin, async (tx) => {
        await moveToPool(tx, business, [id])
        // The guard still sees the host in the business; the change waits for this one.
        const body = { bk_host_id: String(id), bk_comment: 'mine' }
        waiting = server.call('PUT', '/hosts/batch', body, { BK_User: 'amy' })
        await new Promise((resolve) => setTimeout(resolve, 300))
      })
      expect(await waiting).toMatchObject({ status: 403, bk_error_code: 9900403 })
      expect(await comment(ip)).toBe('theirs')
    })
  })
})
