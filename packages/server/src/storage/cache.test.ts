import { problem, rule } from '@mainline/contract'
import { describe, expect, it } from 'vitest'
import { asCaller } from '../common/caller.ts'
import { Page } from '../http/page.ts'
import { Cache } from './cache.ts'

const kept = (cache: Cache, count: number) =>
  Array.from({ length: count }, (_, index) => index).filter((index) => cache.get(`page ${index}`, 1) !== undefined)

describe('the cache', () => {
  it('is bounded by the total bytes of its entries', () => {
    const cache = new Cache(1_000_000)
    for (let index = 0; index < 50; index++) cache.set(`page ${index}`, 1, new Page('x'.repeat(100_000)))
    expect(kept(cache, 50)).toEqual([41, 42, 43, 44, 45, 46, 47, 48, 49])
  })

  it('does not store a value larger than itself, and so keeps the others', () => {
    const cache = new Cache(10_000)
    cache.set('page 0', 1, 0)
    cache.set('page 1', 1, new Page('x'.repeat(10_000)))
    expect(kept(cache, 2)).toEqual([0])
  })

  it("keeps values above a caller's share apart, with a limit of their own", () => {
    const cache = new Cache(10_000, 10_000)
    for (let index = 0; index < 3; index++) cache.set(`page ${index}`, 1, new Page('x'.repeat(1_000)))
    for (let index = 3; index < 6; index++) cache.set(`page ${index}`, 1, new Page('x'.repeat(4_000)))
    expect(kept(cache, 6)).toEqual([0, 1, 2, 4, 5])
    expect(cache.latest('page 5')).toBeDefined()
    cache.set('page 5', 2, new Page('x'.repeat(1_000)))
    expect([cache.get('page 5', 1), cache.get('page 5', 2)]).toEqual([undefined, cache.latest('page 5')])
    cache.clear()
    expect(kept(cache, 6)).toEqual([])
  })

  it('evicts the least recently used entry, and returns nothing under another stamp', () => {
    const cache = new Cache(3_100)
    for (let index = 0; index < 3; index++) cache.set(`page ${index}`, 1, index)
    cache.get('page 0', 1)
    cache.set('page 3', 1, 3)
    expect(kept(cache, 4)).toEqual([0, 2, 3])
    expect(cache.get('page 3', 2)).toBeUndefined()
  })

  it('evicts first what a caller has loaded itself when that is more than its share', async () => {
    const cache = new Cache(100_000)
    const load = (user: string, key: string, bytes: number) =>
      asCaller({ account: '0', user }, async () => cache.set(key, 1, new Page('x'.repeat(bytes))))
    for (let index = 0; index < 5; index++) await load('neighbour', `page ${index}`, 2_000)
    for (let index = 0; index < 500; index++) await load('greedy', `other ${index}`, 2_000)
    expect(kept(cache, 5)).toEqual([0, 1, 2, 3, 4])
    // What it holds beyond its share makes room for others.
    for (let index = 5; index < 10; index++) await load('neighbour', `page ${index}`, 2_000)
    expect(kept(cache, 10)).toHaveLength(10)
    expect(cache.get('other 499', 1)).toBeDefined()
  })
})

describe('a load that requests share', () => {
  it.each([problem('clientGone'), problem('tooManyRequests', { rule: rule('callerRate', { most: 1 }) })])(
    'that fails for the one that began it ($kind) is done anew for the others',
    async (failure) => {
      const cache = new Cache(1_000)
      const loads: string[] = []
      const load = (user: string, work: () => Promise<string>) =>
        cache.load('page', 1, () => {
          loads.push(user)
          return work()
        })
      const first = load('ann', () => Promise.reject(failure))
      const others = ['bob', 'cid'].map((user) => load(user, async () => 'found'))
      await expect(first).rejects.toBe(failure)
      expect(await Promise.all(others)).toEqual(['found', 'found'])
      expect(loads).toEqual(['ann', 'bob'])
    },
  )

  it('that was running while the cache was cleared is answered, and not cached', async () => {
    const cache = new Cache(1_000)
    const read = Promise.withResolvers<string>()
    const loading = cache.load('page', 1, () => read.promise)
    cache.clear()
    read.resolve('of a lost history')
    expect(await loading).toBe('of a lost history')
    expect(cache.latest('page')).toBeUndefined()
  })

  it('that fails for any other reason fails for all', async () => {
    const cache = new Cache(1_000)
    const load = () => cache.load('page', 1, () => Promise.reject(problem('notFound')))
    for (const each of await Promise.allSettled([load(), load()])) {
      expect(each).toMatchObject({ reason: { kind: 'notFound' } })
    }
  })
})
