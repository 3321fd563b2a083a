import { hash } from 'node:crypto'
import { problem, rule } from '@mainline/contract'
import { beyondProxies, householdOf } from '../../networks.ts'
import type { Network } from '../../outbound/address.ts'
import { forwardedIn } from './headers.ts'
import type { Asking } from './identified.ts'

/** Bad credentials from one address that cost nothing: people mistype, and scripts keep an old token. */
const forgiven = 10
/** The longest an address waits between two tries, in milliseconds. */
const longestPause = 30_000
/** An address that has kept quiet for so long starts afresh, in milliseconds. */
const forgottenAfter = 600_000
/** Addresses, and good credentials, that are remembered at most; the oldest goes first. */
const mostRemembered = 10_000

interface Offender {
  failures: number
  /** Until then no credential from there is looked at that has not been good before. */
  until: number
  last: number
}

/** What a look at a credential found: who it is, that it was made up, or that it is good no longer. */
export type Verdict<T> = T | 'wrong' | 'lapsed'

/**
 * Slows down whoever tries credentials. An address that keeps sending bad ones waits longer and longer between two tries,
 * one at a time; callers behind it whose credentials have been good before notice nothing.
 */
export class Brake {
  readonly #offenders = new Map<string, Offender>()
  readonly #good = new Map<string, true>()
  readonly #proxies: readonly Network[]
  readonly #now: () => number

  /** Callers behind these proxies are told apart by what the proxies say of them. */
  constructor(proxies: readonly Network[], now: () => number = Date.now) {
    this.#proxies = proxies
    this.#now = now
  }

  /** Looks at a credential unless the address must wait; undefined when it is not good. */
  async try<T>(asking: Asking, credential: string, look: () => Promise<Verdict<T>>): Promise<T | undefined> {
    const { headers, peer } = asking
    const address = householdOf(beyondProxies(peer, forwardedIn(headers), this.#proxies))
    const known = `${address} ${hash('sha256', credential, 'base64url')}`
    const offender = this.#good.has(known) ? undefined : this.#find(address)
    if (offender) this.#take(offender)
    const verdict = await look()
    if (verdict === 'wrong') this.#failed(address)
    if (verdict === 'wrong' || verdict === 'lapsed') return undefined
    // The turn that it took is given back: it was no guess.
    if (offender) offender.until = 0
    remember(this.#good, known, true)
    return verdict
  }

  #find(address: string): Offender | undefined {
    const found = this.#offenders.get(address)
    if (found && this.#now() - found.last > forgottenAfter) this.#offenders.delete(address)
    return this.#offenders.get(address)
  }

  /** The pause begins when a credential is looked at, so that many at once are no way around it. */
  #take(offender: Offender): void {
    if (offender.failures < forgiven) return
    const now = this.#now()
    const left = offender.until - now
    if (left > 0) {
      const seconds = Math.ceil(left / 1000)
      throw problem('tooManyRequests', { rule: rule('afterSeconds', { seconds }), retryAfter: seconds })
    }
    offender.until = now + Math.min(longestPause, 1_000 * 2 ** (offender.failures - forgiven))
  }

  #failed(address: string): void {
    const offender = this.#find(address) ?? { failures: 0, until: 0, last: 0 }
    offender.failures++
    offender.last = this.#now()
    remember(this.#offenders, address, offender)
  }
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key)
  map.set(key, value)
  if (map.size > mostRemembered) map.delete(map.keys().next().value as string)
}
