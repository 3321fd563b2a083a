import { operators } from '@mainline/contract'
import { describe, expect, it } from 'vitest'
import { fields, finds, refusal, refused } from '../testing/random/conditions.ts'
import { readSort } from './sort.ts'

describe('a scalar', () => {
  it('means equality', () => {
    expect(finds({ note: 'web' }, { note: 'web' })).toBe(true)
    expect(finds({ note: 'web' }, { note: 'web 2' })).toBe(false)
  })

  it('means any literal part of a text where the operation searches by substring', () => {
    expect(finds({ note: '_%' }, { note: '50_% off' }, { text: 'part' })).toBe(true)
    expect(finds({ note: '_%' }, { note: '500' }, { text: 'part' })).toBe(false)
    expect(finds({ note: '' }, { note: 'anything' }, { text: 'part' })).toBe(true)
    expect(finds({ amount: 1 }, { amount: 11 }, { text: 'part' })).toBe(false)
  })

  it('is compared by the type of the field', () => {
    expect(finds({ amount: '7' }, { amount: 7 })).toBe(true)
    expect(finds({ ratio: ' 2.5e1 ' }, { ratio: 25 })).toBe(true)
    expect(finds({ note: 7 }, { note: '7' })).toBe(true)
    expect(finds({ open: 'false' }, { open: false })).toBe(true)
    expect(finds({ amount: { $gt: '9' } }, { amount: 10 })).toBe(true)
    expect(finds({ note: { $gt: '9' } }, { note: '10' })).toBe(false)
  })

  it('of another type is refused with the name of the field', () => {
    expect(refused({ note: true })).toEqual({ code: 1199007, text: "'note' must be a string type" })
    expect(refused({ note: ['web'] }).code).toBe(1199007)
    expect(refused({ amount: 'seven' })).toEqual({ code: 1199009, text: "'amount' parameters must be integral" })
    expect(refused({ amount: 1.5 }).code).toBe(1199009)
    expect(refused({ ratio: 'much' })).toEqual({ code: 1199042, text: "param 'ratio' should be a float number" })
    expect(refused({ ratio: '1e999' }).code).toBe(1199042)
    expect(refused({ open: 1 })).toEqual({ code: 1199025, text: "'open' must be boolean" })
  })

  it('that no number can represent exactly is no integer', () => {
    expect(finds({ amount: '9007199254740991' }, { amount: Number.MAX_SAFE_INTEGER })).toBe(true)
    expect(refused({ amount: '9007199254740993' }).code).toBe(1199009)
    expect(refused({ amount: { $lt: -(2 ** 53) } }).code).toBe(1199009)
    expect(refused({ amount: { $in: [1, 2 ** 53] } }).code).toBe(1199009)
  })

  it('with NUL or an unpaired surrogate is refused everywhere', () => {
    for (const text of ['a\0b', '\ud83d', 'a\udc00']) {
      for (const input of [{ note: text }, { note: { $in: ['a', text] } }, { note: { $gt: text } }, { people: text }]) {
        expect(refused(input).code).toBe(1199006)
      }
      expect(refused({ note: text }, { text: 'part' }).code).toBe(1199006)
    }
    expect(finds({ note: '😀' }, { note: '😀' })).toBe(true)
  })
})

