import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eachEngine, startServer, type TestServer } from '../testing/harness.ts'
import { countReads } from '../testing/inspect/statements.ts'
import { preparedShared } from './prepared.ts'

const accounts = preparedShared((reader, { name }: { name: string }) =>
  reader.selectFrom('account').select(['name', 'model_version']).where('name', '=', name),
)
const nonsense = preparedShared((reader, { divisor }: { divisor: number }) =>
  reader
    .selectFrom('account')
    .select('name')
    .where((eb) => eb(eb.fn('length', ['no such column' as 'name']), '=', divisor)),
)

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
  })
  afterAll(() => server.close())
  const named = { name: '0' }

  it('a hundred concurrent identical reads cost one or two queries, and other values are kept apart', async () => {
    const { storage } = server.service
    const reads = countReads(storage, /model_version/)
    const asked = Array.from({ length: 100 }, () => accounts(storage.read, named))
    expect(await accounts(storage.read, { name: 'stranger' })).toEqual([])
    for (const rows of await Promise.all(asked)) expect(rows).toMatchObject([named])
    // PostgreSQL is queried at the end of the turn; SQLite has answered the first read by then.
    const together = engine === 'postgres' ? 1 : 2
    expect(reads.count()).toBe(together + 1)
    await accounts(storage.read, named)
    expect(reads.count()).toBe(together + 2)
    reads.stop()
  })

  it('returns nothing older than the request, however many requests share a query', async () => {
    const { storage } = server.service
    const version = async () => (await accounts(storage.read, named))[0]?.model_version ?? 0
    let crowding = true
    const crowd = Array.from({ length: 8 }, async () => {
      while (crowding) {
        await version()
        // SQLite answers synchronously, so yield explicitly.
        await nextTurn()
      }
    })
    for (let round = 0; round < 50; round++) {
      const raised = await storage.upkeep((writer) =>
        writer
          .updateTable('account')
          .set((eb) => ({ model_version: eb('model_version', '+', 1) }))
          .where('name', '=', '0')
          .returning('model_version')
          .executeTakeFirstOrThrow(),
      )
      expect(await version()).toBe(raised.model_version)
    }
    crowding = false
    await Promise.all(crowd)
  })

  it('a failed shared query does not fail the next one', async () => {
    const { read } = server.service.storage
    const failing = [1, 2, 3].map(() => nonsense(read, { divisor: 1 }))
    expect((await Promise.allSettled(failing)).map((each) => each.status)).toEqual(Array(3).fill('rejected'))
    expect(await accounts(read, named)).toHaveLength(1)
  })
})
