import { expect, it } from 'vitest'
import { BodyBudget } from './body-budget.ts'

const callerOf = (user: string) => ({ user, account: '0', requestId: '', language: 'en' }) as const

it('limits the bytes of bodies in memory for each caller and for all callers together', () => {
  const budget = new BodyBudget({ maxBytes: 100, maxCallerBytes: 60, maxCallerFileBytes: 80 })
  const [first, second] = [budget.hold(callerOf('ann'), 'json'), budget.hold(callerOf('ann'), 'json')]
  first.add(50)
  expect(() => second.add(11)).toThrow(expect.objectContaining({ code: 1199429, excess: 'caller_body_bytes' }))
  second.add(10)
  const other = budget.hold(callerOf('olga'), 'json')
  other.add(40)
  expect(() => other.add(1)).toThrow(expect.objectContaining({ code: 1199503, excess: 'body_bytes' }))
  first.release()
  other.add(1)
  expect(budget.bytes).toBe(51)
})

it('an upload does not block the JSON requests of its caller', () => {
  const budget = new BodyBudget({ maxBytes: 100, maxCallerBytes: 10, maxCallerFileBytes: 80 })
  const file = budget.hold(callerOf('ann'), 'file')
  file.add(80)
  expect(() => file.add(1)).toThrow(expect.objectContaining({ code: 1199429, excess: 'caller_body_bytes' }))
  budget.hold(callerOf('ann'), 'json').add(10)
})

it('releasing a body twice frees its bytes once', () => {
  const budget = new BodyBudget({ maxBytes: 100, maxCallerBytes: 60, maxCallerFileBytes: 80 })
  const held = budget.hold(callerOf('ann'), 'json')
  held.add(50)
  held.release()
  held.release()
  expect(budget.bytes).toBe(0)
  budget.hold(callerOf('ann'), 'json').add(60)
})