describe('operators', () => {
  it('that exclude match a missing value', () => {
    for (const operator of ['$ne', '$neq', '$nin']) {
      expect(finds({ amount: { [operator]: 1 } }, {})).toBe(true)
      expect(finds({ amount: { [operator]: 1 } }, { amount: 1 })).toBe(false)
      expect(finds({ note: { [operator]: 'a' } }, {})).toBe(true)
    }
  })

  it('that compare never match a missing number; a missing text is the empty one', () => {
    for (const operator of ['$gt', '$gte', '$lt', '$lte']) expect(finds({ amount: { [operator]: 0 } }, {})).toBe(false)
    expect(finds({ note: { $lt: 'a' } }, {})).toBe(true)
    expect(finds({ note: '' }, {})).toBe(true)
  })

  it('treat null as a missing value, while an entry with null in place of operators does not filter', () => {
    for (const row of [{}, { amount: 0 }]) expect(finds({ amount: null }, row)).toBe(true)
    expect(refused({ elsewhere: null }).code).toBe(1199011)
    expect(finds({ amount: { $eq: null } }, {})).toBe(true)
    expect(finds({ amount: { $eq: null } }, { amount: 0 })).toBe(false)
    expect(finds({ amount: { $in: [1, null] } }, {})).toBe(true)
    expect(finds({ amount: { $ne: null } }, {})).toBe(false)
    expect(refused({ amount: { $gt: null } }).code).toBe(1199009)
  })

  it('$exists tests for a value, for a text whether it is not empty', () => {
    expect(finds({ amount: { $exists: true } }, { amount: 0 })).toBe(true)
    expect(finds({ note: { $exists: true } }, { note: '' })).toBe(false)
    expect(finds({ note: { $exists: false } }, {})).toBe(true)
    expect(refused({ note: { $exists: 1 } })).toEqual({ code: 1199025, text: "'note.$exists' must be boolean" })
  })

  it('$in and $nin also accept one value or a comma list', () => {
    for (const list of [[2, 3], '2, 3', ['2', '3']]) {
      expect([1, 2, 3].filter((amount) => finds({ amount: { $in: list } }, { amount }))).toEqual([2, 3])
      expect([1, 2, 3].filter((amount) => finds({ amount: { $nin: list } }, { amount }))).toEqual([1])
    }
    expect(finds({ amount: { $in: 2 } }, { amount: 2 })).toBe(true)
    expect(finds({ amount: { $in: [] } }, { amount: 2 })).toBe(false)
    expect(finds({ amount: { $nin: [] } }, { amount: 2 })).toBe(true)
  })

  it('without a meaning for booleans are refused', () => {
    expect(refused({ open: { $gt: false } })).toMatchObject({
      code: 1199006,
      text: expect.stringContaining('open.$gt'),
    })
  })

  it('of one field, several fields and $and must all match; $or requires one', () => {
    expect(finds({ amount: { $gt: 1, $lt: 3 } }, { amount: 2 })).toBe(true)
    expect(finds({ amount: { $gt: 1, $lt: 3 } }, { amount: 3 })).toBe(false)
    const either = { note: 'a', $or: [{ amount: 1 }, { $and: [{ amount: 2 }, { open: true }] }] }
    expect(finds(either, { note: 'a', amount: 1 })).toBe(true)
    expect(finds(either, { note: 'a', amount: 2, open: true })).toBe(true)
    expect(finds(either, { note: 'a', amount: 2, open: false })).toBe(false)
    expect(finds(either, { note: 'b', amount: 1 })).toBe(false)
    for (const list of [[], {}, 'a', null]) expect(refused({ $or: list })).toMatchObject({ code: 1199006 })
  })

  it('match one whole name in a list of users, or the whole list as shown', () => {
    const row = { people: 'amy,bob' }
    expect(finds({ people: 'bob' }, row, { text: 'part' })).toBe(true)
    expect(finds({ people: { $in: ['zoe', ' amy '] } }, row)).toBe(true)
    expect(finds({ people: 'am' }, row, { text: 'part' })).toBe(false)
    expect(finds({ people: 'amy,bob' }, row)).toBe(true)
    for (const other of ['bob,amy', 'amy,bo', 'amy,', 'amy, bob']) expect(finds({ people: other }, row)).toBe(false)
    expect(finds({ people: { $in: ['zoe', 'amy,bob'] } }, row)).toBe(true)
    expect(finds({ people: { $in: 'zoe,amy' } }, row)).toBe(true)
    expect(finds({ people: { $ne: 'amy,bob' } }, row)).toBe(false)
    expect(finds({ people: { $in: ['zoe', ''] } }, {})).toBe(true)
    expect(finds({ people: { $nin: ['amy'] } }, row)).toBe(false)
  })

  it('find a built-in row by its name in either language', () => {
    const pool = { builtIn: 1, name: 'idle pool' }
    for (const name of ['idle pool', '空闲机池']) {
      expect(finds({ name }, pool)).toBe(true)
      expect(finds({ name: { $ne: name } }, pool)).toBe(false)
      expect(finds({ name: { $regex: `^${name}$` } }, pool)).toBe(true)
    }
    expect(finds({ name: '空闲' }, pool, { text: 'part' })).toBe(true)
    expect(finds({ name: '空闲机池' }, { builtIn: 0, name: 'idle pool' })).toBe(false)
  })
})

