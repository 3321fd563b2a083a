import { afterAll, beforeAll, expect, it } from 'vitest'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'
import { asCaller } from '../caller.ts'

/** Takes some hundredths of a second; with another number it is another read, so that no two of them are shared. */
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
  /** Settled one by one; refusals count as answers. */
  const counting = (reads: Promise<unknown>[]) => {
    const settled = { count: 0 }
    for (const each of reads) each.catch(() => {}).finally(() => settled.count++)
    return settled
  }

  it('thirty heavy searches of one caller do not keep another from its first', async () => {
    const reads = Array.from({ length: 30 }, (_, n) => read('greedy', n))
    const greedy = counting(reads)
    await read('neighbour', 1_000)
    expect(greedy.count).toBeLessThan(10)
    await Promise.allSettled(reads)
  })

  it('a caller that fills its half of the queue is refused, and its neighbour is not', async () => {
    const reads = Array.from({ length: 400 }, (_, n) => read('flood', n))
    const outcome = Promise.allSettled(reads)
    await read('neighbour', 2_000)
    const refused = (await outcome).filter((each) => each.status === 'rejected')
    expect(refused.length).toBeGreaterThan(0)
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 1199503 })
  })
})
