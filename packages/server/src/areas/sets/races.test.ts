import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Tx } from '../../platform/storage/index.ts'
import { findSets, makeBusiness, makeSet, setBody } from '../../testing/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'

const actor = { user: 'amy', account: '0', requestId: 'race' }

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
  })
  afterAll(() => server.close())
  const change = <T>(work: (tx: Tx) => Promise<T>, chain: 'shared' | 'exclusive' = 'shared') =>
    server.service.storage.change(actor, work, { chain })

  /** A module below the set, as the module operations will make it, and a host that can be placed in it. */
  async function moduleAndHost(business: number, set: number) {
    return change(async (tx) => {
      const { node: home } = await tx
        .selectFrom('business')
        .select('node')
        .where('biz_id', '=', business)
        .executeTakeFirstOrThrow()
      const { id: parent } = await tx
        .selectFrom('node')
        .select('id')
        .where('object_id', '=', 'set')
        .where('inst_id', '=', set)
        .executeTakeFirstOrThrow()
      const times = { create_time: 0, last_time: 0 }
      const [moduleId] = (await tx.drawIds('module', 1)) as [number]
      const module = await tx
        .insertInto('node')
        .values({
          account: '0',
          object_id: 'module',
          inst_id: moduleId,
          business: home,
          parent,
          name: 'm',
          name_key: 'm',
          built_in: 0,
          attributes: '{}',
          creator: '',
          ...times,
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      const [hostId] = (await tx.drawIds('host', 1)) as [number]
      const host = await tx
        .insertInto('host')
        .values({ account: '0', host_id: hostId, business: home, attributes: '{}', ...times })
        .returning('id')
        .executeTakeFirstOrThrow()
      return { host: host.id, module: module.id, set_node: parent, business: home }
    })
  }

  it('a host that arrives while its set is being deleted: one of the two is refused, and no host stands in nothing', async () => {
    for (let round = 0; round < 10; round++) {
      const business = await makeBusiness(server)
      const set = await makeSet(server, business)
      const place = await moduleAndHost(business, set)
      const arrives = change(async (tx) => {
        await tx.insertInto('placement').values(place).execute()
        await pause(round)
      }).then(
        () => true,
        () => false,
      )
      const deleted = await server.call('DELETE', `/set/${business}/${set}`)
      const arrived = await arrives
      expect(deleted.result).toBe(!arrived)
      if (!deleted.result) expect(deleted.bk_error_code).toBe(1101030)
      expect((await findSets(server, business, { bk_set_id: set })).data.count).toBe(arrived ? 1 : 0)
    }
  })

  it('a set created while a level is being inserted above it is refused, never placed beside the level', async () => {
    const business = await makeBusiness(server)
    const inside = Promise.withResolvers<void>()
    const inserting = change(async (tx) => {
      inside.resolve()
      await pause(100)
      const level = {
        account: '0',
        object_id: 'region',
        classification_id: 'bk_biz_topo',
        name: 'Region',
        icon: '',
        preset: 0,
      }
      await tx.updateTable('object').set({ above: 'region' }).where('object_id', '=', 'set').execute()
      await tx
        .insertInto('object')
        .values({ ...level, above: 'biz' })
        .execute()
      await tx
        .updateTable('account')
        .set((eb) => ({ model_version: eb('model_version', '+', 1) }))
        .execute()
    }, 'exclusive')
    await inside.promise
    const created = await server.call('POST', `/set/${business}`, setBody(business))
    await inserting
    expect(created).toMatchObject({ bk_error_code: 1199011 })
    expect(created.bk_error_msg).toContain('region')
    expect((await findSets(server, business)).data.count).toBe(1)
  })
})
