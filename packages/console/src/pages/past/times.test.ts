import { expect, it } from 'vitest'
import { localInput, timeOf } from './times.ts'

it('reads the time of a moment, and not of a position', () => {
  expect(timeOf('2026-11-18T02:00:00+08:00')).toBe(Date.UTC(2026, 10, 17, 18))
  expect(timeOf('-2h', 10_000_000)).toBe(10_000_000 - 7_200_000)
  expect(timeOf('-0s', 5)).toBe(5)
  expect(timeOf('position:7')).toBeUndefined()
  expect(timeOf('yesterday')).toBeUndefined()
})

it('writes local times that are read back the same', () => {
  const time = new Date(2026, 0, 2, 3, 4, 5).getTime()
  expect(localInput(time)).toBe('2026-01-02T03:04:05')
  expect(Date.parse(localInput(time))).toBe(time)
})
