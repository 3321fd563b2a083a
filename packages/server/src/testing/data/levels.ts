import type { Connection } from '../../storage/connection.ts'
import { readerOver } from '../../storage/handles.ts'
import type { Answer, TestServer } from '../harness.ts'

/** A level directly above sets, inserted into the model of account "0" as rows: nothing moves under it. */
export const putLevel = ({ service }: TestServer, id: string, above = 'biz'): Promise<void> =>
  service.storage.change(
    { user: 'test', account: '0', requestId: '' },
    async (tx) => {
      const times = { creator: 'test', create_time: tx.now, last_time: tx.now }
      const own = { account: '0', object_id: id }
      const looks = { classification_id: 'bk_biz_topo', name: id, icon: '', preset: 0, paused: 0 }
      await tx
        .updateTable('object')
        .set({ above: id })
        .where('account', '=', '0')
        .where('object_id', '=', 'set')
        .execute()
      await tx
        .insertInto('object')
        .values({ ...own, ...looks, ...times, above })
        .execute()
      const group = { group_id: 'default', name: 'default', position: 0, preset: 0 }
      await tx
        .insertInto('attribute_group')
        .values({ ...own, ...group })
        .execute()
      const name = { attribute_id: 'bk_inst_name', name: 'name', group_id: 'default', position: 0, type: 'singlechar' }
      const rules = { options: '', unit: '', placeholder: '', required: 1, editable: 1, preset: 0 }
      await tx
        .insertInto('attribute')
        .values({ ...own, ...name, ...rules, ...times })
        .execute()
      await tx
        .updateTable('account')
        .set((eb) => ({ model_version: eb('model_version', '+', 1) }))
        .where('name', '=', '0')
        .execute()
    },
    { chain: 'exclusive' },
  )

/** Pauses or resumes changes of an object's instances. */
export const pause = ({ service }: TestServer, object: string, paused: boolean): Promise<void> =>
  service.storage.change({ user: 'test', account: '0', requestId: '' }, async (tx) => {
    await tx
      .updateTable('object')
      .set({ paused: Number(paused) })
      .where('account', '=', '0')
      .where('object_id', '=', object)
      .execute()
    await tx
      .updateTable('account')
      .set((eb) => ({ model_version: eb('model_version', '+', 1) }))
      .where('name', '=', '0')
      .execute()
  })

type Page = { count: number; info: Record<string, unknown>[] }

/** An instance created through the API; returns its id. */
export async function makeInstance(server: TestServer, object: string, body: Record<string, unknown>): Promise<number> {
  const made = await server.call<{ bk_inst_id: number }>('POST', `/inst/0/${object}`, body)
  if (!made.result) throw new Error(made.bk_error_msg ?? '')
  return made.data.bk_inst_id
}

export const findInstances = (
  server: TestServer,
  object: string,
  condition: unknown = {},
  more: Record<string, unknown> = {},
): Promise<Answer<Page>> =>
  server.call<Page>('POST', `/inst/search/owner/0/object/${object}`, { condition, page: { limit: 200 }, ...more })

/** A module created through the API; returns its id. */
export async function makeModule(server: TestServer, business: number, set: number, name: string): Promise<number> {
  const made = await server.call<{ bk_module_id: number }>('POST', `/module/${business}/${set}`, {
    bk_module_name: name,
  })
  if (!made.result) throw new Error(made.bk_error_msg ?? '')
  return made.data.bk_module_id
}

export const findModules = (
  server: TestServer,
  business: number,
  set: number,
  body: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Answer<Page>> => server.call<Page>('POST', `/module/search/0/${business}/${set}`, body, headers)

/**
 * Two readers, each to be used once: during the first read of one, a level is inserted below another object, and during that of the second it is
 * removed.
 */
export function whileLevelComesAndGoes(server: TestServer, above: string) {
  const under = server.service.storage.engine
  const level = { bk_classification_id: 'bk_biz_topo', bk_obj_id: 'between', bk_obj_name: 'Between' }
  const changes: [method: string, path: string, body?: object][] = [
    ['POST', '/topo/model/mainline', { ...level, bk_asst_obj_id: above }],
    ['DELETE', '/topo/model/mainline/owners/0/objectids/between'],
  ]
  return changes.map(([method, path, body]) => {
    let happens: Promise<Answer> | undefined
    const query: Connection['query'] = async (sql, parameters) => {
      const rows = await under.heavyReads.query(sql, parameters)
      happens ??= server.call(method, path, body)
      await happens
      // Reading the new levels evicts the old ones from the cache.
      await server.call('GET', '/topo/model/0')
      return rows
    }
    return { heavy: readerOver({ ...under.heavyReads, query }, under), happened: () => happens }
  })
}
