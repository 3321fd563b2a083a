import { expect, it } from 'vitest'
import { FairQueue } from './fair-queue.ts'

const roomy = { maxRunningPerCaller: 10, maxWaiting: 100, maxWaitingPerCaller: 100 }
const taken = (queue: FairQueue<string>, count: number) => Array.from({ length: count }, () => queue.take()?.item)

it('callers take turns, whatever the length of their queues', () => {
  const queue = new FairQueue<string>(roomy)
  for (const item of ['a1', 'a2', 'a3', 'a4']) queue.add('a', item)
  for (const item of ['b1', 'b2']) queue.add('b', item)
  queue.add('c', 'c1')
  expect(taken(queue, 8)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4', undefined])
  expect(queue.size).toBe(0)
})

it('a caller at its limit of concurrent items is skipped until one is finished', () => {
  const queue = new FairQueue<string>({ ...roomy, maxRunningPerCaller: 1 })
  for (const item of ['a1', 'a2']) queue.add('a', item)
  expect(taken(queue, 2)).toEqual(['a1', undefined])
  queue.add('b', 'b1')
  expect(taken(queue, 2)).toEqual(['b1', undefined])
  queue.finish('a')
  expect(taken(queue, 1)).toEqual(['a2'])
})

it('one caller cannot fill the whole queue', () => {
  const queue = new FairQueue<string>({ ...roomy, maxWaiting: 3, maxWaitingPerCaller: 2 })
  expect(['1', '2', '3'].map((item) => queue.add('a', item))).toEqual([true, true, false])
  expect(['4', '5'].map((item) => queue.add('b', item))).toEqual([true, false])
})

it('an item queued by two callers is taken once, at the first turn of either', () => {
  const queue = new FairQueue<string>(roomy)
  for (const item of ['a1', 'shared']) queue.add('a', item)
  queue.add('b', 'shared')
  expect(taken(queue, 3)).toEqual(['a1', 'shared', undefined])
  expect(queue.size).toBe(0)
})
