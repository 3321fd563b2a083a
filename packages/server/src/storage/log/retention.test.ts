import { StatementSync } from 'node:sqlite'
import { expect, it, onTestFinished, vi } from 'vitest'
import { cursorNow, watch } from '../../testing/clients/watching.ts'
import { findRecords, makeBusiness, makeSet } from '../../testing/data/factories.ts'
import { type EngineName, eachEngine, startServer } from '../../testing/harness.ts'
import { readLog } from '../../testing/inspect/log.ts'
import { removeOldest } from './retention.ts'
import { verifyLog } from './verify.ts'

const day = 86_400_000

eachEngine((engine) => {
  it('records older than the retention are removed, and the rest stays verifiable by the kept seals', async () => {
    const server = await startServer(engine, { flags: ['--retention-days=30'] })
    const { read, heavy, engine: opened } = server.service.storage
    const business = await makeBusiness(server)
    await makeSet(server, business, { bk_set_name: 'old' })
    const cursor = await cursorNow(server)
    const age = (days: number) =>
      opened.script(`UPDATE log SET op_time = op_time - ${days * day} WHERE position > (SELECT sealed FROM log_head)`)
    const sealed = () => read.selectFrom('log_head').selectAll().executeTakeFirstOrThrow()
    const old = (await readLog(read)).length
    // Removed records are not counted any more.
    expect((await findRecords(server, { op_target: 'set' })).data.count).toBe(1)
    await age(31)
    await expect.poll(sealed).toMatchObject({ sealed: old, floor: old + 1 })

    // Too new: sealed, but not removed.
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
    // The next seal is chained to the seal of the removed segment.
    await opened.script("UPDATE seal SET hash = 'forged' WHERE segment = 1")
    expect((await verifyLog(heavy, () => {})).faults).toHaveLength(1)
    await server.close()
  })
})

/** A server without retention, with a sealed segment that is older than a day. */
async function withOldSegment(name: EngineName) {
  const server = await startServer(name)
  onTestFinished(() => server.close())
  const { read, engine } = server.service.storage
  const business = await makeBusiness(server)
  await readLog(read)
  await engine.script(`UPDATE log SET op_time = op_time - ${2 * day}`)
  const head = () => read.selectFrom('log_head').selectAll().executeTakeFirstOrThrow()
  await expect.poll(async () => (await head()).sealed).toBeGreaterThan(0)
  return { server, business, engine, head }
}

it('records are numbered while a segment is being removed', async () => {
  const { server, business, engine, head } = await withOldSegment('postgres')
  const removing = await engine.transact('', async (connection) => {
    await connection.query('SELECT ticket FROM log WHERE position = 1 FOR UPDATE', [])
    // In an object, because an async function would await a returned promise.
    const removal = { done: removeOldest(engine, Date.now() - day) }
    const count = async (sql: string) => {
      // Keeps the transaction from being terminated as idle.
      await connection.query('SELECT 1', [])
      return (await engine.reads.query(sql, [])).rows.length
    }
    const waiting = `SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'delete from "log"%'`
    await expect.poll(() => count(waiting), { timeout: 5_000 }).toBe(1)
    await makeSet(server, business, { bk_set_name: 'meanwhile' })
    await expect.poll(() => count('SELECT 1 FROM log WHERE position IS NULL'), { timeout: 3_000 }).toBe(0)
    return removal
  })
  expect(await removing.done).toBe(true)
  const { floor, sealed } = await head()
  expect(floor).toBe(sealed + 1)
})

it('two processes that remove the same segment remove it once', async () => {
  const { engine, head, server } = await withOldSegment('postgres')
  const removed = await Promise.all([1, 2].map(() => removeOldest(engine, Date.now() - day)))
  expect(removed.filter(Boolean)).toHaveLength(1)
  const { floor, sealed } = await head()
  expect(floor).toBe(sealed + 1)
  expect((await verifyLog(server.service.storage.heavy, () => {})).faults).toEqual([])
})

it('a segment is removed without blocking the event loop', async () => {
  const { engine } = await withOldSegment('sqlite')
  const ran = vi.spyOn(StatementSync.prototype, 'run')
  onTestFinished(() => ran.mockRestore())
  expect(await removeOldest(engine, Date.now() - day)).toBe(true)
  expect(ran.mock.contexts.filter((each) => (each as StatementSync).sourceSQL.startsWith('delete'))).toEqual([])
})
