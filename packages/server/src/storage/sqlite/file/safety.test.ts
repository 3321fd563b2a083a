import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Logger, pino } from 'pino'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findSets, makeBusiness, setBody } from '../../../testing/data/factories.ts'
import { makeStore, openedStores, startServer, type TestServer, type TestStore } from '../../../testing/harness.ts'
import { damagePageOf } from '../../../testing/inspect/damage.ts'
import { runCommand } from '../../../testing/process.ts'
import { checkedBeforeServingBytes } from './check.ts'

// SQLite only: a PostgreSQL server protects its own files, and other clients may write to it.

interface Line {
  level: number
  msg: string
}

let [lines, store]: [Line[], TestStore] = [[], undefined as never]
let server: TestServer | undefined
const log: Logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
const path = () => join(store.dataDir, 'mainline.db')
const start = async () => {
  server = await startServer('sqlite', { store, log })
  return server
}
const readyAt = async ({ url }: TestServer) => {
  const answer = await fetch(`${url}/readyz`)
  const { status } = (await answer.json()) as { status: string }
  return { code: answer.status, status }
}
const createSet = ({ call }: TestServer, business: number, name: string) =>
  call('POST', `/set/${business}`, setBody(business, { bk_set_name: name }))
const fatal = () => lines.filter(({ level }) => level === 60).map(({ msg }) => msg)

beforeEach(async () => {
  lines = []
  store = await makeStore('sqlite', openedStores())
})
afterEach(async () => {
  await server?.close()
  server = undefined
  store.remove()
})

