import { expect, it } from 'vitest'
import { setBody } from '../../packages/server/src/testing/factories.ts'
import { eachEngine, makeStore, startServer } from '../../packages/server/src/testing/harness.ts'
import { brokenLinks, isGapless, readLog } from '../../packages/server/src/testing/log.ts'
import { spawnServer } from '../../packages/server/src/testing/process.ts'

const kills = { sqlite: 20, postgres: 8 }
const clients = 64

eachEngine((engine) => {
  it(`keeps every acknowledged set, and nothing half, when killed in the middle of 1,000 calls, ${kills[engine]} times`, async () => {
    const store = await makeStore(engine)
    const acknowledged = new Map<string, number>()
    const asked = new Set<string>()
    let business = 0
    for (let round = 0; round < kills[engine]; round++) {
      const server = await spawnServer(store)
      business ||= (await server.call<{ bk_biz_id: number }>('POST', '/biz/0', { bk_biz_name: 'killed' })).data
        .bk_biz_id
      let next = 0
      const killAt = acknowledged.size + 1 + Math.floor(Math.random() * 200)
      const enough = Promise.withResolvers<void>()
      const client = async () => {
        while (next < 1000) {
          const name = `${round}.${next++}`
          asked.add(name)
          const made = await server.call<{ bk_set_id: number }>(
            'POST',
            `/set/${business}`,
            setBody(business, { bk_set_name: name }),
          )
          if (made.result) acknowledged.set(name, made.data.bk_set_id)
          if (acknowledged.size >= killAt) enough.resolve()
        }
      }
      const running = Promise.allSettled(Array.from({ length: clients }, client))
      await enough.promise
      await server.end('SIGKILL')
      await running
    }
    expect(acknowledged.size).toBeGreaterThan(kills[engine])
    expect(asked.size).toBeGreaterThan(acknowledged.size)

    const server = await startServer(engine, { store })
    const { read } = server.service.storage
    const stored = await read
      .selectFrom('node')
      .select(['name', 'inst_id'])
      .where('object_id', '=', 'set')
      .where('built_in', '=', 0)
      .execute()
    const ids = new Map(stored.map((row) => [row.name, row.inst_id]))
    expect([...acknowledged].filter(([name, id]) => ids.get(name) !== id)).toEqual([])
    expect(stored.filter((row) => !asked.has(row.name))).toEqual([])

    const log = await readLog(read)
    expect(isGapless(log)).toBe(true)
    expect(brokenLinks(log)).toEqual([])
    const recorded = log.filter((record) => record.object_id === 'set').map((record) => record.inst_id)
    expect(recorded.toSorted((a, b) => a - b)).toEqual([...ids.values()].toSorted((a, b) => a - b))
    await server.close()
    store.remove()
  }, 400_000)
})
