import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { findSets, makeBusiness, makeSet } from '../../../testing/factories.ts'
import { makeStore, startServer, type TestServer } from '../../../testing/harness.ts'
import type { Tx } from '../change.ts'
import { openReaders } from './threads.ts'

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
})
afterAll(() => server.close())

/** No statement on the event loop may take as long as this: longer ones belong to a thread. Some 25 ms on a usual machine. */
const tooLong = 'SELECT a.id FROM node a, node b LIMIT 1 OFFSET 1000000'

/**
 * The longest that a statement of this thread takes until the test ends, in milliseconds of its own processor time: others
 * who use the machine do not count. What runs in threads of the storage is not seen here.
 */
function watchStatements() {
  const longest = { milliseconds: 0, sql: '' }
  for (const name of ['all', 'run'] as const) {
    const original = StatementSync.prototype[name] as (...values: unknown[]) => unknown
    vi.spyOn(StatementSync.prototype, name).mockImplementation(function (this: StatementSync, ...values: unknown[]) {
      const before = process.threadCpuUsage()
      const result = original.apply(this, values)
      const { user, system } = process.threadCpuUsage(before)
      const took = (user + system) / 1_000
      if (took > longest.milliseconds) Object.assign(longest, { milliseconds: took, sql: this.sourceSQL })
      return result as never
    })
  }
  onTestFinished(() => void vi.restoreAllMocks())
  return longest
}

it('never holds the event loop longer than its budget, however large the business', async () => {
  const longest = watchStatements()
  await server.service.storage.engine.reads.query(tooLong, [])
  const budget = longest.milliseconds
  // A scan on the event loop would have been seen.
  expect(budget).toBeGreaterThan(5)

  Object.assign(longest, { milliseconds: 0, sql: '' })
  const page = { start: 39_000, limit: 100, sort: '-bk_capacity' }
  const { count } = (await findSets(server, business)).data
  expect((await findSets(server, business, { bk_capacity: 5 })).data.count).toBeGreaterThan(30)
  expect((await findSets(server, business, { bk_set_name: { $regex: '7777$' } })).data.count).toBe(4)
  expect((await findSets(server, business, {}, { page })).data.info).toHaveLength(100)
  const ids = Array.from({ length: 200 }, (_, index) => 100_001 + index)
  await server.call('DELETE', `/set/${business}/batch`, { delete: { inst_ids: ids } })
  await makeSet(server, business)
  expect((await findSets(server, business)).data.count).toBe(count + 1 - 200)
  expect(longest.milliseconds, longest.sql).toBeLessThan(budget)
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

it('says so when more heavy reads wait than the threads can take', async () => {
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
  expect(refused[0]?.reason).toMatchObject({ code: 1199503, message: expect.stringContaining('heavy reads is full') })
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(64)
})

it('reads once what many wait for, and anew what is being read already', async () => {
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
  // One caller has half of the room, which is one read in each thread; all the others wait, and share the next.
  const threads = Math.max(1, availableParallelism() - 1)
  expect(new Set(drawings.map((each) => each.drawn)).size).toBe(threads + 1)
  expect(new Set(drawings.map((each) => each.nodes)).size).toBe(1)
  expect(other?.nodes).not.toBe(drawings[0]?.nodes)
  expect(new Set(drawings).size).toBe(50)
})

/** Ends the storage threads that are asked for something like this, just as they are asked. */
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

it('a writer thread that ends takes its change with it, and the next ones go on in another', async () => {
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

it('nobody knows what became of a change whose thread ends in its commit', async () => {
  const ended = endThreadsAsked(/^COMMIT$/)
  await expect(server.service.storage.change(amy, addAccount('cut'), { bulk: true })).rejects.toMatchObject({
    code: 1199504,
  })
  expect(ended).toHaveLength(1)
  vi.restoreAllMocks()
  await makeSet(server, business)
})

it('reads that a thread takes with it are told to come again, and are answered by another', async () => {
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

it('a thread that cannot open the database is tried again by the next read', async () => {
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
