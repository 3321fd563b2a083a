import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { makeBusiness, setBody } from '../../testing/data/factories.ts'
import { makeStore, startServer, type TestServer } from '../../testing/harness.ts'
import { spawnServer } from '../../testing/process.ts'
import type { Tx } from '../change/change.ts'

// PostgreSQL only: SQLite has one writer at a time, with a queue.
let server: TestServer
let other: TestServer
beforeAll(async () => {
  const store = await makeStore('postgres')
  server = await startServer('postgres', { store })
  other = await startServer('postgres', { store })
})
afterAll(async () => {
  await Promise.all([server.close(), other.close()])
  server.store.remove()
})

const actorOf = (account: string) => ({ user: 'amy', account, requestId: 'waiting' })
const change = <T>(work: (tx: Tx) => Promise<T>, chain: 'shared' | 'exclusive' = 'shared', account = '0') =>
  server.service.storage.change(actorOf(account), work, { chain, repeatable: true })

async function timed<T>(work: Promise<T>): Promise<{ took: number; answer: T }> {
  const began = performance.now()
  const answer = await work
  return { took: performance.now() - began, answer }
}

/** The number of marks in effect. */
async function marks(): Promise<number> {
  const all = server.service.storage.read.selectFrom('waiting_change').select('until').where('until', '>', Date.now())
  return (await all.execute()).length
}

async function until(there: () => Promise<boolean>): Promise<void> {
  while (!(await there())) await pause(20)
}

/** A change that holds its locks until it is released, and is never idle for long enough to be terminated. */
function inside(chain: 'shared' | 'exclusive' = 'shared') {
  const begun = Promise.withResolvers<void>()
  let kept = true
  const ended = change(async (tx) => {
    // The work begins while the lock is still on its way.
    await tx.modelVersion
    begun.resolve()
    while (kept) {
      await tx.selectFrom('migration').select('number').limit(1).execute()
      await pause(20)
    }
  }, chain)
  const end = async () => {
    kept = false
    await ended
  }
  onTestFinished(end)
  return { begun: begun.promise, end }
}

/**
 * Ten concurrent changes of a tenth of a second each, overlapping so that the account always has a shared lock, unless no change is
 * admitted for a second.
 */
function keepBusy({ service: { storage } }: TestServer, account = '0') {
  let busy = true
  let next = Promise.withResolvers<void>()
  const hold = async () => {
    next.resolve()
    next = Promise.withResolvers()
    await Promise.all([pause(100), Promise.race([next.promise, pause(1_000)])])
  }
  const loop = async () => {
    while (busy) await storage.change(actorOf(account), hold, { repeatable: true })
  }
  const loops = Promise.all(Array.from({ length: 10 }, loop))
  const stop = async () => {
    busy = false
    await loops
  }
  onTestFinished(stop)
  return { stop }
}

let made = 0
function attribute() {
  const id = `waited_${made++}`
  return {
    bk_supplier_account: '0',
    bk_obj_id: 'set',
    bk_property_id: id,
    bk_property_name: id,
    bk_property_type: 'singlechar',
  }
}
const addAttribute = (body = attribute()) => server.call('POST', '/object/attr', body)

it('a change of the model is not starved by overlapping shared changes, nor are they starved by it', async () => {
  const busy = keepBusy(other)
  await pause(300)
  const { took, answer } = await timed(addAttribute())
  await busy.stop()
  expect(answer).toMatchObject({ result: true })
  expect(took).toBeLessThan(4_000)
  expect(await marks()).toBe(0)
}, 60_000)

it('a dry run that changes the model is not starved either', async () => {
  const busy = keepBusy(other)
  await pause(300)
  const { rehearse } = server.service.storage
  let runs = 0
  const rehearsed = rehearse(actorOf('0'), async (rehearsal) => {
    runs++
    const before = await rehearsal.change(async (tx) => tx.modelVersion)
    const raise = (tx: Tx) =>
      tx
        .updateTable('account')
        .set((eb) => ({ model_version: eb('model_version', '+', 1) }))
        .where('name', '=', '0')
        .execute()
    // Even if the error is swallowed, the run restarts with the exclusive lock.
    await rehearsal.change(raise, { chain: 'exclusive' }).catch(() => {})
    return (await rehearsal.change(async (tx) => tx.modelVersion).catch(() => 0)) - before
  })
  const { took, answer } = await timed(rehearsed)
  await busy.stop()
  expect(answer).toBe(1)
  expect(runs).toBe(2)
  expect(took).toBeLessThan(4_000)
  await until(async () => (await marks()) === 0)
}, 60_000)

