import { afterAll, beforeAll, expect, it } from 'vitest'
import { findSets, makeBusiness, setBody } from '../../testing/data/factories.ts'
import { makeStore, startServer, type TestServer } from '../../testing/harness.ts'
import { readLog } from '../../testing/inspect/log.ts'
import { type CuttingProxy, startCuttingProxy } from '../../testing/servers/proxy.ts'

let proxy: CuttingProxy
let direct: TestServer
let server: TestServer
let business: number
beforeAll(async () => {
  const store = await makeStore('postgres')
  direct = await startServer('postgres', { store })
  proxy = await startCuttingProxy(store.databaseUrl)
  server = await startServer('postgres', { store, flags: [`--database-url=${proxy.url}`, '--connections=2'] })
  business = await makeBusiness(direct)
})
afterAll(async () => {
  await Promise.all([server.close(), direct.close()])
  proxy.close()
})

const create = (name: string) => server.call('POST', `/set/${business}`, setBody(business, { bk_set_name: name }))
const named = async (name: string) => (await findSets(direct, business, { bk_set_name: name })).data.count
const records = async (name: string) =>
  (await readLog(direct.service.storage.read)).filter((record) => record.content.cur?.bk_set_name === name).length

it.each(['after it arrived', 'before it arrives', 'before it arrives late'] as const)(
  'a change whose connection breaks at its commit, %s, happens exactly once and is answered as success',
  async (how) => {
    const before = proxy.cuts
    for (let round = 0; round < 5; round++) {
      const name = `${how} ${round}`
      proxy.cutCommitOf(name, how)
      expect(await create(name)).toMatchObject({ status: 200, result: true })
      expect(await named(name)).toBe(1)
      expect(await records(name)).toBe(1)
    }
    expect(proxy.cuts - before).toBe(5)
  },
)

it('reports an unknown outcome if the database stays unreachable', async () => {
  proxy.cutCommitOf('unknown', 'after it arrived', { thenRefuse: true })
  expect(await create('unknown')).toMatchObject({ status: 503, bk_error_code: 1199504 })
  expect(await named('unknown')).toBe(1)
})
