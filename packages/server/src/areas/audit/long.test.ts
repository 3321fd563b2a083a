import { afterAll, beforeAll, expect, it } from 'vitest'
import { zoneOf } from '../../common/time.ts'
import type { AuditRow } from '../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'
import { planOf, statementsOf } from '../../testing/inspect/explain.ts'
import { readAuditCondition, searchLog } from './search.ts'

const records = 205_000

/** So many updates of hosts, one per second; every 90,000th record is a deletion, and the first ones have known addresses. */
const manyRecords = `
  WITH RECURSIVE many (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < ${records})
  INSERT INTO log (ticket, position, txn_id, ordinal, account, biz_id, object_id, inst_id, operation, description, operator,
    op_time, ext_key, request_id, content, events)
  SELECT 1000000 + n, head.position + n, 'many', n, '0', 1, 'host', n, CASE n % 90000 WHEN 0 THEN 3 ELSE 2 END, 'update host', 'amy',
    1600000000000 + n * 1000, CASE n WHEN 7 THEN '10.0.0.7' WHEN 8 THEN '10.0.0.8,10.0.0.7' ELSE '10.9.0.1' || n END, 'request',
    '{"pre":null,"cur":null}', '[]'
  FROM many, log_head AS head`

/** The service seals and tallies in the background; here it is done immediately. */
const sealed = `
  UPDATE log_head SET position = position + ${records};
  INSERT INTO seal (segment, first_position, last_position, last_time, previous, hash, sealed_at)
    SELECT (position - 1) / 1000 + 1, min(position), max(position), max(op_time), '', '', 0 FROM log GROUP BY (position - 1) / 1000 + 1;
  INSERT INTO log_tally (account, segment, biz_id, object_id, operation, operator, records)
    SELECT account, (position - 1) / 1000 + 1, biz_id, object_id, operation, operator, count(*) FROM log
    GROUP BY account, (position - 1) / 1000 + 1, biz_id, object_id, operation, operator;
  UPDATE log_head SET sealed = position, tallied = position`

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
    const { script } = server.service.storage.engine
    await script(`BEGIN; ${manyRecords}; ${sealed}; COMMIT`)
    if (engine === 'postgres') await script('ANALYZE')
  })
  afterAll(() => server.close())

  const search = (body: Record<string, unknown>) =>
    server.call<{ count: number; info: AuditRow[] }>('POST', '/audit/search', body)
  const plans = async (condition: Record<string, unknown>) => {
    const { storage } = server.service
    const search = { account: '0', businesses: undefined, name: undefined, order: [], start: 0, limit: 20 }
    const asked = await statementsOf(storage, () =>
      searchLog(storage, { ...search, condition: readAuditCondition(condition, zoneOf('UTC')) }),
    )
    return Promise.all(asked.map((statement) => planOf(storage, statement)))
  }
  /** Temporary indexes of SQLite also contain the name of the log. */
  const readsThrough = (plan: string) =>
    /log_by_time|log_by_object|Seq Scan on log\b/.test(plan) ||
    (/SCAN log\b/.test(plan) && !plan.includes('CO-ROUTINE log'))

  it('finds records of an address, also of one among several, without scanning the log', async () => {
    const found = await search({ condition: { ext_key: '10.0.0.7' } })
    expect(found.data.info.map((row) => row.inst_id)).toEqual([8, 7])
    expect(found.data.count).toBe(2)
    expect((await search({ condition: { ext_key: '10.0.0.7,10.9.0.19', operator: 'amy' } })).data.count).toBe(3)
    expect((await search({ condition: { ext_key: '10.0.0.7', operator: 'bob' } })).data.count).toBe(0)
    expect((await plans({ ext_key: '10.0.0.7' })).filter(readsThrough)).toEqual([])
  })

  it('refuses a search that would scan the log, and suggests how to narrow it', async () => {
    const refused = async (body: Record<string, unknown>) =>
      expect(await search(body)).toMatchObject({
        bk_error_code: 1199035,
        bk_error_msg: expect.stringContaining('narrow the search by op_time'),
      })
    await refused({ condition: { op_desc: 'nothing' } })
    await refused({ condition: { request_id: 'request', operator: 'amy' } })
    await refused({ condition: { inst_id: 9 } })
    await refused({ sort: 'operator' })
    const hour = { $gte: '2020-09-13T12:26:40Z', $lt: '2020-09-13T13:26:40Z' }
    const count = async (condition: Record<string, unknown>) => (await search({ condition })).data.count
    expect(await count({ op_desc: 'update host', op_time: hour })).toBe(3_599)
    expect(await count({ op_target: 'host', inst_id: 9 })).toBe(1)
    expect(await count({ operator: 'amy' })).toBe(records)
  })

  it('finds rare records by the tallies', async () => {
    const found = await search({ condition: { op_type: 'delete', operator: 'amy' } })
    expect(found.data.info.map((row) => row.inst_id)).toEqual([180_000, 90_000])
    expect((await plans({ op_type: 'delete' })).filter(readsThrough)).toEqual([])
  })
})
