import { problem, rule } from '@mainline/contract'
import { beyondProxies, clientNetworkOf } from '../common/networks.ts'
import type { Network } from '../outbound/address.ts'
import { forwardedIn } from './headers.ts'
import type { UnidentifiedRequest } from './identified.ts'

/** Failures per address that are not throttled: people mistype, and scripts use an old token. */
const freeFailures = 10
const maxThrottleMs = 30_000
/** The counter of an address is reset after this long without failures. */
const forgetAfterMs = 600_000
/** Number of tracked addresses; the oldest is evicted first. */
const maxAddresses = 10_000

interface FailedCaller {
  failures: number
  /** Until then, failures are answered with 429. */
  until: number
  last: number
}

/** The result of verifying a credential: the caller, an invalid credential, or one that was valid once. */
export type Verdict<T> = T | 'wrong' | 'lapsed'

/** The client's address for throttling: behind trusted proxies the one they report; an IPv6 /64 counts as one address. */
export const clientAddress = ({ headers, peer }: UnidentifiedRequest, proxies: readonly Network[]): string =>
  clientNetworkOf(beyondProxies(peer, forwardedIn(headers), proxies))

/**
 * Throttles authentication failures by address. Every credential is verified, which costs one hash and one read by key, or one signature
 * check; only failures are counted. So a caller with a valid credential is never delayed by others at the same address.
 * Secrets have 256 random bits and cannot be guessed anyway: the throttle keeps noise out of logs and metrics.
 */
export class AuthThrottle {
  readonly #offenders = new Map<string, FailedCaller>()
  readonly #proxies: readonly Network[]
  readonly #now: () => number

  constructor(proxies: readonly Network[], now: () => number = Date.now) {
    this.#proxies = proxies
    this.#now = now
  }

  /** The caller; undefined if the credential is invalid; throws 429 after too many failures of the address. */
  async try<T>(request: UnidentifiedRequest, look: () => Promise<Verdict<T>>): Promise<T | undefined> {
    const verdict = await look()
    if (verdict === 'wrong') this.#failed(clientAddress(request, this.#proxies))
    return verdict === 'wrong' || verdict === 'lapsed' ? undefined : verdict
  }

  #failed(address: string): void {
    const now = this.#now()
    const failed = this.#find(address) ?? { failures: 0, until: 0, last: 0 }
    const leftMs = failed.until - now
    if (leftMs > 0) {
      const seconds = Math.ceil(leftMs / 1000)
      throw problem('tooManyRequests', { rule: rule('afterSeconds', { seconds }), retryAfter: seconds })
    }
    failed.failures++
    failed.last = now
    if (failed.failures > freeFailures) {
      failed.until = now + Math.min(maxThrottleMs, 1_000 * 2 ** (failed.failures - freeFailures - 1))
    }
    this.#remember(address, failed)
  }

  #find(address: string): FailedCaller | undefined {
    const found = this.#offenders.get(address)
    if (found && this.#now() - found.last > forgetAfterMs) this.#offenders.delete(address)
    return this.#offenders.get(address)
  }

  #remember(address: string, failed: FailedCaller): void {
    this.#offenders.delete(address)
    this.#offenders.set(address, failed)
    const [oldest] = this.#offenders.keys()
    if (this.#offenders.size > maxAddresses && oldest !== undefined) this.#offenders.delete(oldest)
  }
}
