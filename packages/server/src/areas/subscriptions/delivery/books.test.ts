import { expect, it } from 'vitest'
import { makeBusiness, makeSet } from '../../../testing/factories.ts'
import { eachEngine, startServer } from '../../../testing/harness.ts'
import { startReceiver } from '../../../testing/receiver.ts'
import { becomes, subscribe } from '../../../testing/subscriptions.ts'
import { openBooks } from './books.ts'
import { Ledger, type Progress } from './ledger.ts'

eachEngine((engine) => {
  it('what a sender saves is written while it owns the subscription, and refused from its next owner on', async () => {
    const server = await startServer(engine)
    const receiver = await startReceiver()
    const { id, path } = await subscribe(server, receiver)
    // So that the sender of this server leaves the row alone.
    await server.call('POST', `${path}/pause`)
    await becomes(server, id, { state: 'paused' })
    await makeSet(server, await makeBusiness(server))
    const { storage } = server.service
    const stored = () =>
      storage.read.selectFrom('delivery').selectAll().where('subscription', '=', id).executeTakeFirstOrThrow()
    await expect.poll(async () => (await stored()).owner).not.toBe('')
    const lost: Ledger[] = []
    const books = openBooks(storage, { onLost: (ledger) => lost.push(ledger), onFault: () => {} })
    const saved = async (progress: Progress) => {
      const ledger = new Ledger(progress)
      ledger.advance(progress.position + 1)
      await books.save(ledger)
      return !lost.includes(ledger)
    }

    const before = await stored()
    expect(await saved({ ...before, epoch: before.epoch - 1 })).toBe(false)
    expect(await stored()).toEqual(before)
    expect(await saved({ ...before, position: before.position + 5 })).toBe(false)
    expect(await stored()).toEqual(before)
    expect(await saved(before)).toBe(true)
    expect((await stored()).position).toBe(before.position + 1)
    await server.close()
    await receiver.close()
  })
})
