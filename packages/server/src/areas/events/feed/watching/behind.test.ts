import { afterAll, beforeAll, expect, it } from 'vitest'
import { eachEngine, startServer, type TestServer } from '../../../../testing/harness.ts'

const between = 20_000

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
    const counted =
      engine === 'sqlite'
        ? `WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${between}) SELECT`
        : 'SELECT'
    const source = engine === 'sqlite' ? 's' : `generate_series(1, ${between}) AS s(n)`
    await server.service.storage.engine.script(`
      INSERT INTO log (ticket, position, txn_id, ordinal, account, biz_id, object_id, inst_id, operation, description,
        operator, op_time, ext_key, request_id, content, events)
      ${counted} n, n, 'made ' || n, 0, '0', 2, CASE WHEN n < ${between} THEN 'set' ELSE 'rack' END, n, 1, '', '', n, '', '',
        '{"pre":null,"cur":null}', '[]' FROM ${source};
      UPDATE log_head SET position = ${between}, sealed = ${between};
      ANALYZE log;`)
  })
  afterAll(() => server.close())

  it('a reader that is far behind reads only records of its own objects', async () => {
    const { tail, storage } = server.service
    const { reads } = storage.engine
    const asked: { sql: string; parameters: readonly unknown[] }[] = []
    const query = reads.query
    reads.query = (sql, parameters) => {
      asked.push({ sql, parameters })
      return query.call(reads, sql, parameters)
    }
    const { records, through } = await tail.readOf('0', ['rack', 'switch'], 0, 200)
    reads.query = query
    expect(records.map((record) => record.position)).toEqual([between])
    expect(through).toBe(between)

    const explain = engine === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN'
    const statements = asked.filter(({ sql }) => sql.includes('"object_id" ='))
    expect(statements).toHaveLength(2)
    for (const { sql, parameters } of statements) {
      const { rows } = await reads.query(`${explain} ${sql}`, parameters)
      expect(JSON.stringify(rows)).toMatch(/log_by_object/)
      expect(JSON.stringify(rows)).not.toMatch(/sort|temp b-tree/i)
    }
  })
})
