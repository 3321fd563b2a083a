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
  // It has happened where it was sent, and anybody can see it there.
  const there = async () => (await findSets(server, business, { bk_set_name: 'lonely' })).data?.count
  await expect
    .poll(async () => [await database.terminate('waiting'), await there()], { timeout: 60_000 })
    .toEqual([expect.any(Number), 1])
  const early = await Promise.race([asked.then(() => 'answered'), new Promise((resolve) => setTimeout(resolve, 500))])
  expect(early).toBeUndefined()

  database.link.cut()
  await database.failOver()
  database.link.mend(database.primary().port)
  const { result, bk_error_code } = await asked
  // On a machine that is very slow it may have given up looking.
  expect(result || bk_error_code === 1199504).toBe(true)
  if (result) expect(await there()).toBe(1)
  await server.close()
  await close()
  store.remove()
})
