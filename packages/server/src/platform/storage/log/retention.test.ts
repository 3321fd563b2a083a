import { expect, it } from 'vitest'
import { findRecords, makeBusiness, makeSet } from '../../../testing/factories.ts'
import { eachEngine, startServer } from '../../../testing/harness.ts'
import { readLog } from '../../../testing/log.ts'
import { cursorNow, watch } from '../../../testing/watching.ts'
import { verifyLog } from './verify.ts'

const day = 86_400_000

eachEngine((engine) => {
  it('what is older than the days to keep goes, and the rest is proven by the seals that stay', async () => {
    const server = await startServer(engine, { flags: ['--retention-days=30'] })
    const { read, heavy, engine: opened } = server.service.storage
    const business = await makeBusiness(server)
    await makeSet(server, business, { bk_set_name: 'old' })
    const cursor = await cursorNow(server)
    const age = (days: number) =>
      opened.script(`UPDATE log SET op_time = op_time - ${days * day} WHERE position > (SELECT sealed FROM log_head)`)
    const sealed = () => read.selectFrom('log_head').selectAll().executeTakeFirstOrThrow()
    const old = (await readLog(read)).length
    // What was counted before is not counted on once it is gone.
    expect((await findRecords(server, { op_target: 'set' })).data.count).toBe(1)
    await age(31)
    await expect.poll(sealed).toMatchObject({ sealed: old, floor: old + 1 })

    // Not old enough: sealed, and kept.
    await makeSet(server, business, { bk_set_name: 'not so old' })
    await readLog(read)
    await age(29)
    await expect.poll(sealed).toMatchObject({ sealed: old + 1, floor: old + 1 })
    await makeSet(server, business, { bk_set_name: 'new' })

    const records = await readLog(read)
    expect(records.map((record) => record.content.cur?.bk_set_name)).toEqual(['not so old', 'new'])
    expect((await findRecords(server, { op_target: 'set' })).data.count).toBe(2)
    expect(await watch(server, 'set', { bk_cursor: cursor })).toMatchObject({ result: true })
    expect(await verifyLog(heavy, () => {})).toEqual({
      ...{ segments: 2, records: 1, unsealed: 1, removed: old, restores: 0, faults: [] },
    })
    // The seal of what was removed is what the next one stands on.
    await opened.script("UPDATE seal SET hash = 'forged' WHERE segment = 1")
    expect((await verifyLog(heavy, () => {})).faults).toHaveLength(1)
    await server.close()
  })
})
