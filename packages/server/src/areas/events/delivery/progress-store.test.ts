import { expect, it } from 'vitest'
import { makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { becomes, subscribe } from '../../../testing/data/subscriptions.ts'
import { eachEngine, startServer } from '../../../testing/harness.ts'
import { startReceiver } from '../../../testing/servers/receiver.ts'
import { Progress, type ProgressRow } from './progress.ts'
import { openProgressStore } from './progress-store.ts'

eachEngine((engine) => {
  it('progress is saved while the sender owns the subscription, and refused once it has another owner', async () => {
    const server = await startServer(engine)
    const receiver = await startReceiver()
    const { id, path } = await subscribe(server, receiver)
    // So that this server's sender does not change the row.
    await server.call('POST', `${path}/pause`)
    await becomes(server, id, { state: 'paused' })
    await makeSet(server, await makeBusiness(server))
    const { storage } = server.service
    const stored = () =>
      storage.read.selectFrom('delivery').selectAll().where('subscription', '=', id).executeTakeFirstOrThrow()
    await expect.poll(async () => (await stored()).owner).not.toBe('')
    const lost: Progress[] = []
    const store = openProgressStore(storage, { onLost: (progress) => lost.push(progress) })
    const settledAhead = new Map([['9 2', { position: 9, index: 2 }]])
    const saved = async (loaded: ProgressRow) => {
      const progress = new Progress(loaded)
      progress.advance({ position: loaded.position + 1, passed: 0, settledAhead })
      await store.save(progress)
      return !lost.includes(progress)
    }

    const before = await stored()
    expect(await saved({ ...before, epoch: before.epoch - 1 })).toBe(false)
    expect(await stored()).toEqual(before)
    expect(await saved({ ...before, position: before.position + 5 })).toBe(false)
    expect(await stored()).toEqual(before)
    expect(await saved(before)).toBe(true)
    expect(await stored()).toMatchObject({ position: before.position + 1, settled_ahead: '[[9,2]]' })
    await server.close()
    await receiver.close()
  })
  it('lapsed ranges are merged until they are acknowledged', async () => {
    const server = await startServer(engine)
    const { id, path } = await subscribe(server, { url: 'http://127.0.0.1:1/' })
    await server.call('POST', `${path}/pause`)
    await becomes(server, id, { state: 'paused' })
    const { storage } = server.service
    const stored = () =>
      storage.read.selectFrom('delivery').selectAll().where('subscription', '=', id).executeTakeFirstOrThrow()
    await expect.poll(async () => (await stored()).owner).not.toBe('')
    const lost: Progress[] = []
    const store = openProgressStore(storage, { onLost: (each) => lost.push(each) })
    const lapse = async (first: number, last: number) => {
      // On a busy machine the lease may expire in between; the next owner is this process again.
      for (let isSaved = false; !isSaved; ) {
        const progress = new Progress(await stored())
        progress.lapse(first, last)
        await store.save(progress)
        isSaved = !lost.includes(progress)
      }
      const { lapsed_from, lapsed_to } = await stored()
      return [lapsed_from, lapsed_to]
    }
    expect(await lapse(11, 20)).toEqual([11, 20])
    expect(await lapse(31, 32)).toEqual([11, 32])
    expect(await lapse(5, 5)).toEqual([5, 32])
    await server.call('POST', `${path}/resume`)
    await becomes(server, id, { state: 'active', lag: 0 })
    expect(await lapse(41, 42)).toEqual([41, 42])
    await server.close()
  })
})
