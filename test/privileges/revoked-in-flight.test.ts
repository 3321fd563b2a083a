// A request that was judged, and then waited for its turn, while its privilege was revoked.
import {
  type Allow,
  associations,
  businesses,
  type Endpoint,
  history,
  hosts,
  instances,
  model,
  modules,
  moves,
  queries,
  rolePrivileges,
  sets,
  subscriptions,
  transfer,
} from '@mainline/contract'
import { endpoints } from '@mainline/contract/endpoints'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { bindRole, giveGroup } from '../../packages/server/src/areas/privileges/index.ts'
import type { Tx } from '../../packages/server/src/storage/index.ts'
import { declare } from '../../packages/server/src/testing/data/associations.ts'
import { findRecords, makeSet, setBody } from '../../packages/server/src/testing/data/factories.ts'
import { freshAddress, makeHost, makeShop, type Shop } from '../../packages/server/src/testing/data/hosts.ts'
import { makeModule } from '../../packages/server/src/testing/data/levels.ts'
import { infoOf } from '../../packages/server/src/testing/data/queries.ts'
import { call, eachEngine, startServer, type TestServer } from '../../packages/server/src/testing/harness.ts'
import { readLog } from '../../packages/server/src/testing/inspect/log.ts'
import { type ServerProcess, spawnServer } from '../../packages/server/src/testing/process.ts'

interface Sent {
  readonly endpoint: Endpoint
  readonly path: string
  readonly body?: unknown
  /** Imported, in place of a body. */
  readonly file?: string
}

const admin = { user: 'admin', account: '0', requestId: '' }
const role = { bk_obj_id: 'biz', bk_property_id: 'bk_biz_developer' } as const
const everything = {
  sys_config: { global_busi: ['resource'] },
  back_config: ['event', 'model', 'audit'],
  model_config: { any: { plat: ['create', 'update', 'delete', 'search'] } },
}
/** Judged by stored grants, and not in its own way: edits of hosts are tested in revoking.test.ts. */
const isRevocable = ({ need }: Allow) => !['nothing', 'administrator', 'self', 'hosts'].includes(need)

