import { expect, it } from 'vitest'
import { findSets, makeBusiness, setBody } from '../../packages/server/src/testing/factories.ts'
import { makeStore, startServer } from '../../packages/server/src/testing/harness.ts'
import { makeDatabase } from './database.ts'

it('a commit that is cut off while it waits for the standby is not acknowledged before the standby has it', async () => {
  const { database, flags, close } = await makeDatabase()
  const store = { ...(await makeStore('sqlite')), engine: 'postgres' as const, flags: ['--port=0', ...flags] }
  const server = await startServer('postgres', { store })
  const business = await makeBusiness(server)
  await database.addStandby()
  database.replication()?.swallow()

  const asked = server.call('POST', `/set/${business}`, setBody(business, { bk_set_name: 'lonely' }))
  await expect.poll(() => database.terminate('waiting'), { timeout: 20_000 }).toBeGreaterThan(0)
  // It has happened where it was sent, and anybody can see it there.
  await expect.poll(async () => (await findSets(server, business, { bk_set_name: 'lonely' })).data?.count).toBe(1)
  const early = await Promise.race([asked.then(() => 'answered'), new Promise((resolve) => setTimeout(resolve, 500))])
  expect(early).toBeUndefined()

  database.link.cut()
  await database.failOver()
  database.link.mend(database.primary().port)
  expect(await asked).toMatchObject({ result: true })
  expect((await findSets(server, business, { bk_set_name: 'lonely' })).data.count).toBe(1)
  await server.close()
  await close()
  store.remove()
})
