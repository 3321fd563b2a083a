import { expect, it } from 'vitest'
import { asCaller, currentCaller } from '../caller.ts'
import { FairSlots } from './fair-slots.ts'

const callerOf = (user: string) => ({ account: '0', user })

it('work that has waited runs in its own request context, not in that of the one before', async () => {
  const slots = new FairSlots({ maxRunning: 1, maxRunningPerCaller: 1, maxWaiting: 10, maxWaitingPerCaller: 10 })
  const first = Promise.withResolvers<void>()
  const seen: string[] = []
  const ask = (user: string, until: Promise<void>) =>
    asCaller(callerOf(user), () =>
      slots.run(user, async () => {
        await until
        seen.push(currentCaller())
      }),
    )
  const asked = ['ann', 'bob', 'cid'].map((user) => ask(user, first.promise))
  first.resolve()
  await Promise.all(asked)
  expect(seen).toEqual(['0\nann', '0\nbob', '0\ncid'])
})
