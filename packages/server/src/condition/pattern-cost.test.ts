import { describe, expect, it } from 'vitest'
import { asCaller } from '../common/caller.ts'
import { readPattern } from './pattern.ts'
import { compilingCost } from './pattern-cost.ts'

const ann = { account: '0', user: 'ann, who compiles patterns' }
const refusal = { code: 1199006, message: expect.stringContaining('too complex') }

describe('what compiling a pattern costs', () => {
  it.each([
    ['abc', 3],
    ['^[a-z0-9._-]{1,256}@', 13 + 511],
    ['(ab){10}', 4 * 10 + 10],
    ['((a{10}){10}){10}', 2_330],
    ['\\pL\\p{Han}[\\PN\\p{Lu}]', 3 + 7 + 11 + 4 * 200],
    ['\\x{10ffff}a{0}', 11],
    ['[]a]x', 5],
    [')a', 2],
    ['(a', 3],
  ])('%s', (pattern, cost) => expect(Math.abs(compilingCost(pattern) - cost)).toBeLessThan(cost / 10))

  it('is computed without compiling: none of these is compiled', () => {
    for (const pattern of [
      `(?i)[${'\\pL'.repeat(320)}]`,
      '(?:a{10}){10}'.repeat(70),
      '('.repeat(400) + ')'.repeat(400),
    ]) {
      expect(() => readPattern('f', pattern), pattern.slice(0, 20)).toThrow(expect.objectContaining(refusal))
    }
  })

  it('allows ordinary patterns', () => {
    for (const pattern of [
      '^[A-Za-z0-9_.%+-]{1,64}@[A-Za-z0-9.-]{1,255}\\.[A-Za-z]{2,63}$',
      '^(25[0-5]|2[0-4]\\d|1?\\d?\\d)(\\.(25[0-5]|2[0-4]\\d|1?\\d?\\d)){3}$',
      '(?i)^\\p{Han}+[\\p{L}\\p{N}_-]{0,100}$',
    ]) {
      readPattern('f', pattern)
    }
  })

  it('is limited per request and per caller, whatever the combination', async () => {
    const costly = `[${'\\pL'.repeat(14)}]`
    const compile = (count: number) =>
      asCaller(ann, async () => {
        for (let nth = 0; nth < count; nth++) readPattern('f', costly)
      })
    await compile(4)
    await expect(compile(5)).rejects.toMatchObject(refusal)
    const many = async () => {
      for (let nth = 0; nth < 20; nth++) await compile(4)
    }
    await expect(many()).rejects.toMatchObject({ code: 1199429, retryAfter: expect.any(Number) })
  })
})
