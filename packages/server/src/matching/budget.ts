import { problem, rule } from '@mainline/contract'

interface BudgetLimits {
  readonly burstMs: number
  /** Seconds of budget that are restored per second. */
  readonly share: number
}

/** Number of tracked callers; those with a full budget are evicted first. */
const maxCallers = 10_000

/** CPU time per caller as a token bucket: a burst, then a share of elapsed time. */
export class TimeBudget {
  readonly #limits: BudgetLimits
  readonly #now: () => number
  readonly #used = new Map<string, { usedMs: number; at: number }>()

  constructor(limits: BudgetLimits, now: () => number = () => performance.now()) {
    this.#limits = limits
    this.#now = now
  }

  charge(caller: string, tookMs: number): void {
    this.#used.set(caller, { usedMs: this.#usedBy(caller) + tookMs, at: this.#now() })
    if (this.#used.size > maxCallers) this.#forget()
  }

  has(caller: string): boolean {
    return this.#usedBy(caller) < this.#limits.burstMs
  }

  refuseIfSpent(caller: string): void {
    if (this.has(caller)) return
    const { burstMs, share } = this.#limits
    const seconds = Math.max(1, Math.ceil((this.#usedBy(caller) - burstMs) / share / 1000))
    throw problem('tooManyRequests', { rule: rule('callerMatching', { seconds }), retryAfter: seconds })
  }

  #usedBy(caller: string): number {
    const known = this.#used.get(caller)
    return known ? Math.max(0, known.usedMs - (this.#now() - known.at) * this.#limits.share) : 0
  }

  #forget(): void {
    for (const caller of this.#used.keys()) if (this.#usedBy(caller) === 0) this.#used.delete(caller)
  }
}
