import { rule } from '@mainline/contract'
import { Shed } from '../limits/admission.ts'
import type { Caller } from '../route.ts'

interface BodyLimits {
  /** Of all request bodies in memory. */
  readonly maxBytes: number
  /** Of the JSON bodies of one caller. */
  readonly maxCallerBytes: number
  /** Of the uploaded files of one caller. */
  readonly maxCallerFileBytes: number
}

export const mebibyte = 1_048_576
/** One caller can send the largest allowed file and some more concurrently, but cannot exhaust the budget of all callers. */
export const usualBodyLimits: BodyLimits = {
  maxBytes: 96 * mebibyte,
  maxCallerBytes: 16 * mebibyte,
  maxCallerFileBytes: 40 * mebibyte,
}
/** With open identity all requests have the same caller, so per-caller limits equal the total. */
export const openBodyLimits: BodyLimits = {
  ...{ maxBytes: usualBodyLimits.maxBytes, maxCallerBytes: usualBodyLimits.maxBytes },
  maxCallerFileBytes: usualBodyLimits.maxBytes,
}

/** Memory budget of request bodies, held from the first byte until the response. Counts bytes as they arrive, not as announced. */
export class BodyBudget {
  readonly #limits: BodyLimits
  readonly #byCaller = new Map<string, number>()
  #total = 0

  constructor(limits: BodyLimits) {
    this.#limits = limits
  }

  get bytes(): number {
    return this.#total
  }

  hold({ account, user }: Caller, as: 'json' | 'file'): HeldBody {
    const { maxCallerBytes, maxCallerFileBytes } = this.#limits
    // Files are counted separately, so that an upload does not block the caller's other requests.
    const caller = `${as}\n${account}\n${user}`
    return new HeldBody(this, caller, as === 'file' ? maxCallerFileBytes : maxCallerBytes)
  }

  count(caller: string, bytes: number, maxOfCaller: number): void {
    const ofCaller = this.#byCaller.get(caller) ?? 0
    if (ofCaller + bytes > maxOfCaller) {
      throw new Shed('caller_body_bytes', rule('callerBodies', { max: maxOfCaller }))
    }
    if (this.#total + bytes > this.#limits.maxBytes) throw new Shed('body_bytes', rule('overloaded'))
    this.#total += bytes
    this.#byCaller.set(caller, ofCaller + bytes)
  }

  discount(caller: string, bytes: number): void {
    const left = (this.#byCaller.get(caller) ?? 0) - bytes
    if (left > 0) this.#byCaller.set(caller, left)
    else this.#byCaller.delete(caller)
    this.#total -= bytes
  }
}

/** The share of the budget that one request holds. */
export class HeldBody {
  readonly #budget: BodyBudget
  readonly #caller: string
  readonly #maxOfCaller: number
  #bytes = 0

  constructor(budget: BodyBudget, caller: string, maxOfCaller: number) {
    this.#budget = budget
    this.#caller = caller
    this.#maxOfCaller = maxOfCaller
  }

  /** Throws a problem when the budget is exceeded. */
  add(bytes: number): void {
    this.#budget.count(this.#caller, bytes, this.#maxOfCaller)
    this.#bytes += bytes
  }

  release(): void {
    this.#budget.discount(this.#caller, this.#bytes)
    this.#bytes = 0
  }
}
