import { expect, it } from 'vitest'
import { findSets, makeBusiness, makeSet, setBody } from '../../packages/server/src/testing/data/factories.ts'
import { makeStore, startServer } from '../../packages/server/src/testing/harness.ts'
import { makeDatabase } from './database.ts'

it('with several hosts in its address a server follows the primary from one to the other', async () => {
  const { database, direct, close } = await makeDatabase()
  await database.addStandby()
  const [first, second] = [database.primary().port, database.standby()?.port]
  const several = (flag: string) => flag.replace(`127.0.0.1:${first}`, `127.0.0.1:${second},127.0.0.1:${first}`)
  const flags = ['--port=0', ...direct().map((flag) => `${several(flag)}?target_session_attrs=read-write`)]
  const store = { ...(await makeStore('sqlite')), engine: 'postgres' as const, flags }
  // The standby is named first, and skipped.
  const server = await startServer('postgres', { store })
  const business = await makeBusiness(server)
  await makeSet(server, business, { bk_set_name: 'before' })

  await database.failOver()
  await expect
    .poll(
      async () =>
        (await server.call('POST', `/set/${business}`, setBody(business, { bk_set_name: 'after' }))).bk_error_code,
      { timeout: 60_000 },
    )
    .toBe(0)
  const { data } = await findSets(server, business, { bk_set_name: { $in: ['before', 'after'] } })
  expect(data?.count).toBe(2)
  await server.close()
  await close()
  store.remove()
})