describe('unknown names are reported', () => {
  it('a field, also without an operator', () => {
    expect(refused({ colour: 'red' })).toEqual({
      code: 1199011,
      text: "'colour' the parameter is invalid or does not exist",
    })
    expect(refused({ $or: [{ note: 'a' }, { colour: {} }] })).toMatchObject({ code: 1199011, text: /'colour'/ })
  })

  it('an operator, with the list of operators', () => {
    const { code, text } = refused({ note: { $where: 'sleep(1)' } })
    expect(code).toBe(1199011)
    expect(text).toContain("'note.$where'")
    expect(text).toContain(operators.join(' '))
    expect(refused({ $nor: [{ note: 'a' }] })).toMatchObject({ code: 1199011, text: expect.stringContaining("'$nor'") })
  })

  it('inherited properties of objects are neither fields nor operators', () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const named = expect.stringContaining(name)
      expect(refused(JSON.parse(`{"${name}": "a"}`))).toEqual({ code: 1199011, text: named })
      expect(refused(JSON.parse(`{"${name}": {"$ne": "a"}}`))).toEqual({ code: 1199011, text: named })
      expect(refused(JSON.parse(`{"note": {"${name}": "a"}}`))).toEqual({ code: 1199011, text: named })
    }
  })

  it('a field to sort by; repetitions have no effect', () => {
    expect(refusal(() => readSort('note,-colour', fields))).toMatchObject({ code: 1199011 })
    expect(readSort(' -amount, +note,amount,-note', fields)).toEqual([
      { field: 'amount', descending: true },
      { field: 'note', descending: false },
    ])
  })
})

describe('a time', () => {
  const at = (iso: string) => ({ made: Date.parse(iso) })

  it('without an offset is a whole second in the configured zone', () => {
    const noon = { made: '2026-01-31 12:00:00' }
    expect(finds(noon, at('2026-01-31T12:00:00.000Z'))).toBe(true)
    expect(finds(noon, at('2026-01-31T12:00:00.999Z'))).toBe(true)
    expect(finds(noon, at('2026-01-31T12:00:01.000Z'))).toBe(false)
    expect(finds(noon, at('2026-01-31T04:00:00.500Z'), { zone: 'Asia/Shanghai' })).toBe(true)
    expect(finds(noon, at('2026-01-31T12:00:00.500Z'), { zone: 'Asia/Shanghai' })).toBe(false)
  })

  it('as the end of a range includes its whole second, and "after" starts with the next', () => {
    const last = at('2026-01-31T12:00:00.999Z')
    const second = '2026-01-31 12:00:00'
    expect(finds({ made: { $lte: second } }, last)).toBe(true)
    expect(finds({ made: { $gt: second } }, last)).toBe(false)
    expect(finds({ made: { $gt: second } }, at('2026-01-31T12:00:01.000Z'))).toBe(true)
    expect(finds({ made: { $gte: second } }, at('2026-01-31T12:00:00.000Z'))).toBe(true)
    expect(finds({ made: { $lt: second } }, at('2026-01-31T11:59:59.999Z'))).toBe(true)
    expect(finds({ made: { $lt: second } }, at('2026-01-31T12:00:00.000Z'))).toBe(false)
  })

  it('with an offset is absolute, to the millisecond if it has a fraction', () => {
    const reading = { zone: 'America/New_York' }
    const row = at('2026-01-31T04:00:00.500Z')
    expect(finds({ made: '2026-01-31T12:00:00+08:00' }, row, reading)).toBe(true)
    expect(finds({ made: '2026-01-31T04:00:00.500Z' }, row, reading)).toBe(true)
    expect(finds({ made: '2026-01-31T04:00:00.501Z' }, row, reading)).toBe(false)
  })

  it('may be one of several', () => {
    const days = ['2026-01-30 12:00:00', '2026-01-31T12:00:00.500Z']
    for (const list of [days, days.join(', ')]) {
      expect(finds({ made: { $in: list } }, at('2026-01-30T12:00:00.700Z'))).toBe(true)
      expect(finds({ made: { $in: list } }, at('2026-01-31T12:00:00.500Z'))).toBe(true)
      expect(finds({ made: { $nin: list } }, at('2026-01-31T12:00:00.501Z'))).toBe(true)
    }
  })

  it('that is no time is refused', () => {
    for (const time of ['yesterday', '2026-01-31', '2026-02-30 12:00:00', '2026-01-31 24:00:00', '', 1769860800000]) {
      expect(refused({ made: { $gt: time } })).toMatchObject({ code: 1199006, text: expect.stringContaining("'made'") })
      expect(refused({ made: { $in: [time] } }).code).toBe(1199006)
    }
  })
})
