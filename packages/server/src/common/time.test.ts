import { describe, expect, it } from 'vitest'
import { readDay, zoneOf } from './time.ts'

const utc = zoneOf('UTC')
const shanghai = zoneOf('Asia/Shanghai')
const berlin = zoneOf('Europe/Berlin')

describe('a time', () => {
  it.each([
    ['2020-01-31 10:00:00', '2020-01-31 10:00:00', '2020-01-31 10:00:00'],
    ['2020-01-31T10:00:00', '2020-01-31 10:00:00', '2020-01-31 10:00:00'],
    ['2020-01-31T10:00:00Z', '2020-01-31 10:00:00', '2020-01-31 18:00:00'],
    ['2020-01-31T10:00:00+08:00', '2020-01-31 02:00:00', '2020-01-31 10:00:00'],
    ['2020-01-31T10:00:00+0800', '2020-01-31 02:00:00', '2020-01-31 10:00:00'],
    ['2020-01-31 10:00:00.999+08', '2020-01-31 02:00:00', '2020-01-31 10:00:00'],
    ['2020-01-31T23:30:00.123456789-05:00', '2020-02-01 04:30:00', '2020-02-01 12:30:00'],
    ['1969-12-31T23:59:59.500Z', '1969-12-31 23:59:59', '1970-01-01 07:59:59'],
  ])('%s is %s in UTC and %s in Shanghai', (text, inUtc, inShanghai) => {
    expect(utc.toLocal(text)).toBe(inUtc)
    expect(shanghai.toLocal(text)).toBe(inShanghai)
    expect(utc.toLocal(inUtc)).toBe(inUtc)
  })

  it('covers a whole second, or with a fraction one millisecond', () => {
    const from = Date.UTC(2020, 0, 31, 2)
    expect(utc.read('2020-01-31T10:00:00+08:00')).toEqual({ from, to: from + 999 })
    expect(shanghai.read('2020-01-31 10:00:00')).toEqual({ from, to: from + 999 })
    expect(utc.read('2020-01-31T02:00:00.0019Z')).toEqual({ from: from + 1, to: from + 1 })
  })

  it('skipped by daylight saving is shifted, and one that occurs twice is kept', () => {
    expect(berlin.toLocal('2026-03-29 02:30:00')).toBe('2026-03-29 03:30:00')
    for (const offset of ['', '+02:00', '+01:00']) {
      expect(berlin.toLocal(`2026-10-25 02:30:00${offset}`)).toBe('2026-10-25 02:30:00')
    }
  })

  it.each([
    ...['yesterday', '', '2020-13-45', '2020-01-31', '2020-13-45 10:00:00', '2020-02-30 10:00:00', '10:00:00'],
    ...[
      '2020-01-31 24:00:00',
      '2020-01-31 10:60:00',
      '2020-01-31 10:00:60',
      '2020-01-31 10:00',
      ' 2020-01-31 10:00:00',
    ],
    ...['2020-01-31T10:00:00+25:00', '2020-01-31T10:00:00 Z', '2020-01-31T10:00:00[UTC]', '2020-01-31T10:00:00.Z'],
  ])('is not %j', (text) => {
    expect(utc.read(text)).toBeUndefined()
    expect(utc.toLocal(text)).toBeUndefined()
  })

  it('has a year of four digits in the zone', () => {
    expect(utc.toLocal('9999-12-31T23:59:59-08:00')).toBeUndefined()
    expect(utc.toLocal('0000-01-01T00:00:00+08:00')).toBeUndefined()
  })
})

describe('a day', () => {
  it('must exist in the calendar', () => {
    expect(readDay('2024-02-29')).toBe('2024-02-29')
    for (const text of ['2023-02-29', '2020-13-45', 'yesterday', '', '2020-1-31', '20200131', '2020-01-31 10:00:00']) {
      expect(readDay(text), text).toBeUndefined()
    }
  })
})
