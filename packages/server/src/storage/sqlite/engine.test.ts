import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { findSets, makeBusiness, makeSet } from '../../testing/data/factories.ts'
import { makeStore, startServer, type TestServer } from '../../testing/harness.ts'
import { caughtUp } from '../../testing/inspect/past.ts'
import type { Tx } from '../change/change.ts'
import { openReaders } from './threads/threads.ts'

const many = 40_000
let server: TestServer
let business: number
beforeAll(async () => {
  server = await startServer('sqlite')
  business = await makeBusiness(server, 'large')
  await server.service.storage.engine.script(`
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${many}), b AS (SELECT node FROM business WHERE biz_id = ${business})
    INSERT INTO node (account, object_id, inst_id, business, parent, biz_id, parent_id, name, name_key, built_in, attributes, creator, create_time, last_time)
    SELECT '0', 'set', 100000 + i, b.node, b.node, ${business}, ${business}, 'set ' || i, 'set ' || i, 0, '{"bk_capacity":' || (i % 977) || ',"bk_set_env":"3"}', 'amy', i, i FROM n, b;
    UPDATE business SET version = version + 1;`)
  // A server that has just been started copies its rows for reads of the past.
  await caughtUp(server)
})
afterAll(() => server.close())

/** The budget of statements on the event loop is the duration of this one, about 25 ms on a usual machine. Longer ones belong to a thread. */
const tooLong = 'SELECT a.id FROM node a, node b LIMIT 1 OFFSET 1000000'

/**
 * Tracks the longest statement of this thread until the test ends, in CPU time, which other processes do not affect. Statements in the
 * storage's threads are not included.
 */
function watchStatements() {
  const longest = { cpuMs: 0, sql: '' }
  for (const name of ['all', 'run'] as const) {
    const original = StatementSync.prototype[name] as (...values: unknown[]) => unknown
    vi.spyOn(StatementSync.prototype, name).mockImplementation(function (this: StatementSync, ...values: unknown[]) {
      const before = process.threadCpuUsage()
      const result = original.apply(this, values)
      const { user, system } = process.threadCpuUsage(before)
      const took = (user + system) / 1_000
      if (took > longest.cpuMs) Object.assign(longest, { cpuMs: took, sql: this.sourceSQL })
      return result as never
    })
  }
  onTestFinished(() => void vi.restoreAllMocks())
  return longest
}

it('never blocks the event loop for longer than its budget, however large the business', async () => {
  const longest = watchStatements()
  await server.service.storage.engine.reads.query(tooLong, [])
  const budget = longest.cpuMs
  // The measurement itself works: a scan on the event loop is noticed.
  expect(budget).toBeGreaterThan(5)

  Object.assign(longest, { cpuMs: 0, sql: '' })
  const page = { start: 39_000, limit: 100, sort: '-bk_capacity' }
  const { count } = (await findSets(server, business)).data
  expect((await findSets(server, business, { bk_capacity: 5 })).data.count).toBeGreaterThan(30)
  expect((await findSets(server, business, { bk_set_name: { $regex: '7777$' } })).data.count).toBe(4)
  expect((await findSets(server, business, {}, { page })).data.info).toHaveLength(100)
  const ids = Array.from({ length: 200 }, (_, index) => 100_001 + index)
  await server.call('DELETE', `/set/${business}/batch`, { delete: { inst_ids: ids } })
  await makeSet(server, business)
  expect((await findSets(server, business)).data.count).toBe(count + 1 - 200)
  expect(longest.cpuMs, longest.sql).toBeLessThan(budget)
})

it('answers small requests while a scan runs in a thread', async () => {
  const { heavy } = server.service.storage
  const order: string[] = []
  const scans = Array.from({ length: 3 }, () =>
    heavy
      .selectFrom('node as a')
      .innerJoin('node as b', (join) =>
        join.on(
          (eb) => eb.fn('length', ['a.name']),
          '=',
          (eb) => eb.fn('length', ['b.name']),
        ),
      )
      .select((eb) => eb.fn.countAll().as('pairs'))
      .where('a.inst_id', '<', 100_230)
      .execute()
      .then(() => order.push('scan')),
  )
  await server.call('POST', '/biz/search/0', {})
  order.push('request')
  await Promise.all(scans)
  expect(order[0]).toBe('request')
})

it('rejects heavy reads when the queue of the threads is full', async () => {
  const { heavy } = server.service.storage
  const scan = (_: unknown, turn: number) =>
    heavy
      .selectFrom('node')
      .select((eb) => eb.fn.max('name').as('last'))
      .where('name', 'like', `%${turn}%`)
      .execute()
  const answers = await Promise.allSettled(Array.from({ length: 200 }, scan))
  const refused = answers.filter((answer) => answer.status === 'rejected')
  expect(refused.length).toBeGreaterThan(0)
  expect(refused[0]?.reason).toMatchObject({
    code: 1199503,
    message: expect.stringContaining('expensive reads is full'),
  })
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(64)
})

