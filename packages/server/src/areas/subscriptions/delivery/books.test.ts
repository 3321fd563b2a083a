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
    const books = openBooks(storage, { onLost: (ledger) => lost.push(ledger) })
    const saved = async (progress: Progress) => {
      const ledger = new Ledger(progress)
      ledger.advance({ position: progress.position + 1, passed: 0 })
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
  it('what lapses again is added to what lapsed before, until somebody has seen it', async () => {
    const server = await startServer(engine)
    const { id, path } = await subscribe(server, { url: 'http://127.0.0.1:1/' })
    await server.call('POST', `${path}/pause`)
    await becomes(server, id, { state: 'paused' })
    const { storage } = server.service
    const stored = () =>
      storage.read.selectFrom('delivery').selectAll().where('subscription', '=', id).executeTakeFirstOrThrow()
    await expect.poll(async () => (await stored()).owner).not.toBe('')
    const books = openBooks(storage, { onLost: () => {} })
    let ledger = new Ledger(await stored())
    const lapse = async (first: number, last: number) => {
      ledger.lapse(first, last)
      await books.save(ledger)
      const { lapsed_from, lapsed_to } = await stored()
      return [lapsed_from, lapsed_to]
    }
    expect(await lapse(11, 20)).toEqual([11, 20])
    expect(await lapse(31, 32)).toEqual([11, 32])
    expect(await lapse(5, 5)).toEqual([5, 32])
    await server.call('POST', `${path}/resume`)
    await becomes(server, id, { state: 'active', lag: 0 })
    ledger = new Ledger(await stored())
    expect(await lapse(41, 42)).toEqual([41, 42])
    await server.close()
  })
})
