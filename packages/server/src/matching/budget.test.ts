import { expect, it } from 'vitest'
import { TimeBudget } from './budget.ts'

function budgetAt() {
  const clock = { now: 0 }
  return { clock, budget: new TimeBudget({ burstMs: 1_000, share: 0.5 }, () => clock.now) }
}

it('a caller may use a burst, then half of the elapsed time', () => {
  const { budget, clock } = budgetAt()
  budget.charge('ann', 999)
  expect(budget.has('ann')).toBe(true)
  budget.charge('ann', 3_001)
  expect(budget.has('ann')).toBe(false)
  const refused = expect.objectContaining({ code: 1199429, retryAfter: 6 })
  expect(() => budget.refuseIfSpent('ann')).toThrow(refused)
  clock.now = 5_900
  expect(budget.has('ann')).toBe(false)
  clock.now = 6_100
  expect(() => budget.refuseIfSpent('ann')).not.toThrow()
})

it('callers have separate budgets', () => {
  const { budget } = budgetAt()
  budget.charge('ann', 10_000)
  expect(budget.has('olga')).toBe(true)
})
