import { expect, it } from 'vitest'
import { timeOf } from './times.ts'

it('reads the time of a moment, and not of a position', () => {
  expect(timeOf('2026-11-18T02:00:00+08:00')).toBe(Date.UTC(2026, 10, 17, 18))
  expect(timeOf('-2h', 10_000_000)).toBe(10_000_000 - 7_200_000)
  expect(timeOf('-0s', 5)).toBe(5)
  expect(timeOf('position:7')).toBeUndefined()
  expect(timeOf('yesterday')).toBeUndefined()
})
