import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { missingEditGrant } from '../../packages/server/src/areas/privileges/index.ts'
import { makeBusiness } from '../../packages/server/src/testing/data/factories.ts'
import { makeHost } from '../../packages/server/src/testing/data/hosts.ts'
import {
  type Answer,
  call,
  eachEngine,
  startServer,
  type TestServer,
} from '../../packages/server/src/testing/harness.ts'
import { readLog } from '../../packages/server/src/testing/inspect/log.ts'
import { type ServerProcess, spawnServer } from '../../packages/server/src/testing/process.ts'

/** A privilege to edit a host, and how it is granted and revoked. */
interface Right {
  readonly host: number
  readonly grant: Change
  readonly revoke: Change
}
type Change = readonly [method: string, path: string, body: unknown]

const kinds = ['binding of the role', 'role in the business', 'member of the group', 'grant of the group'] as const

/** A request id has no spaces. */
const idOf = (...parts: readonly (string | number)[]) => parts.join('-').replaceAll(' ', '-')

const admin = { user: 'admin', account: '0', requestId: '' }

eachEngine((engine) => {
  describe('a privilege that is revoked while it is used', () => {
    let server: TestServer
    /** If processes share a database, privileges are changed through one process and used through another. */
    let other: ServerProcess | undefined
    let rights: Record<(typeof kinds)[number], Right>

    beforeAll(async () => {
      server = await startServer(engine)
      const [first, second] = [await makeBusiness(server), await makeBusiness(server)]
      await server.call('PUT', `/biz/0/${first}`, { bk_biz_tester: 'eve' })
      await server.call('POST', '/topo/privilege/0/biz/bk_biz_developer', ['hostupdate'])
      const groups = '/topo/privilege/group'
      const createGroup = async (group_name: string, user_list: string) => {
        await server.call('POST', `${groups}/0`, { group_name, user_list })
        const found = await server.call<{ group_id: string }[]>('POST', `${groups}/0/search`, { group_name })
        return found.data[0]?.group_id ?? ''
      }
      const [members, grants] = [await createGroup('members', 'zoe'), await createGroup('grants', 'eve')]
      const resource = { sys_config: { global_busi: ['resource'] } }
      await server.call('POST', `${groups}/detail/0/${members}`, resource)
      const role = '/topo/privilege/0/biz/bk_biz_tester'
      const pooled = await makeHost(server)
      rights = {
        'binding of the role': {
          host: await makeHost(server, { business: first }),
          grant: ['POST', role, ['hostupdate']],
          revoke: ['POST', role, []],
        },
        'role in the business': {
          host: await makeHost(server, { business: second }),
          grant: ['PUT', `/biz/0/${second}`, { bk_biz_developer: 'eve,zoe' }],
          revoke: ['PUT', `/biz/0/${second}`, { bk_biz_developer: 'zoe' }],
        },
        'member of the group': {
          host: pooled,
          grant: ['PUT', `${groups}/0/${members}`, { user_list: 'eve;zoe' }],
          revoke: ['PUT', `${groups}/0/${members}`, { user_list: 'zoe' }],
        },
        'grant of the group': {
          host: pooled,
          grant: ['POST', `${groups}/detail/0/${grants}`, resource],
          revoke: ['POST', `${groups}/detail/0/${grants}`, { sys_config: { global_busi: [] } }],
        },
      }
      if (engine === 'postgres') other = await spawnServer(server.store)
    })
    afterAll(async () => {
      await other?.end('SIGTERM')
      await server.close()
    })

    const change = (what: Change, cc_request_id = '') => call(other?.url ?? server.url, ...what, { cc_request_id })
    const edit = (host: number, id: string) =>
      server.call(
        'PUT',
        '/hosts/batch',
        { bk_host_id: `${host}`, bk_comment: id },
        { BK_User: 'eve', cc_request_id: id },
      )

    /** Those of the requests whose record is behind that of the revocation. */
    async function behind(revocation: string, requests: readonly string[]): Promise<string[]> {
      const log = await readLog(server.service.storage.read)
      const revoked = log.find(({ request_id }) => request_id === revocation)?.position
      expect(revoked).toBeGreaterThan(0)
      return log
        .filter(({ request_id, position }) => requests.includes(request_id) && position > (revoked ?? 0))
        .map(({ request_id }) => request_id)
    }

    it.each(kinds)(
      'has no effect behind its revocation in the log, when both have waited for one turn: %s',
      async (kind) => {
        const { host, grant, revoke } = rights[kind]
        expect(await change(grant)).toMatchObject({ result: true })
        const ids = [idOf(kind, 'before'), idOf(kind, 'behind')] as const
        let sent: ReturnType<typeof change>[] = []
        // On SQLite all of them wait for this change, in this order; on PostgreSQL for its lock, in any order.
        await server.service.storage.change(
          admin,
          async () => {
            sent = [edit(host, ids[0])]
            await pause(100)
            sent.push(change(revoke, idOf(kind, 'revoke')))
            await pause(100)
            sent.push(edit(host, ids[1]))
            await pause(100)
          },
          { chain: 'exclusive' },
        )
        const [, revoked] = await Promise.all(sent)
        expect(revoked).toMatchObject({ result: true })
        expect(await behind(idOf(kind, 'revoke'), ids)).toEqual([])
        expect(await edit(host, idOf(kind, 'after'))).toMatchObject({ status: 403 })
      },
    )

    it.each(kinds)('is revoked once the changes judged by it are committed: %s', async (kind) => {
      const { host, grant, revoke } = rights[kind]
      expect(await change(grant)).toMatchObject({ result: true })
      const [used, revoking] = [idOf(kind, 'judged'), idOf(kind, 'revoked meanwhile')]
      const eve = { user: 'eve', account: '0', requestId: used }
      let revoked: ReturnType<typeof change> | undefined
      await server.service.storage.change(eve, async (tx) => {
        expect(await missingEditGrant([])(tx, [host])).toBeUndefined()
        revoked = change(revoke, revoking)
        await Promise.race([revoked, pause(500)])
        tx.record({
          ...{ operation: 'update', object: 'host', instance: host, business: 0, description: 'update host' },
          ...{ revision: 2, before: null, after: null, events: [] },
        })
      })
      expect(await revoked).toMatchObject({ result: true })
      expect(await behind(revoking, [used])).toEqual([])
    })

    it.each(kinds)('has no effect behind its revocation, in either order: %s', async (kind) => {
      const { host, grant, revoke } = rights[kind]
      const late: string[] = []
      for (let round = 0; round < 5; round++) {
        expect(await change(grant)).toMatchObject({ result: true })
        const ids = Array.from({ length: 8 }, (_, nth) => idOf(kind, round, nth))
        const revocation = idOf(kind, round, 'revoke')
        const [early, later] = [ids.slice(0, 4), ids.slice(4)]
        const sent: Promise<Answer>[] = early.map((id) => edit(host, id))
        sent.push(change(revoke, revocation), ...later.map((id) => edit(host, id)))
        const answers = await Promise.all(sent)
        expect(answers.filter(({ status }) => status !== 200 && status !== 403)).toEqual([])
        late.push(...(await behind(revocation, ids)))
      }
      expect(late).toEqual([])
    })
  })
})
