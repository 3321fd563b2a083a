// The SQL of each condition, for review of changes: SQLite first, then PostgreSQL, each with its parameters.
import { describe, expect, it } from 'vitest'
import { selectNodes } from '../areas/topology/nodes/nodes.ts'
import { Cache } from '../storage/cache.ts'
import type { Connection } from '../storage/connection.ts'
import { postgresDialect, sqliteDialect } from '../storage/dialect.ts'
import { readerOver } from '../storage/handles.ts'
import { fields, type Reading, read } from '../testing/random/conditions.ts'
import { compile } from './compile.ts'
import type { Condition } from './condition.ts'

/** No database is queried; a connection determines the dialect. */
const nowhere = (): Connection => ({ query: () => ({ rows: [], affected: 0 }), script: () => {} })
const before = /^.* where "node"\."object_id" = (\?|\$1) and /

const shown = (input: unknown, reading?: Reading) => sqlOf(read(input, reading))

/** The part of the statement that contains the condition. */
function sqlOf(condition: Condition): string {
  const [sqlite, postgres] = [sqliteDialect, postgresDialect].map((dialect) => {
    const reader = readerOver(nowhere(), { dialect, cache: new Cache(1), generation: () => undefined })
    const { sql, parameters } = selectNodes(reader, 'set')
      .where(compile(condition, { table: 'node', fields, dialect }))
      .compile()
    return `${sql.replace(before, '')}\n  ${JSON.stringify(parameters.slice(1))}`
  })
  return `${sqlite}\n${postgres}`
}

