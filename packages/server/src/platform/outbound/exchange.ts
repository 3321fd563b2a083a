import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { failureOf, tooSlow } from './failure.ts'

export interface Posting {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
  /** For everything: finding the address, connecting, TLS, and the last byte of the answer. */
  readonly timeoutMs: number
  /** What is read of the answer. */
  readonly mostBytes: number
  /** Gives up at once, with the signal's reason. */
  readonly signal?: AbortSignal
  /** Asked once more when it is about to be written: a process may have been frozen since. */
  readonly mayStart?: () => boolean
}

export interface OutboundAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** What each signal stops: one listener for all, since there are thousands of posts a second. */
const stoppedBy = new WeakMap<AbortSignal, Set<Exchange>>()

function stopping(signal: AbortSignal): Set<Exchange> {
  const known = stoppedBy.get(signal)
  if (known) return known
  const exchanges = new Set<Exchange>()
  stoppedBy.set(signal, exchanges)
  signal.addEventListener('abort', () => {
    for (const exchange of exchanges) exchange.giveUp(signal.reason)
  })
  return exchanges
}

/** One post on its way: settled once, by whatever comes first. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #host: string
  readonly #posting: Posting
  readonly #resolve: (answer: OutboundAnswer) => void
  readonly #reject: (why: unknown) => void
  readonly #deadline: NodeJS.Timeout
  readonly #parts: Buffer[] = []
  #running: Dispatcher.DispatchController | undefined
  #isOver = false
  #status = 0
  #headers: IncomingHttpHeaders = {}
  #size = 0

  constructor(
    host: string,
    posting: Posting,
    resolve: (answer: OutboundAnswer) => void,
    reject: (why: unknown) => void,
  ) {
    this.#host = host
    this.#posting = posting
    this.#resolve = resolve
    this.#reject = reject
    const { timeoutMs, signal } = posting
    this.#deadline = setTimeout(() => this.giveUp(tooSlow(host, timeoutMs)), timeoutMs)
    if (signal) stopping(signal).add(this)
  }

  giveUp(why: unknown): void {
    if (this.#settle()) this.#reject(why)
    this.#running?.abort(why as Error)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#running = controller
    // It has waited for a socket until nobody was waiting for it any more.
    if (this.#isOver) controller.abort(new Error('given up'))
    else if (this.#posting.mayStart?.() === false && !this.#isOver) this.giveUp(new Error('no longer wanted'))
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status
    this.#headers = headers
  }

  onResponseData(controller: Dispatcher.DispatchController, part: Buffer): void {
    this.#parts.push(part)
    this.#size += part.length
    // One that is as long as it may be still has to end, within the deadline: then its connection is free for the next.
    if (this.#size <= this.#posting.mostBytes) return
    this.onResponseEnd()
    controller.abort(new Error('long enough'))
  }

  onResponseEnd(): void {
    if (!this.#settle()) return
    const whole = this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts)
    this.#resolve({ status: this.#status, headers: this.#headers, body: whole.subarray(0, this.#posting.mostBytes) })
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#settle()) this.#reject(failureOf(error, this.#host))
  }

  /** Whether it is the first to do so. */
  #settle(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    clearTimeout(this.#deadline)
    if (this.#posting.signal) stoppedBy.get(this.#posting.signal)?.delete(this)
    return true
  }
}
