import { expect, it } from 'vitest'
import { endpoints } from '../../packages/server/src/commands/openapi.ts'
import { setBody } from '../../packages/server/src/testing/data/factories.ts'
import { isFull } from '../../packages/server/src/testing/full.ts'
import { eachEngine, makeStore } from '../../packages/server/src/testing/harness.ts'
import { spawnServer } from '../../packages/server/src/testing/process.ts'
import { fuzz } from './fuzzing.ts'
import { openStateReader } from './state.ts'

/** The short form sends the same requests each time, so that a run fails only for what was changed. `npm run fuzz` and the long form draw anew. */
const seed = Number(process.env.FUZZ_SEED ?? (isFull ? Date.now() % 2 ** 31 : 20_261_119))

const imports = endpoints.filter(({ takes }) => takes)

eachEngine((engine) => {
  it('any request to any operation is answered in the envelope, in time, and changes nothing if refused', async () => {
    const store = await makeStore(engine)
    const server = await spawnServer(store)
    try {
      const done = await fuzz({ url: server.url, store, seed, requests: 200 })
      expect(done.violations, `FUZZ_SEED=${seed}`).toEqual([])
      // If hardly any request had succeeded, all would have been refused by the first check.
      expect(done.succeeded).toBeGreaterThan(20)
      expect(done.reached.size).toBeGreaterThan(20)

      const state = await openStateReader(store)
      const { data } = await server.call<{ bk_biz_id: number }>('POST', '/biz/0', { bk_biz_name: 'seen to change' })
      await state.mark()
      expect(await state.changed()).toEqual([])
      await server.call('PUT', `/biz/0/${data.bk_biz_id}`, setBody(0, { bk_biz_name: 'x' }))
      expect(await state.changed(), 'refused').toEqual([])
      await server.call('PUT', `/biz/0/${data.bk_biz_id}`, { bk_biz_name: 'changed' })
      expect(await state.changed(), 'changed').toContain('node')
      await state.close()
    } finally {
      await server.end('SIGTERM')
      store.remove()
    }
  })

  // Files are read by the same code on both engines, so the second engine is left to `npm run test:full`.
  it.runIf(isFull || engine === 'postgres')('files are read up to their rows, whatever they contain', async () => {
    const store = await makeStore(engine)
    const server = await spawnServer(store)
    try {
      const done = await fuzz({ url: server.url, store, seed, requests: 150, endpoints: imports })
      expect(done.violations, `FUZZ_SEED=${seed}`).toEqual([])
      // If hardly any row had been read, all files would have been refused for their header.
      const came = [...done.rows.keys()].map((each) => each.split(' '))
      expect(new Set(came.map(([name]) => name)), `FUZZ_SEED=${seed}`).toEqual(new Set(imports.map(({ name }) => name)))
      expect(came.map(([, outcome]) => outcome)).toEqual(expect.arrayContaining(['created', 'unchanged', 'failed']))
    } finally {
      await server.end('SIGTERM')
      store.remove()
    }
  })
})
