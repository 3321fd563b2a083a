import { describe, expect, it } from 'vitest'
import { Admission, type AdmissionLimits } from './admission.ts'

const limits: AdmissionLimits = { maxRequests: 3, maxLagMs: 0, callerRequests: 2, callerRate: 10, callerWatches: 1 }
const caller = (user: string, account = '0') => ({ user, account, requestId: '', language: 'en' as const })
const [amy, ben, carla] = [caller('amy'), caller('ben'), caller('carla')]
const busy = expect.objectContaining({ code: 1199503, status: 503, retryAfter: 1 })
const tooMany = expect.objectContaining({ code: 1199429, status: 429, retryAfter: 1 })

function admissionAt(config: Partial<AdmissionLimits> = {}) {
  const clock = { now: 0 }
  return { admission: new Admission({ ...limits, ...config }, () => clock.now), clock }
}

describe('admission control', () => {
  it('admits up to maxRequests concurrent requests, and more as they finish', () => {
    const { admission } = admissionAt()
    for (const each of [amy, ben, carla]) admission.enter(each, false)
    expect(() => admission.refuseIfFull()).toThrow(busy)
    expect(() => admission.enter(caller('dmitri'), false)).toThrow(busy)
    admission.leave(ben, false)
    admission.refuseIfFull()
    admission.enter(caller('dmitri'), false)
    expect(admission.running).toBe(3)
  })

  it('limits the concurrent requests of one caller without affecting others', () => {
    const { admission } = admissionAt()
    admission.enter(amy, false)
    admission.enter(amy, false)
    expect(() => admission.enter(amy, false)).toThrow(tooMany)
    admission.enter(caller('amy', 'another account'), false)
    admission.leave(amy, false)
    admission.enter(amy, false)
  })

  it('counts watches separately from other requests', () => {
    const { admission } = admissionAt({ maxRequests: 1 })
    admission.enter(amy, false)
    admission.enter(amy, true)
    expect(() => admission.enter(amy, true)).toThrow(tooMany)
    admission.enter(ben, true)
    admission.leave(amy, true)
    admission.enter(amy, true)
    expect(admission.running).toBe(1)
  })

  it('limits the request rate of a caller, with bursts of twice the rate', () => {
    const { admission, clock } = admissionAt()
    const sent = (most: number) => {
      let count = 0
      while (count < most && !refused(() => admission.spend(amy))) count++
      return count
    }
    expect(sent(100)).toBe(20)
    expect(() => admission.spend(amy)).toThrow(tooMany)
    admission.spend(ben)
    clock.now += 500
    expect(sent(100)).toBe(5)
    clock.now += 60_000
    expect(sent(100)).toBe(20)
  })

  it('has no per-caller limit for anonymous callers, nor for any caller when the limit is 0', () => {
    const { admission } = admissionAt({ maxRequests: 1_000 })
    for (let count = 0; count < 100; count++) {
      admission.spend(caller(''))
      admission.enter(caller(''), false)
      admission.enter(caller(''), true)
    }
    const free = admissionAt({ maxRequests: 1_000, callerRequests: 0, callerRate: 0, callerWatches: 0 }).admission
    for (let count = 0; count < 100; count++) {
      free.spend(amy)
      free.enter(amy, false)
      free.enter(amy, true)
    }
  })

  it('evicts idle callers, and keeps those with running requests', () => {
    const { admission, clock } = admissionAt({ maxRequests: 1_000_000 })
    admission.enter(amy, false)
    for (let count = 0; count < 30_000; count++) {
      clock.now += 1
      admission.spend(caller(`user ${count}`))
    }
    admission.enter(amy, false)
    expect(() => admission.enter(amy, false)).toThrow(tooMany)
  })

  it('rejects requests while the event loop lags repeatedly, and admits them once it has recovered', () => {
    const { admission } = admissionAt({ maxLagMs: 50 })
    // One or two late measurements in a row are tolerated.
    for (const lag of [400, 400, 50, 400, 400]) {
      admission.noteLag(lag)
      admission.refuseIfFull()
    }
    admission.noteLag(51)
    expect(() => admission.refuseIfFull()).toThrow(busy)
    admission.noteLag(3)
    admission.refuseIfFull()

    const { admission: unwatched } = admissionAt({ maxLagMs: 0 })
    for (let turn = 0; turn < 9; turn++) unwatched.noteLag(9_999)
    unwatched.refuseIfFull()
  })
})

function refused(work: () => void): boolean {
  try {
    work()
    return false
  } catch {
    return true
  }
}