it('consecutive changes of the model do not starve other changes', async () => {
  let busy = true
  const loop = async () => {
    while (busy) await change(() => pause(50), 'exclusive')
  }
  const loops = Promise.all(Array.from({ length: 4 }, loop))
  await pause(300)
  const business = await makeBusiness(other)
  const { took, answer } = await timed(other.call('POST', `/set/${business}`, setBody(business)))
  busy = false
  await loops
  expect(answer).toMatchObject({ result: true })
  expect(took).toBeLessThan(4_000)
}, 60_000)

it('a refused change of the model leaves no other change waiting', async () => {
  const body = attribute()
  await addAttribute(body)
  expect(await addAttribute(body)).toMatchObject({ result: false })
  await until(async () => (await marks()) === 0)
})

it('a process that is killed while waiting blocks others for three seconds, and other accounts not at all', async () => {
  const doomed = await spawnServer(server.store)
  const holder = inside()
  await holder.begun
  const cut = doomed.call('POST', '/object/attr', attribute()).catch(() => 'cut off')
  await until(async () => (await marks()) > 0)
  // The mark of a change that is still waiting is renewed.
  await pause(4_000)
  const elsewhere = await timed(
    server.call('POST', '/biz/1', { bk_biz_name: 'elsewhere' }, { HTTP_BK_SUPPLIER_ACCOUNT: '1' }),
  )
  expect(elsewhere.answer).toMatchObject({ result: true })
  expect(elsewhere.took).toBeLessThan(2_000)
  const held = await timed(doomed.end('SIGKILL').then(() => change(async () => {})))
  expect(await cut).toBe('cut off')
  await holder.end()
  expect(held.took).toBeGreaterThan(1_000)
  expect(held.took).toBeLessThan(4_500)
}, 60_000)

it('a change yields to waiting ones for half of its queue time, five seconds, even if they are blocked for longer', async () => {
  const holder = inside()
  await holder.begun
  const waiting = addAttribute()
  await until(async () => (await marks()) > 0)
  const held = await timed(change(async () => {}))
  await holder.end()
  expect(held.took).toBeGreaterThan(4_000)
  expect(held.took).toBeLessThan(8_000)
  expect(await waiting).toMatchObject({ result: true })
}, 60_000)

it('after the mark has expired the lock alone keeps others out, and they then see the change', async () => {
  const begun = Promise.withResolvers<void>()
  let ended = false
  const altering = change(async (tx) => {
    begun.resolve()
    await pause(4_000)
    await tx
      .updateTable('account')
      .set((eb) => ({ model_version: eb('model_version', '+', 1) }))
      .where('name', '=', '0')
      .execute()
    ended = true
    return (await tx.modelVersion) + 1
  }, 'exclusive')
  await begun.promise
  await pause(3_300)
  const seen = change(async (tx) => ({ version: await tx.modelVersion, ended }))
  expect(await seen).toEqual({ version: await altering, ended: true })
}, 60_000)

it('stale marks of dead processes are removed by the next change of the model', async () => {
  const now = Date.now()
  await server.service.storage.upkeep((writer) =>
    writer
      .insertInto('waiting_change')
      .values([
        { account: '0', token: 'dead', until: now - 120_000 },
        // From a clock that was ahead: ignored.
        { account: '0', token: 'ahead', until: now + 3_600_000 },
      ])
      .execute(),
  )
  expect((await timed(change(async () => {}))).took).toBeLessThan(2_000)
  expect(await addAttribute()).toMatchObject({ result: true })
  const left = await server.service.storage.read
    .selectFrom('waiting_change')
    .select('token')
    .where('token', 'in', ['dead', 'ahead'])
    .execute()
  expect(left).toEqual([{ token: 'ahead' }])
})

it('an account that does not exist is refused', async () => {
  await expect(change(async () => {}, 'shared', 'stranger')).rejects.toMatchObject({ kind: 'notFound' })
  await expect(change(async () => {}, 'exclusive', 'stranger')).rejects.toMatchObject({ kind: 'notFound' })
})
