import { expect, it } from 'vitest'
import { conditionOf } from './filters.ts'

it('turns what is filled in into a condition, and nothing else', () => {
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

it('takes days as whole days of the reader', () => {
  const { op_time: times } = conditionOf({ from: '2026-03-01', to: '2026-03-01' }) as { op_time: [string, string] }
  expect(Date.parse(times[1]) - Date.parse(times[0])).toBe(24 * 3600 * 1000 - 1)
  expect((conditionOf({ from: '2026-03-01' }) as { op_time: string[] }).op_time).toHaveLength(2)
})
