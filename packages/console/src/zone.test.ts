import { expect, it } from 'vitest'
import { instantOf, localTimeOf } from './zone.ts'

it('reads a local time in a time zone, also on the days when clocks change', () => {
  expect(instantOf('2026-01-31T08:00', 'UTC')).toBe('2026-01-31T08:00:00.000Z')
  expect(instantOf('2026-01-31T08:00', 'Asia/Kolkata')).toBe('2026-01-31T02:30:00.000Z')
  expect(instantOf('2026-03-29T01:30', 'Europe/Berlin')).toBe('2026-03-29T00:30:00.000Z')
  expect(instantOf('2026-03-29T03:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z')
  expect(instantOf('2026-10-25T23:59:59.999', 'Europe/Berlin')).toBe('2026-10-25T22:59:59.999Z')
})

it('writes local times that are read back the same', () => {
  const time = Date.UTC(2026, 0, 2, 3, 4, 5)
  expect(localTimeOf(time, 'Asia/Kolkata')).toBe('2026-01-02T08:34:05')
  expect(Date.parse(instantOf(localTimeOf(time)))).toBe(time)
})
