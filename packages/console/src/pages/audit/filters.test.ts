import { expect, it } from 'vitest'
import { conditionOf } from './filters.ts'

it('turns the filled-in filters into a condition, and nothing else', () => {
  expect(conditionOf({})).toEqual({})
  expect(
    conditionOf({ business: '2', target: 'set', type: 'update', operator: ' amy ', instance: '7', start: '50' }),
  ).toEqual({
    bk_biz_id: 2,
    op_target: 'set',
    op_type: 'update',
    operator: 'amy',
    inst_id: 7,
  })
})

it('treats days as whole days in the time zone of the reader', () => {
  const timesOf = (filters: { from?: string; to?: string }) =>
    (conditionOf(filters) as { op_time?: { $gte?: string; $lte?: string } }).op_time
  const { $gte = '', $lte = '' } = timesOf({ from: '2026-03-01', to: '2026-03-01' }) ?? {}
  expect(Date.parse($lte) - Date.parse($gte)).toBe(24 * 3600 * 1000 - 1)
  expect(timesOf({ from: '2026-03-01' })).toEqual({ $gte })
  expect(timesOf({ to: '2026-03-01' })).toEqual({ $lte })
  for (const from of ['yesterday', '2026-13-45', '2026', '+010000-01-01']) expect(timesOf({ from })).toBeUndefined()
})
