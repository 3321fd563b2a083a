import { expect, it } from 'vitest'
import { findRecords, makeBusiness, makeSet } from '../../testing/data/factories.ts'
import { eachEngine, makeStore, startServer, type TestServer } from '../../testing/harness.ts'
import { readLog } from '../../testing/inspect/log.ts'

const count = async (server: TestServer, condition: Record<string, unknown>) =>
  (await findRecords(server, condition)).data.count

eachEngine((engine) => {
  it('counts every record once while others are being written, without a cached result', async () => {
    const server = await startServer(engine)
    const business = await makeBusiness(server)
    const before = await count(server, { op_target: 'set' })
    const all = await count(server, {})

    let made = 0
    const making = Promise.all(
      Array.from({ length: 4 }, async (_, writer) => {
        for (let nth = 0; nth < 10; nth++, made++) await makeSet(server, business, { bk_set_name: `${writer} ${nth}` })
      }),
    )
    let seen = before
    while (made < 40) {
      const certain = made
      const now = await count(server, { op_target: 'set' })
      expect(now).toBeGreaterThanOrEqual(Math.max(seen, before + certain))
      seen = now
    }
    await making
    for (let time = 0; time < 2; time++) {
      expect(await count(server, { op_target: 'set' })).toBe(before + 40)
      expect(await count(server, { op_target: 'set', bk_biz_id: business })).toBe(40)
      expect(await count(server, {})).toBe(all + 40)
      expect(await count(server, { op_target: 'module' })).toBe(0)
    }
    await server.close()
  })

  it('counts sealed records by their tallies, and later ones in the log', async () => {
    const store = await makeStore(engine)
    const server = await startServer(engine, { store })
    const business = await makeBusiness(server)
    const set = await makeSet(server, business, { bk_set_name: 'ledger' })
    const change = { bk_biz_id: business, bk_set_name: 'books' }
    await server.call('PUT', `/set/${business}/${set}`, change, { BK_User: 'amy' })
    const conditions = [
      {},
      { bk_biz_id: business },
      { op_target: 'set', op_type: 'update' },
      { operator: 'amy' },
      { $or: [{ operator: 'amy' }, { op_target: 'biz' }] },
      { op_target: 'object' },
      { inst_id: set },
    ]
    const counts = (of: TestServer) => Promise.all(conditions.map((condition) => count(of, condition)))
    const expected = await counts(server)
    expect(expected.slice(1, 6)).toEqual([3, 1, 1, 2, 0])

    const { engine: opened, read } = server.service.storage
    // Old enough to be sealed, and then tallied. Numbered before that, so that all of them are sealed at once.
    await readLog(read)
    await opened.script('UPDATE log SET op_time = op_time - 61000')
    const head = () => read.selectFrom('log_head').select(['position', 'tallied']).executeTakeFirstOrThrow()
    await expect.poll(async () => (await head()).tallied).toBe((await head()).position)
    await server.close()

    const later = await startServer(engine, { store })
    expect(await counts(later)).toEqual(expected)
    await makeSet(later, business, { bk_set_name: 'later' })
    expect(await count(later, { bk_biz_id: business })).toBe(4)
    // Sealed records were counted by their tallies alone.
    await later.service.storage.engine.script("UPDATE log_tally SET records = records + 100 WHERE operator = 'amy'")
    expect(await count(later, { operator: 'amy', op_type: 'update' })).toBe(101)
    await later.close()
    store.remove()
  })
})
