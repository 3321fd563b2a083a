import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { asCaller } from '../common/caller.ts'
import { eachEngine, isBehindPooler, startServer, type TestServer } from '../testing/harness.ts'

/** A read of a few hundredths of a second; the number makes each a different statement, so that none is shared. */
const slowRead = {
  sqlite: (
    n: number,
  ) => `WITH RECURSIVE count(x) AS (VALUES (${n}) UNION ALL SELECT x + 1 FROM count WHERE x < ${n + 100_000})
    SELECT max(x) AS last FROM count`,
  postgres: (n: number) => `SELECT ${n} AS last FROM pg_sleep(0.05)`,
}

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
  })
  afterAll(() => server.close())
  const read = async (user: string, n: number) => {
    const { heavyReads } = server.service.storage.engine
    return asCaller({ account: '0', user }, async () => heavyReads.query(slowRead[engine](n), []))
  }
  /** Counts settled reads; rejections count as well. */
  const counting = (reads: Promise<unknown>[]) => {
    const settled = { count: 0 }
    for (const each of reads) each.catch(() => {}).finally(() => settled.count++)
    return settled
  }

  it('thirty heavy searches of one caller do not block the first search of another', async () => {
    const reads = Array.from({ length: 30 }, (_, n) => read('greedy', n))
    const greedy = counting(reads)
    await read('neighbour', 1_000)
    expect(greedy.count).toBeLessThan(10)
    await Promise.allSettled(reads)
  })

  it('a caller that fills its half of the queue is refused, and other callers are not', async () => {
    const reads = Array.from({ length: 400 }, (_, n) => read('flood', n))
    const outcome = Promise.allSettled(reads)
    await read('neighbour', 2_000)
    const refused = (await outcome).filter((each) => each.status === 'rejected')
    expect(refused.length).toBeGreaterThan(0)
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 1199503 })
  })
})

// A pooler hides which process runs a read.
it.skipIf(isBehindPooler)(
  'PostgreSQL cancels a read whose client has disconnected, and continues to use its connection',
  async () => {
    const server = await startServer('postgres')
    const { engine } = server.service.storage
    const ask = (sql: string, gone?: AbortSignal) =>
      asCaller(
        { account: '0', user: 'impatient' },
        async () => engine.heavyReads.query(sql, []),
        () => gone,
      )
    const sleeping = async () => {
      const text = `SELECT count(*) AS count FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT pg_sleep(55%'`
      return Number(((await engine.reads.query(text, [])).rows[0] as { count: number }).count)
    }
    for (let nth = 0; nth < 5; nth++) {
      const hangUp = new AbortController()
      const read = ask(`SELECT pg_sleep(55), ${nth}`, hangUp.signal)
      const refused = expect(read).rejects.toMatchObject({ kind: 'clientGone' })
      await vi.waitUntil(async () => (await sleeping()) === 1, { timeout: 20_000 })
      hangUp.abort()
      await refused
      await vi.waitUntil(async () => (await sleeping()) === 0, { timeout: 20_000 })
      expect((await ask(`SELECT ${nth} AS answer`)).rows).toEqual([{ answer: nth }])
    }
    expect(engine.load().pools).toMatchObject({ heavy: { inUse: 0 } })
    await server.close()
  },
  60_000,
)