describe('the SQL of', () => {
  it('no condition', () => {
    expect(shown({})).toMatchInlineSnapshot(`
      "1 = 1
        []
      1 = 1
        []"
    `)
  })

  it('a text in a column, with built-in rows of that name', () => {
    expect(shown({ name: "it's" })).toMatchInlineSnapshot(`
      ""node"."name" = ?
        ["it's"]
      "node"."name" = $2
        ["it's"]"
    `)
    expect(shown({ name: { $ne: '空闲机池' } })).toMatchInlineSnapshot(`
      "not ("node"."name" = ? or "node"."built_in" = 1)
        ["空闲机池"]
      not ("node"."name" = $2 or "node"."built_in" = 1)
        ["空闲机池"]"
    `)
  })

  it('a text attribute: unset values read as empty', () => {
    expect(shown({ note: { $gt: 'a' } })).toMatchInlineSnapshot(`
      "CASE json_type("node"."attributes", '$.note') WHEN 'text' THEN "node"."attributes" ->> '$.note' ELSE '' END > ?
        ["a"]
      (CASE jsonb_typeof("node"."attributes" -> 'note') WHEN 'string' THEN "node"."attributes" ->> 'note' ELSE '' END COLLATE "C") > $2
        ["a"]"
    `)
    expect(shown({ note: { $exists: true } })).toMatchInlineSnapshot(`
      "not CASE json_type("node"."attributes", '$.note') WHEN 'text' THEN "node"."attributes" ->> '$.note' ELSE '' END = ''
        []
      not (CASE jsonb_typeof("node"."attributes" -> 'note') WHEN 'string' THEN "node"."attributes" ->> 'note' ELSE '' END COLLATE "C") = ''
        []"
    `)
  })

  it('a part of a text', () => {
    expect(shown({ note: '50%_' }, { text: 'part' })).toMatchInlineSnapshot(`
      "instr(CASE json_type("node"."attributes", '$.note') WHEN 'text' THEN "node"."attributes" ->> '$.note' ELSE '' END, ?) > 0
        ["50%_"]
      strpos((CASE jsonb_typeof("node"."attributes" -> 'note') WHEN 'string' THEN "node"."attributes" ->> 'note' ELSE '' END COLLATE "C"), $2) > 0
        ["50%_"]"
    `)
  })

  it('a number: an unset value matches no comparison, and every exclusion', () => {
    expect(shown({ amount: { $gte: 5 } })).toMatchInlineSnapshot(`
      "(CASE WHEN json_type("node"."attributes", '$.amount') IN ('integer', 'real') THEN CAST("node"."attributes" ->> '$.amount' AS REAL) END IS NOT NULL AND CASE WHEN json_type("node"."attributes", '$.amount') IN ('integer', 'real') THEN CAST("node"."attributes" ->> '$.amount' AS REAL) END >= ?)
        [5]
      (CASE jsonb_typeof("node"."attributes" -> 'amount') WHEN 'number' THEN ("node"."attributes" ->> 'amount')::float8 END IS NOT NULL AND CASE jsonb_typeof("node"."attributes" -> 'amount') WHEN 'number' THEN ("node"."attributes" ->> 'amount')::float8 END >= $2::float8)
        [5]"
    `)
    expect(shown({ amount: { $nin: [1, 2, null] } })).toMatchInlineSnapshot(`
      "not (CASE WHEN json_type("node"."attributes", '$.amount') IN ('integer', 'real') THEN CAST("node"."attributes" ->> '$.amount' AS REAL) END IS NULL or (CASE WHEN json_type("node"."attributes", '$.amount') IN ('integer', 'real') THEN CAST("node"."attributes" ->> '$.amount' AS REAL) END IS NOT NULL AND CASE WHEN json_type("node"."attributes", '$.amount') IN ('integer', 'real') THEN CAST("node"."attributes" ->> '$.amount' AS REAL) END IN (SELECT CAST(value AS REAL) FROM json_each(?))))
        ["[1,2]"]
      not (CASE jsonb_typeof("node"."attributes" -> 'amount') WHEN 'number' THEN ("node"."attributes" ->> 'amount')::float8 END IS NULL or (CASE jsonb_typeof("node"."attributes" -> 'amount') WHEN 'number' THEN ("node"."attributes" ->> 'amount')::float8 END IS NOT NULL AND CASE jsonb_typeof("node"."attributes" -> 'amount') WHEN 'number' THEN ("node"."attributes" ->> 'amount')::float8 END = ANY($2::float8[])))
        [[1,2]]"
    `)
  })

  it('a boolean', () => {
    expect(shown({ open: true })).toMatchInlineSnapshot(`
      "(CASE json_type("node"."attributes", '$.open') WHEN 'true' THEN 1 WHEN 'false' THEN 0 END IS NOT NULL AND CASE json_type("node"."attributes", '$.open') WHEN 'true' THEN 1 WHEN 'false' THEN 0 END = ?)
        [1]
      (CASE jsonb_typeof("node"."attributes" -> 'open') WHEN 'boolean' THEN ("node"."attributes" ->> 'open')::boolean::int END IS NOT NULL AND CASE jsonb_typeof("node"."attributes" -> 'open') WHEN 'boolean' THEN ("node"."attributes" ->> 'open')::boolean::int END = $2::float8)
        [1]"
    `)
  })

  it('a list of values: one bound parameter for any number', () => {
    expect(shown({ note: { $in: ['a', 'b', 'c'] } })).toMatchInlineSnapshot(`
      "CASE json_type("node"."attributes", '$.note') WHEN 'text' THEN "node"."attributes" ->> '$.note' ELSE '' END IN (SELECT value FROM json_each(?))
        ["[\\"a\\",\\"b\\",\\"c\\"]"]
      (CASE jsonb_typeof("node"."attributes" -> 'note') WHEN 'string' THEN "node"."attributes" ->> 'note' ELSE '' END COLLATE "C") = ANY($2::text[])
        [["a","b","c"]]"
    `)
    expect(shown({ note: { $in: [] } })).toMatchInlineSnapshot(`
      "1 = 0
        []
      1 = 0
        []"
    `)
  })

  it('a user, or one of several, in a list of users', () => {
    expect(shown({ people: 'amy' })).toMatchInlineSnapshot(`
      "instr(',' || CASE json_type("node"."attributes", '$.people') WHEN 'text' THEN "node"."attributes" ->> '$.people' ELSE '' END || ',', ?) > 0
        [",amy,"]
      strpos(',' || (CASE jsonb_typeof("node"."attributes" -> 'people') WHEN 'string' THEN "node"."attributes" ->> 'people' ELSE '' END COLLATE "C") || ',', $2) > 0
        [",amy,"]"
    `)
    expect(shown({ people: { $in: ['amy', 'bob', ''] } })).toMatchInlineSnapshot(`
      "(CASE json_type("node"."attributes", '$.people') WHEN 'text' THEN "node"."attributes" ->> '$.people' ELSE '' END = '' or EXISTS (SELECT 1 FROM json_each('[' || replace(json_quote(CASE json_type("node"."attributes", '$.people') WHEN 'text' THEN "node"."attributes" ->> '$.people' ELSE '' END), ',', '","') || ']') AS member WHERE "member"."value" IN (SELECT value FROM json_each(?))))
        ["[\\"amy\\",\\"bob\\"]"]
      ((CASE jsonb_typeof("node"."attributes" -> 'people') WHEN 'string' THEN "node"."attributes" ->> 'people' ELSE '' END COLLATE "C") = '' or EXISTS (SELECT 1 FROM unnest(string_to_array((CASE jsonb_typeof("node"."attributes" -> 'people') WHEN 'string' THEN "node"."attributes" ->> 'people' ELSE '' END COLLATE "C"), ',')) AS member(value) WHERE "member"."value" = ANY($2::text[])))
        [["amy","bob"]]"
    `)
  })

  it('a time, a range that includes its last second, and one of several times', () => {
    expect(shown({ made: '2026-01-31 12:00:00' })).toMatchInlineSnapshot(`
      ""node"."made" BETWEEN ? AND ?
        [1769860800000,1769860800999]
      "node"."made" BETWEEN $2::bigint AND $3::bigint
        [1769860800000,1769860800999]"
    `)
    expect(shown({ made: { $gte: '2026-01-30 12:00:00', $lte: '2026-01-31 12:00:00' } })).toMatchInlineSnapshot(`
      "("node"."made" >= ? and "node"."made" <= ?)
        [1769774400000,1769860800999]
      ("node"."made" >= $2::bigint and "node"."made" <= $3::bigint)
        [1769774400000,1769860800999]"
    `)
    expect(shown({ made: { $in: ['2026-01-31 12:00:00', '2026-01-31 12:00:01.500'] } })).toMatchInlineSnapshot(`
      "("node"."made" IN (SELECT value FROM json_each(?)) or "node"."made" - "node"."made" % 1000 IN (SELECT value FROM json_each(?)))
        ["[1769860801500]","[1769860800000]"]
      ("node"."made" = ANY($2::bigint[]) or "node"."made" - "node"."made" % 1000 = ANY($3::bigint[]))
        [[1769860801500],[1769860800000]]"
    `)
  })

  it('a pattern: any row, also when negated, since it is matched afterwards', () => {
    expect(shown({ name: { $regex: '^a' }, amount: 1 })).toMatchInlineSnapshot(`
      "(1 = 1 and (CASE WHEN json_type("node"."attributes", '$.amount') IN ('integer', 'real') THEN CAST("node"."attributes" ->> '$.amount' AS REAL) END IS NOT NULL AND CASE WHEN json_type("node"."attributes", '$.amount') IN ('integer', 'real') THEN CAST("node"."attributes" ->> '$.amount' AS REAL) END = ?))
        [1]
      (1 = 1 and (CASE jsonb_typeof("node"."attributes" -> 'amount') WHEN 'number' THEN ("node"."attributes" ->> 'amount')::float8 END IS NOT NULL AND CASE jsonb_typeof("node"."attributes" -> 'amount') WHEN 'number' THEN ("node"."attributes" ->> 'amount')::float8 END = $2::float8))
        [1]"
    `)
    expect(sqlOf({ not: read({ note: { $regex: '^a' } }) })).toMatchInlineSnapshot(`
      "1 = 1
        []
      1 = 1
        []"
    `)
  })

  it('alternatives inside a conjunction', () => {
    expect(
      shown({ note: 'a', $or: [{ amount: 1 }, { $and: [{ amount: 2 }, { open: false }] }] }),
    ).toMatchInlineSnapshot(`
      "(CASE json_type("node"."attributes", '$.note') WHEN 'text' THEN "node"."attributes" ->> '$.note' ELSE '' END = ? and ((CASE WHEN json_type("node"."attributes", '$.amount') IN ('integer', 'real') THEN CAST("node"."attributes" ->> '$.amount' AS REAL) END IS NOT NULL AND CASE WHEN json_type("node"."attributes", '$.amount') IN ('integer', 'real') THEN CAST("node"."attributes" ->> '$.amount' AS REAL) END = ?) or ((CASE WHEN json_type("node"."attributes", '$.amount') IN ('integer', 'real') THEN CAST("node"."attributes" ->> '$.amount' AS REAL) END IS NOT NULL AND CASE WHEN json_type("node"."attributes", '$.amount') IN ('integer', 'real') THEN CAST("node"."attributes" ->> '$.amount' AS REAL) END = ?) and (CASE json_type("node"."attributes", '$.open') WHEN 'true' THEN 1 WHEN 'false' THEN 0 END IS NOT NULL AND CASE json_type("node"."attributes", '$.open') WHEN 'true' THEN 1 WHEN 'false' THEN 0 END = ?))))
        ["a",1,2,0]
      ((CASE jsonb_typeof("node"."attributes" -> 'note') WHEN 'string' THEN "node"."attributes" ->> 'note' ELSE '' END COLLATE "C") = $2 and ((CASE jsonb_typeof("node"."attributes" -> 'amount') WHEN 'number' THEN ("node"."attributes" ->> 'amount')::float8 END IS NOT NULL AND CASE jsonb_typeof("node"."attributes" -> 'amount') WHEN 'number' THEN ("node"."attributes" ->> 'amount')::float8 END = $3::float8) or ((CASE jsonb_typeof("node"."attributes" -> 'amount') WHEN 'number' THEN ("node"."attributes" ->> 'amount')::float8 END IS NOT NULL AND CASE jsonb_typeof("node"."attributes" -> 'amount') WHEN 'number' THEN ("node"."attributes" ->> 'amount')::float8 END = $4::float8) and (CASE jsonb_typeof("node"."attributes" -> 'open') WHEN 'boolean' THEN ("node"."attributes" ->> 'open')::boolean::int END IS NOT NULL AND CASE jsonb_typeof("node"."attributes" -> 'open') WHEN 'boolean' THEN ("node"."attributes" ->> 'open')::boolean::int END = $5::float8))))
        ["a",1,2,0]"
    `)
  })
})
