import { expect, it } from 'vitest'
import { isGroup, joined, listed } from './people.ts'

it('reads the members of a role once each, without blanks, and writes them as they are stored', () => {
  expect(listed(' amy, @network team,,amy')).toEqual(['amy', '@network team'])
  expect(listed('')).toEqual([])
  expect(listed(null)).toEqual([])
  expect(joined(['amy', '@network team'])).toBe('amy,@network team')
  expect(['@network team', 'amy'].map(isGroup)).toEqual([true, false])
})
