import { Problem, type Rule, rule } from '@mainline/contract'
import type { ServeConfig } from '../config.ts'
import type { Caller } from './route.ts'

export type GateConfig = Pick<ServeConfig, 'maxRequests' | 'maxLag' | 'callerRequests' | 'callerRate' | 'callerWatches'>

/** What there was too much of. */
export type Excess = 'requests' | 'lag' | 'caller_requests' | 'caller_rate' | 'caller_watches'

/** A request that was turned away for there being too many, before anything was done. */
export class Shed extends Problem {
  readonly excess: Excess

  constructor(excess: Excess, hint: Rule, retryAfter = 1) {
    super(excess.startsWith('caller') ? 'tooManyRequests' : 'notReady', { rule: hint, retryAfter })
    this.excess = excess
  }
}

/** How often the event loop is asked how late it is, in milliseconds. */
const beat = 100
/** A loop that is late once may have written out something large; one that is late so many times in a row cannot keep up. */
const lateInARow = 3
/** Callers that are remembered at most: those who have been quiet longest are forgotten first. */
const mostCallers = 10_000

interface Account {
  running: number
  watching: number
  /** Requests that may still be sent at once, as of `at`. */
  left: number
  at: number
}

/** Where nobody is welcome too, one of them must not use up what there is for all. */
const isNobody = ({ user }: Caller) => user === ''

/** Lets requests in while there is room for them, and keeps one caller from taking all of it. */
export class Gate {
  readonly #limits: GateConfig
  readonly #callers = new Map<string, Account>()
  readonly #now: () => number
  #running = 0
  #late = 0
  #beat: NodeJS.Timeout | undefined

  constructor(limits: GateConfig, now: () => number = () => performance.now()) {
    this.#limits = limits
    this.#now = now
  }

  get running(): number {
    return this.#running
  }

  /** Begins to watch the event loop. */
  open(): void {
    let expected = this.#now() + beat
    this.#beat = setInterval(() => {
      const now = this.#now()
      this.noteLag(now - expected)
      expected = now + beat
    }, beat)
    this.#beat.unref()
  }

  /** How late the event loop was this time, in milliseconds. */
  noteLag(milliseconds: number): void {
    const { maxLag } = this.#limits
    this.#late = maxLag > 0 && milliseconds > maxLag ? this.#late + 1 : 0
  }

  close(): void {
    clearInterval(this.#beat)
  }

  /** Before a request is looked at any closer: whoever it is from, and however large its body. */
  refuseIfFull(): void {
    if (this.#late >= lateInARow) throw new Shed('lag', rule('overloaded'))
    if (this.#running >= this.#limits.maxRequests) throw new Shed('requests', rule('overloaded'))
  }

  /** Counts a request of a caller against what one may send: so many a second, and twice as many in a burst. */
  spend(caller: Caller): void {
    const { callerRate } = this.#limits
    if (callerRate === 0 || isNobody(caller)) return
    const account = this.#accountOf(caller)
    const now = this.#now()
    account.left = Math.min(2 * callerRate, account.left + ((now - account.at) / 1000) * callerRate)
    account.at = now
    if (account.left < 1) throw new Shed('caller_rate', rule('callerRate', { most: callerRate }))
    account.left--
  }

  /** Before it is worked on; whoever enters must leave. What waits for events takes no room. */
  enter(caller: Caller, watches: boolean): void {
    const { maxRequests, callerRequests, callerWatches } = this.#limits
    if (!watches && this.#running >= maxRequests) throw new Shed('requests', rule('overloaded'))
    const [most, name] = watches ? ([callerWatches, 'watching'] as const) : ([callerRequests, 'running'] as const)
    if (most > 0 && !isNobody(caller)) {
      const account = this.#accountOf(caller)
      if (account[name] >= most) {
        throw new Shed(watches ? 'caller_watches' : 'caller_requests', rule('callerRequests', { most }))
      }
      account[name]++
    }
    if (!watches) this.#running++
  }

  leave(caller: Caller, watches: boolean): void {
    const { callerRequests, callerWatches } = this.#limits
    const most = watches ? callerWatches : callerRequests
    if (most > 0 && !isNobody(caller)) this.#accountOf(caller)[watches ? 'watching' : 'running']--
    if (!watches) this.#running--
  }

  #accountOf({ account, user }: Caller): Account {
    const key = `${account}\n${user}`
    const known = this.#callers.get(key)
    if (known) return known
    const fresh = { running: 0, watching: 0, left: 2 * this.#limits.callerRate, at: this.#now() }
    this.#callers.set(key, fresh)
    if (this.#callers.size > mostCallers) this.#forget()
    return fresh
  }

  /** One that has nothing under way, and has had time to earn its burst again, loses nothing by being forgotten. */
  #forget(): void {
    const now = this.#now()
    for (const [key, { running, watching, at }] of this.#callers) {
      if (running === 0 && watching === 0 && now - at > 2_000) this.#callers.delete(key)
    }
  }
}
