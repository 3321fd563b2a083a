import { expect, it } from 'vitest'
import { endpoints } from '../../packages/server/src/commands/openapi.ts'
import { setBody } from '../../packages/server/src/testing/factories.ts'
import { eachEngine, makeStore } from '../../packages/server/src/testing/harness.ts'
import { spawnServer } from '../../packages/server/src/testing/process.ts'
import { fuzz } from './fuzzing.ts'
import { openLedger } from './ledger.ts'

/** FUZZ_SEED sends again what was sent when a run failed. */
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)

const imports = endpoints.filter(({ takes }) => takes)

eachEngine((engine) => {
  it('whatever is sent to any operation is answered by the envelope, in time, and changes nothing when refused', async () => {
    const store = await makeStore(engine)
    const server = await spawnServer(store)
    try {
      const done = await fuzz({ url: server.url, store, seed, requests: 200 })
      expect(done.violations, `FUZZ_SEED=${seed}`).toEqual([])
      // Had hardly any succeeded, they would all have been refused for the first thing that was wrong.
      expect(done.succeeded).toBeGreaterThan(20)
      expect(done.reached.size).toBeGreaterThan(20)

      const ledger = await openLedger(store)
      const { data } = await server.call<{ bk_biz_id: number }>('POST', '/biz/0', { bk_biz_name: 'seen to change' })
      await ledger.mark()
      expect(await ledger.changed()).toBe(false)
      await server.call('PUT', `/biz/0/${data.bk_biz_id}`, setBody(0, { bk_biz_name: 'x' }))
      expect(await ledger.changed(), 'refused').toBe(false)
      await server.call('PUT', `/biz/0/${data.bk_biz_id}`, { bk_biz_name: 'changed' })
      expect(await ledger.changed(), 'changed').toBe(true)
      await ledger.close()
    } finally {
      await server.end('SIGTERM')
      store.remove()
    }
  })

  it('files are read to their rows, whatever stands in them', async () => {
    const store = await makeStore(engine)
    const server = await spawnServer(store)
    try {
      const done = await fuzz({ url: server.url, store, seed, requests: 150, endpoints: imports })
      expect(done.violations, `FUZZ_SEED=${seed}`).toEqual([])
      // Had hardly any row been looked at, the files would all have been refused for their header.
      const came = [...done.rows.keys()].map((each) => each.split(' '))
      expect(new Set(came.map(([name]) => name)), `FUZZ_SEED=${seed}`).toEqual(new Set(imports.map(({ name }) => name)))
      expect(came.map(([, outcome]) => outcome)).toEqual(expect.arrayContaining(['created', 'unchanged', 'failed']))
    } finally {
      await server.end('SIGTERM')
      store.remove()
    }
  })
})
