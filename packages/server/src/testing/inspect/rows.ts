// Direct access to tables: stored rows, and rows that no operation creates.
import { listProblems } from '@mainline/contract'
import type { Insertable } from 'kysely'
import { expect } from 'vitest'
import type { Tables, Tx } from '../../storage/index.ts'
import type { Answer, TestServer } from '../harness.ts'

/** All rows that a request could have changed, without positions, which records get a little later. */
export async function stored({ service }: TestServer) {
  const { read } = service.storage
  const [
    businesses,
    nodes,
    hosts,
    addresses,
    placements,
    queries,
    settings,
    favourites,
    searches,
    records,
    subscriptions,
  ] = await Promise.all([
    read.selectFrom('business').selectAll().orderBy('node').execute(),
    read.selectFrom('node').selectAll().orderBy('id').execute(),
    read.selectFrom('host').selectAll().orderBy('id').execute(),
    read.selectFrom('host_ip').selectAll().orderBy('ip').orderBy('cloud').execute(),
    read.selectFrom('placement').selectAll().orderBy('host').orderBy('module').execute(),
    read.selectFrom('custom_query').selectAll().orderBy('id').execute(),
    read.selectFrom('setting').selectAll().orderBy('setting_id').execute(),
    read.selectFrom('favourite').selectAll().orderBy('id').execute(),
    read.selectFrom('search_history').selectAll().orderBy('id').execute(),
    read.selectFrom('log').select(['ticket', 'object_id', 'inst_id', 'content']).orderBy('ticket').execute(),
    read.selectFrom('subscription').selectAll().orderBy('id').execute(),
  ])
  return {
    businesses,
    nodes,
    hosts,
    addresses,
    placements,
    queries,
    settings,
    favourites,
    searches,
    records,
    subscriptions,
  }
}

type Refusal = Pick<Answer, 'status' | 'result' | 'bk_error_code' | 'bk_error_msg' | 'data'>

/** The request fails with this code and message and the status of the code, and nothing is stored. */
export async function refuses<A extends Refusal>(
  server: TestServer,
  code: number,
  saying: string,
  request: () => Promise<A>,
): Promise<A> {
  const before = await stored(server)
  const answer = await request()
  expect(answer).toMatchObject({ result: false, bk_error_code: code, data: null })
  expect(answer.bk_error_msg).toContain(saying)
  expect(listProblems()).toContainEqual(expect.objectContaining({ code, status: answer.status }))
  expect(await stored(server)).toEqual(before)
  return answer
}

const change = <T>({ service }: TestServer, work: (tx: Tx) => Promise<T>, account = '0') =>
  service.storage.change({ user: 'test', account, requestId: '' }, work)

const nodeOf = (tx: Tx, object: string, id: number) =>
  tx
    .selectFrom('node')
    .select(['id', 'business', 'biz_id', 'parent'])
    .where('object_id', '=', object)
    .where('inst_id', '=', id)
    .executeTakeFirstOrThrow()

/** A module in the set; returns its id. */
export const putModule = (server: TestServer, setId: number, name = 'web'): Promise<number> =>
  change(server, async (tx) => {
    const set = await nodeOf(tx, 'set', setId)
    const [id] = (await tx.drawIds('module', 1)) as [number]
    const times = { create_time: tx.now, last_time: tx.now }
    const place = { account: '0', business: set.business, biz_id: set.biz_id, parent: set.id, parent_id: setId }
    const own = { object_id: 'module', inst_id: id, name, name_key: name, built_in: 0, attributes: '{}' }
    await tx
      .insertInto('node')
      .values({ ...place, ...own, creator: 'test', ...times })
      .execute()
    return id
  })

/** A host of the module's business without placement, and the placement to add. */
export const hostFor = (server: TestServer, moduleId: number): Promise<Tables['placement']> =>
  change(server, async (tx) => {
    const module = await nodeOf(tx, 'module', moduleId)
    const [hostId] = (await tx.drawIds('host', 1)) as [number]
    const business = module.business as number
    const times = { create_time: tx.now, last_time: tx.now }
    const cloud = await nodeOf(tx, 'plat', 0)
    const own = { cloud: cloud.id, cloud_id: 0, inner_ip: `10.0.0.${hostId}`, attributes: '{}' }
    const host = await tx
      .insertInto('host')
      .values({ account: '0', host_id: hostId, business, ...own, ...times })
      .returning('id')
      .executeTakeFirstOrThrow()
    return { host: host.id, module: module.id, set_node: module.parent as number, business }
  })

/** A host in the module. */
export async function putHost(server: TestServer, moduleId: number): Promise<void> {
  const placement = await hostFor(server, moduleId)
  await change(server, async (tx) => void (await tx.insertInto('placement').values(placement).execute()))
}

/** A user-defined attribute on the object; gives the model a new version, as defining one does. */
export const putAttribute = (
  server: TestServer,
  object: string,
  attribute: Pick<Tables['attribute'], 'attribute_id' | 'type'> & Partial<Insertable<Tables['attribute']>>,
): Promise<void> =>
  change(server, async (tx) => {
    await tx
      .insertInto('attribute')
      .values({
        account: '0',
        object_id: object,
        name: attribute.attribute_id,
        group_id: 'default',
        position: 100,
        options: '',
        unit: '',
        placeholder: '',
        required: 0,
        editable: 1,
        preset: 0,
        creator: 'test',
        create_time: tx.now,
        last_time: tx.now,
        ...attribute,
      })
      .execute()
    await tx
      .updateTable('account')
      .set((eb) => ({ model_version: eb('model_version', '+', 1) }))
      .where('name', '=', '0')
      .execute()
  })
