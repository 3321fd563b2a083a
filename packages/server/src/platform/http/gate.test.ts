import { describe, expect, it } from 'vitest'
import { Gate, type GateConfig } from './gate.ts'

const limits: GateConfig = { maxRequests: 3, maxLag: 0, callerRequests: 2, callerRate: 10, callerWatches: 1 }
const caller = (user: string, account = '0') => ({ user, account, requestId: '', language: 'en' as const })
const [amy, ben, carla] = [caller('amy'), caller('ben'), caller('carla')]
const busy = expect.objectContaining({ code: 1199503, status: 503, retryAfter: 1 })
const tooMany = expect.objectContaining({ code: 1199429, status: 429, retryAfter: 1 })

function gateAt(config: Partial<GateConfig> = {}) {
  const clock = { now: 0 }
  return { gate: new Gate({ ...limits, ...config }, () => clock.now), clock }
}

describe('a gate', () => {
  it('lets so many in at once, and again as they leave', () => {
    const { gate } = gateAt()
    for (const each of [amy, ben, carla]) gate.enter(each, false)
    expect(() => gate.refuseIfFull()).toThrow(busy)
    expect(() => gate.enter(caller('dmitri'), false)).toThrow(busy)
    gate.leave(ben, false)
    gate.refuseIfFull()
    gate.enter(caller('dmitri'), false)
    expect(gate.running).toBe(3)
  })

  it('lets one caller have only so many under way, whatever room there is for others', () => {
    const { gate } = gateAt()
    gate.enter(amy, false)
    gate.enter(amy, false)
    expect(() => gate.enter(amy, false)).toThrow(tooMany)
    gate.enter(caller('amy', 'another account'), false)
    gate.leave(amy, false)
    gate.enter(amy, false)
  })

  it('counts what waits for events apart', () => {
    const { gate } = gateAt({ maxRequests: 1 })
    gate.enter(amy, false)
    gate.enter(amy, true)
    expect(() => gate.enter(amy, true)).toThrow(tooMany)
    gate.enter(ben, true)
    gate.leave(amy, true)
    gate.enter(amy, true)
    expect(gate.running).toBe(1)
  })

  it('lets a caller send so many a second, and twice as many in a burst', () => {
    const { gate, clock } = gateAt()
    const sent = (most: number) => {
      let count = 0
      while (count < most && !refused(() => gate.spend(amy))) count++
      return count
    }
    expect(sent(100)).toBe(20)
    expect(() => gate.spend(amy)).toThrow(tooMany)
    gate.spend(ben)
    clock.now += 500
    expect(sent(100)).toBe(5)
    clock.now += 60_000
    expect(sent(100)).toBe(20)
  })

  it('limits neither nobody nor, where the limit is 0, anybody', () => {
    const { gate } = gateAt({ maxRequests: 1_000 })
    for (let count = 0; count < 100; count++) {
      gate.spend(caller(''))
      gate.enter(caller(''), false)
      gate.enter(caller(''), true)
    }
    const free = gateAt({ maxRequests: 1_000, callerRequests: 0, callerRate: 0, callerWatches: 0 }).gate
    for (let count = 0; count < 100; count++) {
      free.spend(amy)
      free.enter(amy, false)
      free.enter(amy, true)
    }
  })

  it('forgets callers who have gone, and nobody who is still there', () => {
    const { gate, clock } = gateAt({ maxRequests: 1_000_000 })
    gate.enter(amy, false)
    for (let count = 0; count < 30_000; count++) {
      clock.now += 1
      gate.spend(caller(`user ${count}`))
    }
    gate.enter(amy, false)
    expect(() => gate.enter(amy, false)).toThrow(tooMany)
  })

  it('turns requests away while the event loop is late again and again, and no longer', () => {
    const { gate } = gateAt({ maxLag: 50 })
    // Once or twice may happen to anybody.
    for (const lag of [400, 400, 50, 400, 400]) {
      gate.noteLag(lag)
      gate.refuseIfFull()
    }
    gate.noteLag(51)
    expect(() => gate.refuseIfFull()).toThrow(busy)
    gate.noteLag(3)
    gate.refuseIfFull()

    const { gate: unwatched } = gateAt({ maxLag: 0 })
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