it('damage found by a read stops all changes, is shown by /readyz and logged once; other reads continue', async () => {
  const served = await start()
  const business = await makeBusiness(served, 'first')
  expect(await readyAt(served)).toEqual({ code: 200, status: 'ready' })

  damagePageOf(path(), 'sqlite_autoindex_favourite_2')
  const read = await served.call('POST', '/hosts/favorites/search', {})
  expect(read).toMatchObject({ status: 503, bk_error_code: 1199503 })
  expect(read.bk_error_msg).toContain('the database file is damaged')
  for (const name of ['one', 'two']) {
    const change = await createSet(served, business, name)
    expect(change).toMatchObject({ status: 503, bk_error_code: 1199503 })
    expect(change.bk_error_msg).toContain('the database file is damaged, so writes are rejected')
    expect(change.headers.get('retry-after')).toBe('60')
  }
  expect(await readyAt(served)).toEqual({ code: 503, status: expect.stringContaining('damaged') })
  expect((await findSets(served, business)).data.count).toBe(1)
  expect(fatal()).toEqual([expect.stringMatching(/^The database \S+ is damaged: .*'mainline restore FILE/)])
})

it('a file that a reading thread can no longer open counts as damaged', async () => {
  const served = await start()
  const business = await makeBusiness(served, 'first')
  writeFileSync(path(), 'text '.repeat(1000))
  const found = await findSets(served, business, { bk_set_name: { $regex: 'a' } })
  expect(found.bk_error_msg).toContain('the database file is damaged')
  expect(await readyAt(served)).toMatchObject({ code: 503 })
})

it('a change that finds damage fails the others of its group commit', async () => {
  const { storage } = (await start()).service
  const versions = () => storage.read.selectFrom('account').select('chain_version').execute()
  const before = await versions()
  damagePageOf(path(), 'custom_query')
  const raise = () =>
    storage.upkeep((writer) =>
      writer
        .updateTable('account')
        .set((eb) => ({ chain_version: eb('chain_version', '+', 1) }))
        .execute(),
    )
  const meet = () => storage.upkeep((writer) => writer.selectFrom('custom_query').selectAll().execute())
  const [first, ...rest] = await Promise.allSettled([raise(), meet(), raise()])
  expect(rest.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  // On a slow machine the first may have been committed in its own group.
  const raised = first?.status === 'fulfilled' ? 1 : 0
  expect(await versions()).toEqual(before.map((row) => ({ chain_version: row.chain_version + raised })))
})

it('a commit by another program is detected while idle', async () => {
  const served = await start()
  const other = new DatabaseSync(path())
  other.exec('UPDATE business SET version = version + 1')
  other.close()
  await expect
    .poll(() => readyAt(served), { timeout: 20_000 })
    .toEqual({
      code: 503,
      status: expect.stringContaining('another program has written to the database file'),
    })
  expect(fatal()).toEqual([expect.stringMatching(/Another program has written to .* restart this server/)])
})

it('a commit by another program is detected by the next change, which is refused', async () => {
  const served = await start()
  const business = await makeBusiness(served, 'first')
  const other = new DatabaseSync(path())
  other.exec('UPDATE business SET version = version + 1')
  other.close()
  const change = await createSet(served, business, 'late')
  expect(change.bk_error_msg).toContain('another program has written to the database file')
  expect((await findSets(served, business)).data.count).toBe(1)
})

it('a commit by another program after a bulk change is detected', async () => {
  const served = await start()
  const { storage } = served.service
  const actor = { user: 'test', account: '0', requestId: '' }
  const committed = storage.change(
    actor,
    async (tx) => {
      await tx.updateTable('account').set({ model_version: 1 }).where('name', '=', 'none').execute()
    },
    { bulk: true },
  )
  await committed
  const other = new DatabaseSync(path())
  other.exec('UPDATE business SET version = version + 1')
  other.close()
  await expect(storage.change(actor, async () => {}, { bulk: true })).rejects.toThrow('another program has written')
})

it('our own connections do not count as another program: groups, bulk changes, rollbacks, readers, commands', async () => {
  const served = await start()
  const business = await makeBusiness(served, 'first')
  const { storage } = served.service
  const actor = { user: 'test', account: '0', requestId: '' }
  const bulk = (fails: boolean) =>
    storage
      .change(
        actor,
        async (tx) => {
          await tx.updateTable('account').set({ chain_version: 7 }).where('name', '=', '0').execute()
          if (fails) throw new Error('on purpose')
        },
        { bulk: true },
      )
      .catch(() => {})
  for (let round = 0; round < 15; round++) {
    await Promise.all([
      createSet(served, business, `a${round}`),
      bulk(round % 3 === 0),
      createSet(served, business, `a${round}`),
      findSets(served, business, { bk_set_name: { $regex: 'a' } }),
      createSet(served, business, `b${round}`),
      bulk(false),
    ])
  }
  const [verified, backedUp] = await Promise.all([
    runCommand(['verify', ...store.flags]),
    runCommand(['backup', join(store.dataDir, 'kept'), ...store.flags]),
  ])
  expect([verified.code, backedUp.code]).toEqual([0, 0])
  expect(await createSet(served, business, 'last')).toMatchObject({ bk_error_code: 0 })
  expect((await findSets(served, business)).data.count).toBe(1 + 30 + 1)
  expect(await readyAt(served)).toEqual({ code: 200, status: 'ready' })
  expect(fatal()).toEqual([])
})

it('a file that was replaced under a running server is not written any more', async () => {
  const served = await start()
  const business = await makeBusiness(served, 'first')
  renameSync(path(), `${path()}.old`)
  await expect
    .poll(() => readyAt(served), { timeout: 20_000 })
    .toMatchObject({
      code: 503,
      status: expect.stringContaining('replaced or removed'),
    })
  expect((await createSet(served, business, 'lost')).bk_error_msg).toContain('replaced or removed')
})

it('a large file is checked in the background while it is served', async () => {
  const filling = new DatabaseSync(path())
  filling.exec(`CREATE TABLE filling (bytes BLOB);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= ${checkedBeforeServingBytes / 1_048_576})
    INSERT INTO filling SELECT zeroblob(1048576) FROM n`)
  filling.close()
  damagePageOf(path(), 'favourite')
  const served = await start()
  await expect
    .poll(() => readyAt(served), { timeout: 20_000 })
    .toMatchObject({
      code: 503,
      status: expect.stringContaining('damaged'),
    })
  expect(fatal()).toHaveLength(1)
})

it('an intact file stays ready, whatever its size', async () => {
  const filling = new DatabaseSync(path())
  filling.exec(`CREATE TABLE filling (bytes BLOB); INSERT INTO filling VALUES (zeroblob(${checkedBeforeServingBytes}))`)
  filling.close()
  const served = await start()
  const business = await makeBusiness(served, 'first')
  expect(await createSet(served, business, 'one')).toMatchObject({ bk_error_code: 0 })
  await served.close()
  server = undefined
  expect(fatal()).toEqual([])
})

it('a change that cannot start because another program holds the write lock is refused with Retry-After, not as an internal error', async () => {
  const served = await start()
  const business = await makeBusiness(served)
  const other = new DatabaseSync(path())
  other.exec('BEGIN IMMEDIATE')
  expect(await createSet(served, business, 'too early')).toMatchObject({ status: 503, bk_error_code: 1199503 })
  other.exec('ROLLBACK')
  other.close()
  expect(await createSet(served, business, 'in time')).toMatchObject({ result: true })
})
