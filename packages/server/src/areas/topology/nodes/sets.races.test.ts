import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Tx } from '../../../storage/index.ts'
import { findSets, makeBusiness, makeSet, setBody } from '../../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { hostFor, putModule } from '../../../testing/inspect/rows.ts'

const actor = { user: 'amy', account: '0', requestId: 'race' }

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
  })
  afterAll(() => server.close())
  const change = <T>(work: (tx: Tx) => Promise<T>, chain: 'shared' | 'exclusive' = 'shared') =>
    server.service.storage.change(actor, work, { chain })

  it('either a set is deleted or a host is added to it, and every host has a module', async () => {
    for (let round = 0; round < 10; round++) {
      const business = await makeBusiness(server)
      const set = await makeSet(server, business)
      const place = await hostFor(server, await putModule(server, set))
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
        paused: 0,
        creator: '',
        create_time: 0,
        last_time: 0,
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

  it('a level is inserted only after the changes that have started before it', async () => {
    const done: string[] = []
    const inside = Promise.withResolvers<void>()
    const creating = change(async (tx) => {
      // The work starts while its lock statement is still running.
      await tx.modelVersion
      inside.resolve()
      await pause(300)
      done.push('set')
    })
    await inside.promise
    await change(async () => void done.push('level'), 'exclusive')
    await creating
    expect(done).toEqual(['set', 'level'])
  })
})
