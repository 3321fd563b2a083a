import { setTimeout as pause } from 'node:timers/promises'
import { problem } from '@mainline/contract'
import { expect, it, onTestFinished } from 'vitest'
import { makeBusiness, setBody } from '../../../testing/data/factories.ts'
import { makeStore, startServer, type TestServer } from '../../../testing/harness.ts'
import { joinBusiness } from './hold.ts'

/** Ten brief changes at a time, each of which ends only when another has begun, unless none is admitted for a second. */
function keepShared({ service: { storage } }: TestServer, business: number) {
  let isBusy = true
  let next = Promise.withResolvers<void>()
  const hold = async () => {
    next.resolve()
    next = Promise.withResolvers()
    await Promise.all([pause(30), Promise.race([next.promise, pause(1_000)])])
  }
  const actor = { user: 'amy', account: '0', requestId: 'shared' }
  const share = async () => {
    while (isBusy) {
      await storage.change(
        actor,
        async (tx) => {
          await joinBusiness(tx, business, () => problem('notFound'))
          await hold()
        },
        { repeatable: true },
      )
    }
  }
  const all = Promise.all(Array.from({ length: 10 }, share))
  const stop = async () => {
    isBusy = false
    await all
  }
  onTestFinished(stop)
  return { stop }
}

// PostgreSQL only: SQLite has one writer at a time, with a queue.
it('a set is created beside changes that share the business without a gap, each too short for a lock timeout', async () => {
  const store = await makeStore('postgres')
  const [server, other] = [await startServer('postgres', { store }), await startServer('postgres', { store })]
  onTestFinished(async () => {
    await Promise.all([server.close(), other.close()])
    store.remove()
  })
  const business = await makeBusiness(server, 'shared')
  const shared = keepShared(other, business)
  const waitingChanges = () => server.service.storage.read.selectFrom('waiting_change').selectAll().execute()
  for (const name of ['one', 'two']) {
    expect(await server.call('POST', `/set/${business}`, setBody(business, { bk_set_name: name }))).toMatchObject({
      result: true,
    })
    await expect.poll(waitingChanges).toEqual([])
  }
  await shared.stop()
})
