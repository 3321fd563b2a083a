import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { modelOf, objectOf } from '../areas/model/index.ts'
import { fieldsOf } from '../areas/topology/nodes/fields.ts'
import { inBusiness, searchNodes } from '../areas/topology/nodes/search.ts'
import { zoneOf } from '../common/time.ts'
import { sqliteDialect } from '../storage/dialect.ts'
import { makeBusiness } from '../testing/data/factories.ts'
import { define, fillAll, putSets } from '../testing/data/searchable.ts'
import { eachEngine, startServer, type TestServer } from '../testing/harness.ts'
import { planOf, statementsOf } from '../testing/inspect/explain.ts'
import type { Fields } from './condition.ts'
import { findersOf, narrow } from './narrow.ts'
import { parseCondition } from './parse.ts'

const zone = zoneOf('UTC')

describe('finders', () => {
  const fields: Fields = new Map([
    ['note', { type: 'text', at: { attribute: 'note' }, index: { key: 1, column: 'text' } }],
    ['amount', { type: 'integer', at: { attribute: 'amount' }, index: { key: 2, column: 'number' } }],
    ['people', { type: 'text', at: { attribute: 'people' }, isList: true, index: { key: 3, column: 'text' } }],
    [
      'name',
      {
        type: 'text',
        at: { column: 'name' },
        alsoCalled: [{ builtIn: 1, name: '空闲机池' }],
        index: { key: 4, column: 'text' },
      },
    ],
    ['plain', { type: 'text', at: { attribute: 'plain' } }],
  ])
  const finders = (input: unknown) => {
    const condition = parseCondition(input, { fields, zone, text: 'whole' })
    return findersOf(condition, { table: 'node', fields, dialect: sqliteDialect }).length
  }

  it('are all required tests on indexed fields, also in nested conjunctions', () => {
    expect(finders({ note: 'a' })).toBe(1)
    expect(finders({ note: { $in: ['a', 'b'] }, amount: { $gt: 1 }, people: 'amy', plain: 'x' })).toBe(3)
    expect(finders({ $and: [{ note: 'a' }, { $and: [{ amount: 1 }, { people: 'amy,bob' }] }] })).toBe(3)
  })

  it('are one for all tests of one value, and one for each member of a list', () => {
    expect(finders({ amount: { $gt: 1, $lte: 9 }, $and: [{ amount: { $in: [2, 3] } }] })).toBe(1)
    expect(finders({ people: { $gt: 'a', $eq: 'amy,bob' }, $and: [{ people: 'amy' }, { people: 'bob' }] })).toBe(3)
  })

  it('are one for alternatives, if each of them has one', () => {
    expect(finders({ $or: [{ note: 'a' }, { amount: 1 }] })).toBe(1)
  })

  it('exclude negated tests, and tests that an unset value passes, since unset values are not indexed', () => {
    expect(finders({ note: { $ne: 'a' }, amount: { $nin: [1] }, plain: 'a' })).toBe(0)
    expect(finders({ $or: [{ note: 'a' }, { plain: 'a' }] })).toBe(0)
    expect(finders({ note: { $regex: 'a' }, amount: { $exists: true } })).toBe(0)
    for (const unset of ['', null, { $in: ['a', ''] }, { $lt: 'a' }, { $gte: '' }])
      expect(finders({ note: unset })).toBe(0)
    expect(finders({ people: { $in: ['amy', null] }, amount: null })).toBe(0)
  })

  it('exclude names that a built-in row has in another language', () => {
    expect(finders({ name: 'web' })).toBe(1)
    for (const name of ['空闲机池', { $in: ['web', '空闲机池'] }, { $gt: 'a' }]) expect(finders({ name })).toBe(0)
  })
})

eachEngine((engine) => {
  let server: TestServer
  let bizId: number
  let business: number
  beforeAll(async () => {
    server = await startServer(engine)
    bizId = await makeBusiness(server)
    await putSets(
      server,
      bizId,
      20_000,
      `'{"code":"c' || (i % 4000) || '","kind":"k' || (i % 2) || '","size":' || (i % 100) || '}'`,
    )
    await define(server, 'set', 'code', 'singlechar', { searchable: true })
    await define(server, 'set', 'kind', 'singlechar', { searchable: true })
    await define(server, 'set', 'size', 'int', { searchable: true })
    await fillAll(server)
    const { read } = server.service.storage
    const found = await read.selectFrom('business').select('node').where('biz_id', '=', bizId).executeTakeFirstOrThrow()
    business = found.node
  })
  afterAll(() => server.close())

  async function search(input: unknown) {
    const { storage } = server.service
    const object = objectOf(await modelOf(storage.read, '0'), 'set')
    const condition = parseCondition(input, { fields: fieldsOf(object), zone, text: 'whole' })
    const counted = { key: 'count of sets', stamp: 1 }
    let found: unknown
    const asked = await statementsOf(storage, async () => {
      const page = { start: 0, limit: 20 }
      found = await searchNodes(storage, { object, scope: inBusiness(business), condition, page, counted })
    })
    const narrowing = await narrow(
      storage.read,
      findersOf(condition, { table: 'node', fields: fieldsOf(object), dialect: storage.read.dialect }),
    )
    return { found: found as Awaited<ReturnType<typeof searchNodes>>, asked, atMost: narrowing?.atMost }
  }

  const rare = [
    { code: 'c7' },
    { kind: 'k1', code: 'c7' },
    { kind: 'k1', size: { $lt: 50 }, code: { $in: ['c7', 'c9'] } },
    { $and: [{ size: { $gt: 6, $lt: 8 } }, { kind: 'k1' }] },
  ]

  it('scan no more of 20,000 sets than have the rarest value, whatever the statistics say', async () => {
    const { storage } = server.service
    for (const statistics of ['', 'ANALYZE']) {
      await storage.engine.script(statistics)
      for (const input of rare) {
        const { asked } = await search(input)
        const onNodes = asked.filter(({ sql }) => /from "node"/.test(sql) && / IN \(SELECT/.test(sql))
        expect(onNodes, JSON.stringify(input)).toHaveLength(2)
        for (const statement of onNodes) {
          const plan = await planOf(storage, statement)
          const byId = engine === 'sqlite' ? /SEARCH node USING INTEGER PRIMARY KEY/ : /Index Cond: \(id = .*unnest/
          expect(plan, statement.sql).toMatch(byId)
          expect(plan).not.toMatch(/SCAN node|Seq Scan on node|node_of_business|node_inst/)
          expect(plan).not.toMatch(/Seq Scan on attribute_value|SCAN (lead|other)/)
        }
      }
    }
  })

  it('start with the smallest, which is counted up to a bound', async () => {
    expect((await search({ kind: 'k1', code: 'c7' })).atMost).toBe(5)
    expect((await search({ kind: 'k1', size: { $lte: 99 } })).atMost).toBe(10_000)
    expect((await search({ size: { $lte: 99 } })).atMost).toBeUndefined()
    expect((await search({ size: { $lte: 99 } })).found.count).toBe(20_000)
    const { found } = await search({ kind: 'k1', size: 7, code: 'c7' })
    expect(found.nodes.map((node) => node.inst_id)).toEqual([1_000_007, 1_004_007, 1_008_007, 1_012_007, 1_016_007])
  })
})
