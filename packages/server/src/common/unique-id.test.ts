import { expect, it } from 'vitest'
import { namedId, uniqueId } from './unique-id.ts'

it('is 20 characters of [0-9a-v], unique, and sorts by time', () => {
  const times = Array.from({ length: 50 }, (_, index) => 1_700_000_000_000 + index * 1000)
  const ids = times.map((time) => uniqueId(time))
  for (const id of ids) expect(id).toMatch(/^[0-9a-v]{20}$/)
  expect(ids.toSorted()).toEqual(ids)
  const many = new Set(Array.from({ length: 100_000 }, () => uniqueId()))
  expect(many.size).toBe(100_000)
})

it('contains the second in its first bits', () => {
  const digits = '0123456789abcdefghijklmnopqrstuv'
  const bits = [...uniqueId(1_794_816_000_000)].reduce((sum, digit) => sum * 32n + BigInt(digits.indexOf(digit)), 0n)
  expect(bits >> 68n).toBe(1_794_816_000n)
})

it('is the same for a name in every process', () => {
  expect(namedId('default setting of 0')).toBe('s83l8p2aiuvsr63squog')
  expect(namedId('default setting of 1')).toMatch(/^[0-9a-v]{20}$/)
})
