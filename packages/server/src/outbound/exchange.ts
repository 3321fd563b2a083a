import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { asError } from '../common/error-code.ts'
import { present } from '../common/present.ts'
import { failureOf, tooSlow } from './failure.ts'

export interface Posting {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
  /** For the whole exchange: DNS, connecting, TLS, and the complete answer. */
  readonly timeoutMs: number
  /** The answer is truncated at this size. */
  readonly maxAnswerBytes: number
  /** Aborts immediately, with the signal's reason. */
  readonly signal?: AbortSignal
  /** Checked again right before sending, because the process may have been frozen in the meantime. */
  readonly mayStart?: () => boolean
}

export interface OutboundAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Exchanges by signal: one listener per signal instead of per exchange, for thousands of posts a second. */
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

/** A post in progress, settled once by the first outcome. */
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
    this.#running?.abort(asError(why))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#running = controller
    // Already settled while it was waiting for a socket.
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
    // An answer of exactly the limit is read to its end within the deadline, so that its connection can be reused.
    if (this.#size <= this.#posting.maxAnswerBytes) return
    this.onResponseEnd()
    controller.abort(new Error('long enough'))
  }

  onResponseEnd(): void {
    if (!this.#settle()) return
    const whole = this.#parts.length === 1 ? present(this.#parts[0]) : Buffer.concat(this.#parts)
    this.#resolve({
      status: this.#status,
      headers: this.#headers,
      body: whole.subarray(0, this.#posting.maxAnswerBytes),
    })
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#settle()) this.#reject(failureOf(error, this.#host))
  }

  /** Returns true for the first outcome only. */
  #settle(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    clearTimeout(this.#deadline)
    if (this.#posting.signal) stoppedBy.get(this.#posting.signal)?.delete(this)
    return true
  }
}
