import { expect, it } from 'vitest'
import { subjectOf, withNewest } from './watched.ts'

it('shows instances by their names', () => {
  const say = (bk_resource: string, bk_detail: Record<string, unknown> | null) => subjectOf({ bk_resource, bk_detail })
  expect(say('set', { bk_set_id: 3, bk_set_name: 'storefront' })).toBe('storefront')
  expect(say('host', { bk_host_id: 5, bk_host_innerip: '10.0.0.5' })).toBe('10.0.0.5')
  expect(say('host_relation', { bk_host_id: 5, bk_module_id: 7 })).toBe('#5 → #7')
  expect(say('customquery:c1', { name: 'web', host: { bk_host_id: 5 } })).toBe('web: #5')
  expect(say('rack', { bk_inst_id: 9 })).toBe('9')
  expect(say('rack', null)).toBe('')
})

it('keeps the newest events, up to a limit', () => {
  expect(withNewest([3, 2, 1], 4, 3)).toEqual([4, 3, 2])
})