eachEngine((engine) => {
  let server: TestServer
  /** On PostgreSQL another process than the one that revokes handles the requests. */
  let other: ServerProcess | undefined
  let shop: Shop
  let group: string
  let requests: Sent[]

  beforeAll(async () => {
    server = await startServer(engine, { flags: ['--connections=5'] })
    shop = await makeShop(server)
    const { business, web, db } = shop
    const [doomed, emptied, unmade] = [
      await makeSet(server, business),
      await makeSet(server, business),
      await makeSet(server, business),
    ]
    const module = await makeModule(server, business, emptied, 'emptied')
    const [host, moved, settled] = [
      await makeHost(server, { business, modules: [web] }),
      await makeHost(server, { business, modules: [web] }),
      await makeHost(server, { business }),
    ]
    const area = await server.call<{ bk_inst_id: number }>('POST', '/inst/0/plat', { bk_cloud_name: 'area' })
    const { bk_obj_asst_id } = await declare(server, 'host', 'plat')
    await server.call('PUT', `/biz/0/${business}`, { bk_biz_developer: 'eve' })
    await server.call('POST', '/topo/privilege/group/0', { group_name: 'eves', user_list: 'eve' })
    const groups = await server.call<{ group_id: string }[]>('POST', '/topo/privilege/group/0/search', {})
    group = groups.data[0]?.group_id ?? ''
    const form = { subscription_name: 'eve', callback_url: 'http://127.0.0.1:9/', subscription_form: 'hostcreate' }
    const attribute = { bk_obj_id: 'host', bk_property_id: 'in_flight', bk_property_name: 'in flight' }
    const here = { bk_biz_id: business }
    requests = [
      { endpoint: sets.createSet, path: `/set/${business}`, body: setBody(business) },
      {
        endpoint: sets.updateSet,
        path: `/set/${business}/${emptied}`,
        body: { bk_biz_id: business, bk_set_desc: 'late' },
      },
      { endpoint: sets.deleteSet, path: `/set/${business}/${doomed}` },
      {
        endpoint: modules.createModule,
        path: `/module/${business}/${emptied}`,
        body: { bk_module_name: 'late', bk_parent_id: emptied },
      },
      { endpoint: modules.deleteModule, path: `/module/${business}/${emptied}/${module}` },
      { endpoint: businesses.updateBusiness, path: `/biz/0/${business}`, body: { bk_biz_tester: 'eve' } },
      {
        endpoint: moves.moveToModules,
        path: '/hosts/modules',
        body: { ...here, bk_host_id: [moved], bk_module_id: [db] },
      },
      {
        endpoint: hosts.addHosts,
        path: '/hosts/add',
        body: { ...here, host_info: { 0: { bk_host_innerip: freshAddress() } } },
      },
      { endpoint: moves.moveToPool, path: '/hosts/modules/resource', body: { ...here, bk_host_id: [settled] } },
      { endpoint: queries.createQuery, path: '/userapi', body: { ...here, name: 'late', info: infoOf() } },
      { endpoint: subscriptions.subscribeEvent, path: '/event/subscribe/0/2', body: form },
      { endpoint: model.createAttribute, path: '/object/attr', body: { ...attribute, bk_property_type: 'int' } },
      { endpoint: instances.createInstance, path: '/inst/0/plat', body: { bk_cloud_name: 'late' } },
      { endpoint: transfer.importHosts, path: `/import/hosts/${business}`, file: `bk_host_innerip\n${freshAddress()}` },
      {
        endpoint: associations.createInstanceAssociation,
        path: '/inst/association/action/create',
        body: { bk_obj_asst_id, bk_inst_id: host, bk_asst_inst_id: area.data.bk_inst_id },
      },
      { endpoint: history.undo, path: '/history/undo', body: { positions: [await positionOf(unmade)] } },
    ]
    if (engine === 'postgres') other = await spawnServer(server.store, ['--connections=25'])
  })
  afterAll(async () => {
    await other?.end('SIGTERM')
    await server.close()
  })

  /** Of the record that a set was created. */
  async function positionOf(set: number): Promise<number> {
    return vi.waitUntil(
      async () => (await findRecords(server, { op_target: 'set', inst_id: set })).data.info[0]?.position,
    )
  }

  const give = async (tx: Tx, what: 'everything' | 'nothing') => {
    await bindRole(tx, role, what === 'everything' ? rolePrivileges : [])
    await giveGroup(tx, group, what === 'everything' ? everything : {})
  }
  const change = (work: (tx: Tx) => Promise<void>) => server.service.storage.change(admin, work, { chain: 'none' })
  const send = async ({ endpoint, path, body, file }: Sent): Promise<number> => {
    const headers = { BK_User: 'eve', cc_request_id: endpoint.name }
    const url = other?.url ?? server.url
    if (file === undefined) return (await call(url, endpoint.method, path, body, headers)).status
    const type = { 'content-type': 'text/csv' }
    const answer = await fetch(`${url}/api/v3${path}`, { method: 'POST', body: file, headers: { ...headers, ...type } })
    await answer.text()
    return answer.status
  }

  /** Requests that have been judged and wait for the account. */
  async function waiting(): Promise<number> {
    const { engine: opened, read } = server.service.storage
    if (engine === 'sqlite') return opened.load().queues.changes ?? 0
    const locked = sql<{ count: number }>`(SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%"account"%')`
    const { count } = await read.selectFrom(locked.as('locked')).select('locked.count').executeTakeFirstOrThrow()
    return count
  }

  it('covers every kind of privilege that can be revoked', () => {
    const revocable = endpoints.filter(({ effect, allow }) => effect === 'write' && isRevocable(allow))
    const tried = new Set(requests.map(({ endpoint }) => endpoint.allow.need))
    expect(revocable.map(({ allow }) => allow.need).filter((need) => !tried.has(need))).toEqual([])
  })

  it.each([
    ['of the model, which lock the account exclusively', ({ area }: Endpoint) => area === 'Model'],
    ['of everything else', ({ area }: Endpoint) => area !== 'Model'],
  ])('no change takes effect after its privilege was revoked, however early it was judged: %s', async (_, isMeant) => {
    const meant = requests.filter(({ endpoint }) => isMeant(endpoint))
    await change((tx) => give(tx, 'everything'))
    let sent: ReturnType<typeof send>[] = []
    await change(async (tx) => {
      const account = tx.selectFrom('account').select('name').where('name', '=', '0')
      await (tx.dialect.locksRows ? account.forUpdate() : account).execute()
      sent = meant.map(send)
      await expect.poll(waiting, { timeout: 4_000 }).toBeGreaterThanOrEqual(meant.length)
      await give(tx, 'nothing')
    })
    const names = meant.map(({ endpoint }) => endpoint.name)
    const statuses = await Promise.all(sent)
    expect(names.map((name, index) => [name, statuses[index]])).toEqual(names.map((name) => [name, 403]))
    const log = await readLog(server.service.storage.read)
    expect(log.filter(({ request_id }) => names.includes(request_id))).toEqual([])
  })

  it('the same requests succeed while the privileges are held', async () => {
    await change((tx) => give(tx, 'everything'))
    for (const each of requests) expect([each.endpoint.name, await send(each)]).toEqual([each.endpoint.name, 200])
  })
})
