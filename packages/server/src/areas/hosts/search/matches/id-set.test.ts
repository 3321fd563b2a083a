import fc from 'fast-check'
import { expect, it } from 'vitest'
import { IdSet } from './id-set.ts'

const id = fc.oneof(fc.nat(200), fc.nat(20_000), fc.integer({ min: 2 ** 32 - 50, max: 2 ** 32 + 50 }))
const changes = fc.array(fc.tuple(id, fc.boolean()), { maxLength: 200 })

it('behaves like a sorted list under any additions and removals', () => {
  fc.assert(
    fc.property(fc.array(changes, { maxLength: 4 }), fc.nat(150), fc.nat(100), id, (rounds, start, limit, last) => {
      let set = IdSet.empty
      const kept = new Set<number>()
      for (const round of rounds) {
        const before = [set, set.slice(0, 1_000)] as const
        set = set.with(round)
        for (const [each, isIn] of round) isIn ? kept.add(each) : kept.delete(each)
        expect(before[0].slice(0, 1_000)).toEqual(before[1])
      }
      const sorted = [...kept].sort((a, b) => a - b)
      expect(set.size).toBe(sorted.length)
      expect(set.slice(start, limit)).toEqual(sorted.slice(start, start + limit))
      expect(set.after(last, limit)).toEqual(sorted.filter((each) => each > last).slice(0, limit))
    }),
  )
})

it('takes little memory for a million hosts', () => {
  const all = IdSet.empty.with(Array.from({ length: 1_000_000 }, (_, index) => [index + 1, true] as const))
  expect(all.size).toBe(1_000_000)
  expect(all.weight).toBeLessThan(200_000)
  expect(all.slice(999_990, 20)).toHaveLength(10)
})
