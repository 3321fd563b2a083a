import { afterAll, beforeAll, expect, it } from 'vitest'
import { findSets, makeBusiness, makeSet } from '../../../testing/factories.ts'
import { startServer, type TestServer } from '../../../testing/harness.ts'
import { eventLoopBudget } from './connection.ts'
import type { SqliteEngine } from './engine.ts'

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

it('never holds the event loop longer than its budget, however large the business', async () => {
  const { engine, read } = server.service.storage
  const scan = () => engine.reads.query("SELECT count(*) FROM node WHERE attributes ->> '$.bk_capacity' = 5", [])
  const started = performance.now()
  await scan()
  const onTheLoop = performance.now() - started
  Object.assign((engine as SqliteEngine).longestOnLoop(), { milliseconds: 0, sql: '' })

  expect((await findSets(server, business)).data.count).toBe(many + 1)
  expect((await findSets(server, business, { bk_capacity: 5 })).data.count).toBeGreaterThan(30)
  expect((await findSets(server, business, { bk_set_name: { $regex: '7777$' } })).data.count).toBe(4)
  expect(
    (await findSets(server, business, {}, { page: { start: 39_000, limit: 200, sort: '-bk_capacity' } })).data.info,
  ).toHaveLength(200)
  const ids = Array.from({ length: 200 }, (_, index) => 100_001 + index)
  await server.call('DELETE', `/set/${business}/batch`, { delete: { inst_ids: ids } })
  await makeSet(server, business)
  expect((await findSets(server, business)).data.count).toBe(many + 2 - 200)

  // The same scan on the event loop would have been seen.
  expect(onTheLoop).toBeGreaterThan(5)
  expect((engine as SqliteEngine).longestOnLoop()).toMatchObject({ sql: expect.any(String) })
  expect((engine as SqliteEngine).longestOnLoop().milliseconds).toBeLessThan(eventLoopBudget)
  expect(await read.selectFrom('business').select('biz_id').where('biz_id', '=', business).execute()).toHaveLength(1)
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
      .where('a.inst_id', '<', 100_500)
      .execute()
      .then(() => order.push('scan')),
  )
  await server.call('POST', '/biz/search/0', {})
  order.push('request')
  await Promise.all(scans)
  expect(order[0]).toBe('request')
})

it('says 429 when more heavy reads wait than the threads can take', async () => {
  const { heavy } = server.service.storage
  const scan = () =>
    heavy
      .selectFrom('node')
      .select((eb) => eb.fn.max('name').as('last'))
      .where('name', 'like', '%9%')
      .execute()
  const answers = await Promise.allSettled(Array.from({ length: 200 }, scan))
  const refused = answers.filter((answer) => answer.status === 'rejected')
  expect(refused.length).toBeGreaterThan(0)
  expect(String(refused[0]?.reason)).toContain('the queue of heavy reads is full')
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(64)
})
