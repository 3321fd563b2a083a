import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { makeBusiness, makeSet } from '../../testing/data/factories.ts'
import { eachEngine, makeStore, openedStores, startServer, type TestServer } from '../../testing/harness.ts'
import { readLog } from '../../testing/inspect/log.ts'
import { removeOldest } from '../log/retention.ts'
import { readResets } from './reset.ts'

const actor = { user: 'test', account: '0', requestId: '' }

eachEngine((engine) => {
  /** Looks as the server does once a second, and on every new connection. */
  const expectNoReset = async ({ service }: TestServer) => {
    const { history, read } = service.storage
    await history.look(read)
    await history.settled()
    expect((await readResets(read)).map(({ cause }) => cause)).toEqual(['begun'])
  }

  it('retention that removes every record, a restart and a late commit are not taken for a reset', async () => {
    const store = await makeStore(engine, openedStores())
    let server = await startServer(engine, { store })
    const business = await makeBusiness(server)
    await readLog(server.service.storage.read)
    await expectNoReset(server)

    const { storage } = server.service
    await storage.seals.sealAll()
    const removing = (async () => {
      while (await removeOldest(storage.engine, Date.now() + 1_000));
    })()
    for (let looks = 0; looks < 5; looks++) await expectNoReset(server)
    await removing
    expect(await readLog(storage.read)).toEqual([])
    await expectNoReset(server)

    await server.close()
    server = await startServer(engine, { store })
    await expectNoReset(server)

    // Where changes run concurrently, one draws its ticket first and is committed last.
    const drawn = Promise.withResolvers<void>()
    const late = server.service.storage.change(actor, async (tx) => {
      tx.record({
        ...{ operation: 'update', object: 'biz', instance: business, business, description: 'update business' },
        ...{ revision: 2, before: null, after: null, events: [] },
      })
      await tx.flush()
      drawn.resolve()
      await pause(200)
    })
    await drawn.promise
    await makeSet(server, business)
    await expectNoReset(server)
    await late
    await readLog(server.service.storage.read)
    await expectNoReset(server)
    await server.close()
    store.remove()
  })
})
