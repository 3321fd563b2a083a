import { availableParallelism } from 'node:os'
import { StatementSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { findSets, makeBusiness, makeSet } from '../../../testing/factories.ts'
import { startServer, type TestServer } from '../../../testing/harness.ts'

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

/** A statement on the event loop may not take longer, in milliseconds: longer ones belong to a thread. */
const eventLoopBudget = 50

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
  await server.service.storage.engine.reads.query('SELECT a.id FROM node a, node b LIMIT 1 OFFSET 1000000', [])
  // A scan on the event loop would have been seen.
  expect(longest.milliseconds).toBeGreaterThan(5)

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
  expect(longest.milliseconds, longest.sql).toBeLessThan(eventLoopBudget)
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
  const threads = Math.max(1, availableParallelism() - 1)
  expect(new Set(drawings.map((each) => each.drawn)).size).toBe(2 * threads + 1)
  expect(new Set(drawings.map((each) => each.nodes)).size).toBe(1)
  expect(other?.nodes).not.toBe(drawings[0]?.nodes)
  expect(new Set(drawings).size).toBe(50)
})
