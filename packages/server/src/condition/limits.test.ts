import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findSets, makeBusiness } from '../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../testing/harness.ts'
import { finds, refused } from '../testing/random/conditions.ts'
import { mostFilters, mostValues } from './parse.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
const nested = (depth: number): unknown => (depth === 1 ? { note: 'a' } : { $or: [nested(depth - 1)] })

describe('a condition', () => {
  it(`holds at most ${mostFilters} filters, in any nesting`, () => {
    const filters = (count: number) => numbers(count).map((amount) => ({ amount }))
    expect(finds({ $or: filters(mostFilters) }, { amount: mostFilters - 1 })).toBe(true)
    const text = `condition exceed the limit ${mostFilters}`
    expect(refused({ $or: filters(mostFilters + 1) })).toEqual({ code: 1199035, text })
    const half = { $or: filters(mostFilters / 2) }
    expect(refused({ $and: [half, half, { note: 'a' }] }).code).toBe(1199035)
  })

  it('counts a filter that matches everything, too', () => {
    for (const empty of [{}, { note: {} }]) {
      expect(finds({ $or: numbers(mostFilters).map(() => empty) }, {})).toBe(true)
      expect(refused({ $or: numbers(mostFilters + 1).map(() => empty) }).code).toBe(1199035)
    }
  })

  it(`holds at most ${mostValues} values in one $in`, () => {
    expect(finds({ amount: { $in: numbers(mostValues) } }, { amount: mostValues - 1 })).toBe(true)
    const text = `amount exceed the limit ${mostValues}`
    expect(refused({ amount: { $in: numbers(mostValues + 1) } })).toEqual({ code: 1199035, text })
    expect(refused({ amount: { $nin: numbers(mostValues + 1).join() } })).toEqual({ code: 1199035, text })
  })

  it('nests at most 8 levels deep', () => {
    expect(finds(nested(8), { note: 'a' })).toBe(true)
    expect(refused(nested(9))).toMatchObject({ code: 1199006, text: expect.stringContaining('at most 8 levels deep') })
    expect(refused(nested(2_000)).code).toBe(1199006)
  })

  it('is an object', () => {
    for (const input of [null, [], 'a', 1, undefined]) expect(refused(input).code).toBe(1199006)
    expect(refused({ $or: ['a'] }).code).toBe(1199006)
  })
})

describe('a pattern', () => {
  it('is RE2: found anywhere in the text, by code point, case-sensitive', () => {
    expect(finds({ note: { $regex: 'b+' } }, { note: 'abbc' })).toBe(true)
    expect(finds({ note: { $regex: '^.$' } }, { note: '😀' })).toBe(true)
    expect(finds({ note: { $regex: 'A' } }, { note: 'a' })).toBe(false)
    expect(finds({ note: { $regex: '(?i)A' } }, { note: 'a' })).toBe(true)
    expect(finds({ note: { $regex: '^$' } }, {})).toBe(true)
  })

  it('that is invalid or needs backtracking is refused with the reason', () => {
    for (const pattern of ['[', '(', 'a**', '(?=a)', '(?!a)', '(?<=a)b', '(a)\\1', 'x{1001}', '\ud83d(']) {
      const text = expect.stringMatching(/'note\.\$regex'.*RE2/)
      expect(refused({ note: { $regex: pattern } })).toEqual({ code: 1199006, text })
    }
  })

  it('is text, on a text', () => {
    expect(refused({ note: { $regex: 1 } })).toEqual({ code: 1199007, text: "'note.$regex' must be a string type" })
    expect(refused({ amount: { $regex: '1' } }).code).toBe(1199007)
  })

  it('that would cause catastrophic backtracking is matched immediately', () => {
    const started = performance.now()
    for (const pattern of ['(a+)+$', '^(a|a)*$', '(a|aa)+$', '(.*a){20}$']) {
      expect(finds({ note: { $regex: pattern } }, { note: `${'a'.repeat(2_000)}b` })).toBe(false)
    }
    expect(performance.now() - started).toBeLessThan(20_000)
  })

  it('has a limited size, alone and with the others of its condition', () => {
    const started = performance.now()
    expect(finds({ note: { $regex: '^[\\w.-]{1,256}@[\\w-]{1,63}$' } }, { note: 'amy@example' })).toBe(true)
    expect(refused({ note: { $regex: 'a'.repeat(1_001) } }).code).toBe(1199006)
    expect(refused({ note: { $regex: `(?i)${'(\\pL?){900}'.repeat(60)}` } }).code).toBe(1199006)
    const large = { note: { $regex: '(\\pL?){400}' } }
    expect(finds(large, { note: 'a' })).toBe(true)
    expect(refused({ $or: [large, large] })).toMatchObject({
      code: 1199006,
      text: expect.stringContaining('too complex'),
    })
    expect(performance.now() - started).toBeLessThan(20_000)
  })
})

eachEngine((engine) => {
  let server: TestServer
  let business: number
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
  })
  afterAll(() => server.close())

  /** The number of sets found in a business that has only its idle pool. */
  async function count(condition: unknown, sort = ''): Promise<number> {
    const found = await findSets(server, business, condition, { page: { start: 0, limit: 200, sort } })
    if (!found.result) throw new Error(found.bk_error_msg ?? '')
    return found.data.count
  }

  it('answers the longest lists of every type', async () => {
    const seconds = numbers(mostValues).map((second) => new Date(second * 1000).toISOString())
    expect(await count({ create_time: { $nin: seconds } })).toBe(1)
    expect(await count({ create_time: { $in: seconds.map((time) => time.replace('.000', '')) } })).toBe(0)
    expect(await count({ bk_set_name: { $in: [...numbers(mostValues - 1).map(String), 'idle pool'] } })).toBe(1)
    expect(await count({ bk_set_id: { $nin: numbers(mostValues).map((id) => -id - 1) } })).toBe(1)
    expect(await count({ bk_capacity: { $nin: numbers(mostValues) } })).toBe(1)
  })

  it('answers the longest list of users', async () => {
    const users = [...numbers(mostValues - 1).map((index) => `user ${index}`), 'amy']
    const search = (operator: string) =>
      server.call<{ count: number }>('POST', '/biz/search/0', {
        page: { start: 0, limit: 200 },
        fields: [],
        condition: { bk_biz_id: business, bk_biz_maintainer: { [operator]: users } },
      })
    expect((await search('$in')).data).toMatchObject({ count: 1 })
    expect((await search('$nin')).data).toMatchObject({ count: 0 })
  })

  it('answers the longest and the deepest conditions', async () => {
    const filters = numbers(mostFilters).map((index) => ({ bk_set_name: { $ne: `set ${index}` } }))
    expect(await count({ $or: filters })).toBe(1)
    expect(await count({ $and: filters })).toBe(1)
    expect(await count({ $or: numbers(mostFilters).map(() => ({})) })).toBe(1)
    const deep = (depth: number): unknown => (depth === 8 ? { $or: filters } : { $and: [deep(depth + 1)] })
    expect(await count(deep(2))).toBe(1)
  })

  it('sorts by repeated fields up to the limit of a sort', async () => {
    expect(await count({}, '-bk_set_id,'.repeat(90))).toBe(1)
  })
})
