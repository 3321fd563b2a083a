import { expect, it } from 'vitest'
import { readConfig } from '../../../../common/config.ts'
import { probePauseMs, rateLimitPauseMs, retryAfterMs, retryDelayMs } from './schedule.ts'

const within = (value: number | undefined, milliseconds: number) => {
  expect(value).toBeGreaterThanOrEqual(milliseconds * 0.8)
  expect(value).toBeLessThanOrEqual(milliseconds * 1.2)
}

it('makes eight attempts over about an hour by default', () => {
  const { retrySchedule } = readConfig([], {})
  expect(retrySchedule).toHaveLength(7)
  expect(retrySchedule.reduce((sum, pause) => sum + pause, 0) / 60_000).toBeCloseTo(62.6, 1)
  expect(readConfig([], { RETRY_SCHEDULE: '10ms, 2h' }).retrySchedule).toEqual([10, 7_200_000])
  expect(readConfig(['--retry-schedule='], {}).retrySchedule).toEqual([])
  for (const bad of ['5', '5 s', 'soon', '-5s', '5s,,x']) {
    expect(() => readConfig([`--retry-schedule=${bad}`], {})).toThrow('5s,30s,2m')
  }
})

it('pauses by the schedule with jitter, and gives up after its end', () => {
  const schedule = [1_000, 60_000]
  within(retryDelayMs(schedule, 1, undefined), 1_000)
  within(retryDelayMs(schedule, 2, undefined), 60_000)
  expect(retryDelayMs(schedule, 3, undefined)).toBeUndefined()
})

it('pauses longer on Retry-After, up to an hour', () => {
  expect(retryDelayMs([1_000], 1, 5_000)).toBe(5_000)
  expect(retryDelayMs([1_000], 1, 10 ** 12)).toBe(3_600_000)
  expect(retryDelayMs([], 1, 5_000)).toBeUndefined()
  expect([rateLimitPauseMs(429, 5_000), rateLimitPauseMs(429, 10 ** 9), rateLimitPauseMs(500, 5_000)]).toEqual([
    5_000, 60_000, 0,
  ])
})

it('probes with exponential backoff of at most a minute', () => {
  const pauses = Array.from({ length: 20 }, (_, index) => probePauseMs(index + 1, undefined))
  within(pauses[0], 250)
  within(pauses[1], 1_000)
  expect(Math.max(...pauses)).toBeLessThanOrEqual(60_000)
  expect(pauses[19]).toBeGreaterThanOrEqual(48_000)
  expect(probePauseMs(1, 10 ** 9)).toBe(60_000)
})

it('reads Retry-After in seconds and as a date', () => {
  const now = Date.UTC(2026, 0, 31, 8)
  expect(retryAfterMs('120', now)).toBe(120_000)
  expect(retryAfterMs('Sat, 31 Jan 2026 08:00:30 GMT', now)).toBe(30_000)
  expect(retryAfterMs('Sat, 31 Jan 2026 07:00:00 GMT', now)).toBe(0)
  for (const nonsense of [undefined, '', 'soon', ['1', '2']]) expect(retryAfterMs(nonsense, now)).toBeUndefined()
})
