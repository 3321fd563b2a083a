import { expect, it } from 'vitest'
import { readResets } from '../../packages/server/src/storage/index.ts'
import { findSets, makeBusiness, makeSet, setBody } from '../../packages/server/src/testing/data/factories.ts'
import { subscribe, told } from '../../packages/server/src/testing/data/subscriptions.ts'
import { makeStore, startServer } from '../../packages/server/src/testing/harness.ts'
import { startReceiver } from '../../packages/server/src/testing/servers/receiver.ts'
import { makeDatabase } from './database.ts'

it('a commit that is interrupted while waiting for the standby is not acknowledged before the standby has it', async () => {
  const { database, flags, close } = await makeDatabase()
  const store = { ...(await makeStore('sqlite')), engine: 'postgres' as const, flags: ['--port=0', ...flags] }
  const server = await startServer('postgres', { store })
  const business = await makeBusiness(server)
  await database.addStandby()
  database.replication()?.swallow()

  const asked = server.call('POST', `/set/${business}`, setBody(business, { bk_set_name: 'lonely' }))
  // It is committed on the primary and visible there.
  const there = async () => (await findSets(server, business, { bk_set_name: 'lonely' })).data?.count
  const interrupted = async () => {
    const count = await there()
    // Once it is there, the server makes sure of it by another commit that waits, which is to be left alone.
    if (count === 0) await database.terminate('waiting')
    return count
  }
  await expect.poll(interrupted, { timeout: 60_000 }).toBe(1)
  const early = await Promise.race([asked.then(() => 'answered'), new Promise((resolve) => setTimeout(resolve, 500))])
  expect(early).toBeUndefined()

  database.link.cut()
  await database.failOver()
  database.link.mend(database.primary().port)
  const { result, bk_error_code } = await asked
  // On a very slow machine it may have given up looking.
  expect(result || bk_error_code === 1199504).toBe(true)
  if (result) expect(await there()).toBe(1)
  await server.close()
  await close()
  store.remove()
})

it('a promoted synchronous standby has everything: running servers continue, and no reset is recorded', async () => {
  const { database, flags, close } = await makeDatabase()
  const store = { ...(await makeStore('sqlite')), engine: 'postgres' as const, flags: ['--port=0', ...flags] }
  const server = await startServer('postgres', { store })
  const receiver = await startReceiver()
  const business = await makeBusiness(server)
  await subscribe(server, receiver, { subscription_form: 'setcreate' })
  await database.addStandby()
  const resets = () => readResets(server.service.storage.read)
  const isSynchronous = async () => (await resets()).map(({ synchronous }) => synchronous)
  await expect.poll(isSynchronous, { timeout: 20_000 }).toEqual([1])
  const [before] = await resets()
  await makeSet(server, business, { bk_set_name: 'before' })
  await receiver.received(1)

  database.link.cut()
  await database.failOver()
  database.link.mend(database.primary().port)
  const moved = async () => (await resets().catch(() => [])).map(({ place }) => place !== before?.place)
  await expect.poll(moved, { timeout: 20_000 }).toEqual([true])
  await makeSet(server, business, { bk_set_name: 'after' })
  const names = (await receiver.received(2)).map((request) => told(request).name)
  expect(new Set(names)).toEqual(new Set(['before', 'after']))
  expect(await resets()).toMatchObject([{ cause: 'begun' }])
  await server.close()
  await receiver.close()
  await close()
  store.remove()
})