it('equal queued reads share one query, and a read that is already running is not shared', async () => {
  // The background task that derives the past reads the changes of earlier tests in the same threads.
  await caughtUp(server)
  const drawing = 'SELECT hex(randomblob(8)) AS drawn, (SELECT count(*) FROM node WHERE name LIKE ?) AS nodes'
  interface Drawing {
    drawn: string
    nodes: number
  }
  const draw = async (pattern: string) => {
    const { rows } = await server.service.storage.engine.heavyReads.query(drawing, [pattern])
    return rows[0] as Drawing
  }
  const drawings = await Promise.all([...Array.from({ length: 50 }, () => draw('%1%')), draw('%2%')])
  const other = drawings.pop()
  // One caller gets half of the slots, one read per thread; all its other reads are queued and share the next one.
  const threads = Math.max(1, availableParallelism() - 1)
  expect(new Set(drawings.map((each) => each.drawn)).size).toBe(threads + 1)
  expect(new Set(drawings.map((each) => each.nodes)).size).toBe(1)
  expect(other?.nodes).not.toBe(drawings[0]?.nodes)
  expect(new Set(drawings).size).toBe(50)
})

/** Terminates the storage threads as they receive a matching statement. */
function endThreadsAsked(sql: RegExp) {
  const original = Worker.prototype.postMessage
  const ended: Worker[] = []
  vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, question: { sql: string }) {
    if (sql.test(question.sql)) {
      ended.push(this)
      this.terminate()
    }
    original.call(this, question)
  })
  onTestFinished(() => void vi.restoreAllMocks())
  return ended
}

const amy = { user: 'amy', account: '0', requestId: '' }
const addAccount = (name: string) => async (tx: Tx) => {
  await tx.insertInto('account').values({ name, chain_version: 1, model_version: 1 }).execute()
  return tx.selectFrom('account').select('name').where('name', '=', name).executeTakeFirst()
}
const accountsLike = async (name: string) => {
  const { rows } = await server.service.storage.engine.reads.query('SELECT name FROM account WHERE name = ?', [name])
  return rows.length
}

it('a writer thread that exits rolls back its change, and later changes run in a new thread', async () => {
  const { change } = server.service.storage
  const ended = endThreadsAsked(/from "account" where "name" = \? *$/)
  const bulk = change(amy, addAccount('lost'), { bulk: true })
  const behind = makeSet(server, business)
  await expect(bulk).rejects.toMatchObject({ code: 1199503 })
  expect(await behind).toBeGreaterThan(0)
  expect(ended).toHaveLength(1)
  vi.restoreAllMocks()
  expect(await accountsLike('lost')).toBe(0)
  await change(amy, addAccount('kept'), { bulk: true })
  expect(await accountsLike('kept')).toBe(1)
})

it('the outcome of a change whose thread exits during its commit is unknown', async () => {
  const ended = endThreadsAsked(/^COMMIT$/)
  await expect(server.service.storage.change(amy, addAccount('cut'), { bulk: true })).rejects.toMatchObject({
    code: 1199504,
  })
  expect(ended).toHaveLength(1)
  vi.restoreAllMocks()
  await makeSet(server, business)
})

it('reads of a thread that exits fail with Retry-After, and a new thread answers their retries', async () => {
  const { heavyReads } = server.service.storage.engine
  const count = async (pattern: string) =>
    heavyReads.query('SELECT count(*) AS n FROM node WHERE name LIKE ?', [pattern])
  const ended = endThreadsAsked(/count/)
  const answers = await Promise.allSettled(Array.from({ length: 8 }, (_, nth) => count(`%${nth}%`)))
  expect(answers.map((each) => each.status === 'rejected' && each.reason.code)).toEqual(Array(8).fill(1199503))
  expect(ended.length).toBeGreaterThan(0)
  vi.restoreAllMocks()
  expect((await count('set 7777')).rows).toEqual([{ n: 1 }])
})

it('after a thread fails to open the database, the next read tries again', async () => {
  const store = await makeStore('sqlite')
  const path = join(store.dataDir, 'late.db')
  const readers = openReaders(path, 1, 1_000)
  const read = async () => (await readers.query('SELECT n FROM numbers', [])).rows
  await expect(read()).rejects.toMatchObject({ code: 1199503 })
  const made = new DatabaseSync(path)
  made.exec('CREATE TABLE numbers (n); INSERT INTO numbers VALUES (7)')
  made.close()
  expect(await read()).toEqual([{ n: 7 }])
  await readers.close()
  store.remove()
})
