import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { makeBusiness, setBody } from '../../../testing/factories.ts'
import { makeStore, startServer, type TestServer } from '../../../testing/harness.ts'
import { spawnServer } from '../../../testing/process.ts'
import type { Tx } from '../change.ts'

// Only here: SQLite has one writer at a time, and whoever waits has the next turn.
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

/** How many hold anybody up. */
async function marks(): Promise<number> {
  const all = server.service.storage.read.selectFrom('waiting_change').select('until').where('until', '>', Date.now())
  return (await all.execute()).length
}

async function until(there: () => Promise<boolean>): Promise<void> {
  while (!(await there())) await pause(20)
}

/** A change that is inside until it is let go, and never idle for long enough to be cut off. */
function inside(chain: 'shared' | 'exclusive' = 'shared') {
  const begun = Promise.withResolvers<void>()
  let kept = true
  const ended = change(async (tx) => {
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
 * Ten changes at a time, each of which takes a tenth of a second and ends only when another has begun after it, so that the
 * account is never left alone; unless none is let in for a second.
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

it('a change of the model has its turn however many others follow upon each other, and so have they afterwards', async () => {
  const busy = keepBusy(other)
  await pause(300)
  const { took, answer } = await timed(addAttribute())
  await busy.stop()
  expect(answer).toMatchObject({ result: true })
  expect(took).toBeLessThan(4_000)
  expect(await marks()).toBe(0)
}, 60_000)

it('a dry run that changes the model has its turn, too', async () => {
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
    // Swallowed or not, what cannot be done in a shared run is done in one that is alone.
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

it('changes of the model that follow upon each other keep nobody out', async () => {
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

it('a change of the model that is refused leaves nobody waiting', async () => {
  const body = attribute()
  await addAttribute(body)
  expect(await addAttribute(body)).toMatchObject({ result: false })
  await until(async () => (await marks()) === 0)
})

it('a process that is killed while it waits holds up others for three seconds, and another account not at all', async () => {
  const doomed = await spawnServer(server.store)
  const holder = inside()
  await holder.begun
  const cut = doomed.call('POST', '/object/attr', attribute()).catch(() => 'cut off')
  await until(async () => (await marks()) > 0)
  // The mark of one that goes on waiting is renewed.
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

it('a change lets those that wait go first for half of its time, five seconds, not for as long as something holds them up', async () => {
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

it('when the mark has run out, the lock alone keeps others out, and they see what was changed', async () => {
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
    return tx.modelVersion + 1
  }, 'exclusive')
  await begun.promise
  await pause(3_300)
  const seen = change(async (tx) => ({ version: tx.modelVersion, ended }))
  expect(await seen).toEqual({ version: await altering, ended: true })
}, 60_000)

it('marks of the dead are swept away by the next change of the model', async () => {
  const now = Date.now()
  await server.service.storage.upkeep((writer) =>
    writer
      .insertInto('waiting_change')
      .values([
        { account: '0', token: 'dead', until: now - 120_000 },
        // From a clock that was ahead: it holds nobody up.
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

it('refuses an account that is not there, as it did', async () => {
  await expect(change(async () => {}, 'shared', 'nobody')).rejects.toMatchObject({ kind: 'notFound' })
  await expect(change(async () => {}, 'exclusive', 'nobody')).rejects.toMatchObject({ kind: 'notFound' })
})
