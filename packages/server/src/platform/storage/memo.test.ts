import { describe, expect, it } from 'vitest'
import { Page } from '../http/page.ts'
import { Memo } from './memo.ts'

const kept = (memo: Memo, count: number) =>
  Array.from({ length: count }, (_, index) => index).filter((index) => memo.get(`page ${index}`, 1) !== undefined)

describe('what is remembered', () => {
  it('is bounded in bytes, by what the answers in it weigh', () => {
    const memo = new Memo(1_000_000)
    for (let index = 0; index < 50; index++) memo.set(`page ${index}`, 1, new Page('x'.repeat(100_000)))
    expect(kept(memo, 50)).toEqual([41, 42, 43, 44, 45, 46, 47, 48, 49])
  })

  it('is not pushed out by what is too large to be kept', () => {
    const memo = new Memo(10_000)
    memo.set('page 0', 1, 0)
    memo.set('page 1', 1, new Page('x'.repeat(10_000)))
    expect(kept(memo, 2)).toEqual([0])
  })

  it('keeps what was used last, and believes nothing under another stamp', () => {
    const memo = new Memo(3_100)
    for (let index = 0; index < 3; index++) memo.set(`page ${index}`, 1, index)
    memo.get('page 0', 1)
    memo.set('page 3', 1, 3)
    expect(kept(memo, 4)).toEqual([0, 2, 3])
    expect(memo.get('page 3', 2)).toBeUndefined()
  })
})
