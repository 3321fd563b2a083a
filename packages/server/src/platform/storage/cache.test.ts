import { describe, expect, it } from 'vitest'
import { Page } from '../http/page.ts'
import { Cache } from './cache.ts'

const kept = (cache: Cache, count: number) =>
  Array.from({ length: count }, (_, index) => index).filter((index) => cache.get(`page ${index}`, 1) !== undefined)

describe('what is remembered', () => {
  it('is bounded in bytes, by what the answers in it weigh', () => {
    const cache = new Cache(1_000_000)
    for (let index = 0; index < 50; index++) cache.set(`page ${index}`, 1, new Page('x'.repeat(100_000)))
    expect(kept(cache, 50)).toEqual([41, 42, 43, 44, 45, 46, 47, 48, 49])
  })

  it('is not pushed out by what is too large to be kept', () => {
    const cache = new Cache(10_000)
    cache.set('page 0', 1, 0)
    cache.set('page 1', 1, new Page('x'.repeat(10_000)))
    expect(kept(cache, 2)).toEqual([0])
  })

  it('keeps what was used last, and believes nothing under another stamp', () => {
    const cache = new Cache(3_100)
    for (let index = 0; index < 3; index++) cache.set(`page ${index}`, 1, index)
    cache.get('page 0', 1)
    cache.set('page 3', 1, 3)
    expect(kept(cache, 4)).toEqual([0, 2, 3])
    expect(cache.get('page 3', 2)).toBeUndefined()
  })
})
