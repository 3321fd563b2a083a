import { expect, it } from 'vitest'
import { Availability } from './availability.ts'
import { Background } from './background.ts'
import { StorageOutage } from './outage.ts'

const outage = new StorageOutage('unreachable', new Error('connection refused'))

/** An availability check whose first probes fail. */
function watched(failedProbes: number) {
  const events: string[] = []
  let probes = 0
  const probe = async () => {
    if (probes++ < failedProbes) throw outage
  }
  const availability = new Availability(probe, {
    onOutage: ({ reason }) => events.push(`out: ${reason}`),
    onRecovery: (outageMs) => events.push(outageMs > 0 ? 'back' : 'no time'),
  })
  return { availability, events, probes: () => probes }
}

it('one broken connection is not an outage', async () => {
  const { availability, events, probes } = watched(0)
  expect(availability.report(outage)).toBe(true)
  await availability.available()
  expect([probes(), events]).toEqual([1, []])
})

it('an outage begins and ends once, however many failures are reported', async () => {
  const { availability, events, probes } = watched(3)
  for (let nth = 0; nth < 100; nth++) availability.report(outage)
  await Promise.all([availability.available(), availability.available()])
  expect([probes(), events]).toEqual([4, ['out: unreachable', 'back']])
  expect(availability.outage).toBeUndefined()
})

it('waiting for the storage ends when the server stops', async () => {
  const { availability, events } = watched(Number.POSITIVE_INFINITY)
  availability.report(outage)
  await availability.available(AbortSignal.timeout(20))
  await availability.close()
  expect(events).toEqual(['out: unreachable'])
})

it('background work waits until an outage is over, and logs other failures once', async () => {
  const { availability } = watched(2)
  const logged: string[] = []
  const background = new Background(availability, (what, error) => logged.push(`${what}: ${error}`))
  const stopping = new AbortController()
  const failures = [outage, new Error('defect'), new Error('defect'), new Error('defect')]
  await background.repeat('sealing', { pauseMs: 1 }, stopping.signal, async () => {
    const failure = failures.shift()
    if (failure) throw failure
    stopping.abort()
  })
  expect(logged).toEqual(['sealing: Error: defect'])
})
