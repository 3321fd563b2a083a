import { problem, rule } from '@mainline/contract'
import { currentCaller, currentRequest } from '../../common/caller.ts'
import { FairSlots } from '../../common/concurrency/fair-slots.ts'

/** How many imports may wait, per caller and in total. */
const maxWaitingPerCaller = 2
const maxWaiting = 20

/** Runs at most `maxRunning` imports, one per caller; others queue, so that one caller cannot block the rest. */
export function limitImports(maxRunning: number) {
  const slots = new FairSlots({ maxRunning, maxRunningPerCaller: 1, maxWaiting, maxWaitingPerCaller })
  const enter = (left: Promise<void>) =>
    new Promise<void>((entered, reject) => {
      const holdSlot = async () => {
        entered()
        await left
      }
      slots.run(currentCaller(), holdSlot).catch(() => {
        reject(problem('tooManyRequests', { rule: rule('importsBusy', { most: maxWaitingPerCaller }) }))
      })
    })
  return async function* <T>(work: () => AsyncGenerator<T>): AsyncGenerator<T> {
    const { promise: left, resolve: leave } = Promise.withResolvers<void>()
    await enter(left)
    try {
      if (currentRequest()?.gone()?.aborted) throw problem('clientGone')
      yield* work()
    } finally {
      leave()
    }
  }
}
