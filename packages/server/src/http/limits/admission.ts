import { Problem, type Rule, rule } from '@mainline/contract'
import type { ServeConfig } from '../../common/config.ts'
import type { Caller } from '../route.ts'

export type AdmissionLimits = Pick<
  ServeConfig,
  'maxRequests' | 'maxLagMs' | 'callerRequests' | 'callerRate' | 'callerWatches'
>

/** The limit that a rejected request exceeded; a label of the metric of rejected requests. */
type Excess =
  | 'requests'
  | 'lag'
  | 'body_bytes'
  | 'caller_requests'
  | 'caller_rate'
  | 'caller_watches'
  | 'caller_body_bytes'

/** Load shedding: the request exceeded a limit and was rejected before any work was done. */
export class Shed extends Problem {
  readonly excess: Excess

  constructor(excess: Excess, hint: Rule, retryAfter = 1) {
    super(excess.startsWith('caller') ? 'tooManyRequests' : 'notReady', { rule: hint, retryAfter })
    this.excess = excess
  }
}

/** Interval of the event loop lag measurement. */
const lagCheckEveryMs = 100
/** A single late measurement may be one large response; this many in a row mean that the process cannot keep up. */
const lateInARow = 3
/** Size at which counters of idle callers are evicted. */
const maxCallers = 10_000

interface CallerUsage {
  running: number
  watching: number
  /** Tokens left in the caller's token bucket, as of `at`. */
  left: number
  at: number
}

/** Per-caller limits do not apply to anonymous callers: they would share one quota, which a single client could exhaust for everyone. */
const isAnonymous = ({ user }: Caller) => user === ''

/** Admission control: limits concurrency for the server and concurrency and rate for each caller, and sheds load when the event loop lags. */
export class Admission {
  readonly #limits: AdmissionLimits
  readonly #callers = new Map<string, CallerUsage>()
  readonly #now: () => number
  #running = 0
  #late = 0
  #beat: NodeJS.Timeout | undefined

  constructor(limits: AdmissionLimits, now: () => number = () => performance.now()) {
    this.#limits = limits
    this.#now = now
  }

  get running(): number {
    return this.#running
  }

  /** Starts measuring event loop lag. */
  open(): void {
    let expected = this.#now() + lagCheckEveryMs
    this.#beat = setInterval(() => {
      const now = this.#now()
      this.noteLag(now - expected)
      expected = now + lagCheckEveryMs
    }, lagCheckEveryMs)
    this.#beat.unref()
  }

  noteLag(lagMs: number): void {
    const { maxLagMs } = this.#limits
    this.#late = maxLagMs > 0 && lagMs > maxLagMs ? this.#late + 1 : 0
  }

  close(): void {
    clearInterval(this.#beat)
  }

  /** Checked first, before the caller is identified or the body is read. */
  refuseIfFull(): void {
    if (this.#late >= lateInARow) throw new Shed('lag', rule('overloaded'))
    if (this.#running >= this.#limits.maxRequests) throw new Shed('requests', rule('overloaded'))
  }

  /** Rate limit of a caller: a token bucket that holds two seconds' worth of requests, so bursts may be twice the rate. */
  spend(caller: Caller): void {
    const { callerRate } = this.#limits
    if (callerRate === 0 || isAnonymous(caller)) return
    const account = this.#accountOf(caller)
    const now = this.#now()
    account.left = Math.min(2 * callerRate, account.left + ((now - account.at) / 1000) * callerRate)
    account.at = now
    if (account.left < 1) throw new Shed('caller_rate', rule('callerRate', { most: callerRate }))
    account.left--
  }

  /** Every `enter` needs a matching `leave`. Watches wait for events and do not count as running requests. */
  enter(caller: Caller, watches: boolean): void {
    const { maxRequests, callerRequests, callerWatches } = this.#limits
    if (!watches && this.#running >= maxRequests) throw new Shed('requests', rule('overloaded'))
    const [most, name] = watches ? ([callerWatches, 'watching'] as const) : ([callerRequests, 'running'] as const)
    if (most > 0 && !isAnonymous(caller)) {
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
    if (most > 0 && !isAnonymous(caller)) this.#accountOf(caller)[watches ? 'watching' : 'running']--
    if (!watches) this.#running--
  }

  #accountOf({ account, user }: Caller): CallerUsage {
    const key = `${account}\n${user}`
    const known = this.#callers.get(key)
    if (known) return known
    const fresh = { running: 0, watching: 0, left: 2 * this.#limits.callerRate, at: this.#now() }
    this.#callers.set(key, fresh)
    if (this.#callers.size > maxCallers) this.#evictIdle()
    return fresh
  }

  /** Evicts idle callers whose token bucket is full again: a new entry would hold the same values. */
  #evictIdle(): void {
    const now = this.#now()
    for (const [key, { running, watching, at }] of this.#callers) {
      if (running === 0 && watching === 0 && now - at > 2_000) this.#callers.delete(key)
    }
  }
}
