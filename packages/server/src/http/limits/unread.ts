import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { mebibyte } from '../bodies/body-budget.ts'

export interface UnreadLimits {
  /** Limit of unread response bytes of one caller, on all of its connections. */
  readonly maxCallerBytes: number
  /** Limit for all callers. */
  readonly maxBytes: number
  /** How long a client may read nothing of a response. */
  readonly stalledMs: number
}

const usualUnreadLimits: UnreadLimits = {
  ...{ maxCallerBytes: 64 * mebibyte, maxBytes: 256 * mebibyte },
  stalledMs: 15_000,
}
/** Size that fits into socket buffers; smaller responses are not tracked. */
const smallBytes = 65_536

type Answer = string | Buffer

interface Unread {
  readonly caller: string
  readonly answer: Answer
  readonly bytes: number
}

/**
 * A response is in memory until its client has read it. This memory is limited: a connection without progress for a while is closed, and so are the
 * oldest ones of a caller above its limit.
 */
class UnreadAnswers {
  readonly #limits: UnreadLimits
  readonly #close: (response: ServerResponse) => void
  /** Oldest first. */
  readonly #unread = new Map<ServerResponse, Unread>()
  readonly #byCaller = new Map<string, number>()
  /** A cached body is in memory once, for any number of clients. */
  readonly #uses = new WeakMap<Buffer, number>()
  #total = 0

  constructor(close: (response: ServerResponse) => void, limits: UnreadLimits) {
    this.#close = close
    this.#limits = limits
  }

  get bytes(): number {
    return this.#total
  }

  add(response: ServerResponse, caller: string, answer: Answer): void {
    const bytes = this.#use(answer, 1) > 1 ? 0 : answer.length
    this.#unread.set(response, { caller, answer, bytes })
    this.#count(caller, bytes)
    const { maxCallerBytes, maxBytes } = this.#limits
    for (const [each, unread] of this.#unread) {
      const isTooMuch = this.#total > maxBytes
      if (!isTooMuch && (this.#byCaller.get(caller) ?? 0) <= maxCallerBytes) return
      if (!isTooMuch && unread.caller !== caller) continue
      this.remove(each)
      this.#close(each)
    }
  }

  remove(response: ServerResponse): void {
    const unread = this.#unread.get(response)
    if (!unread) return
    this.#unread.delete(response)
    this.#use(unread.answer, -1)
    this.#count(unread.caller, -unread.bytes)
  }

  #use(answer: Answer, by: number): number {
    if (typeof answer === 'string') return 1
    const uses = (this.#uses.get(answer) ?? 0) + by
    this.#uses.set(answer, uses)
    return uses
  }

  #count(caller: string, bytes: number): void {
    this.#total += bytes
    const left = (this.#byCaller.get(caller) ?? 0) + bytes
    if (left > 0) this.#byCaller.set(caller, left)
    else this.#byCaller.delete(caller)
  }
}

/** Tracks complete responses; streams have their own backpressure. */
export function limitUnreadAnswers(
  app: FastifyInstance,
  onClose: () => void,
  limits: UnreadLimits = usualUnreadLimits,
): void {
  const { stalledMs } = limits
  const unread = new UnreadAnswers((response) => {
    onClose()
    response.destroy()
    response.req.socket.destroy()
  }, limits)

  function watch(request: FastifyRequest, response: ServerResponse, answer: Answer): void {
    const { identity, ip } = request
    const { socket } = request.raw
    // Fully handed to the system or read already, or disconnected.
    if (response.closed || response.writableFinished || response.destroyed || socket.destroyed) return
    unread.add(response, identity?.user ? `${identity.account}\n${identity.user}` : ip, answer)
    // Node closes such a connection; progress restarts the timeout.
    socket.setTimeout(stalledMs)
    response.once('close', () => {
      unread.remove(response)
      // Unless it was reset for the next request.
      if (socket.timeout === stalledMs) socket.setTimeout(0)
    })
  }

  app.addHook('onSend', (request, reply, payload, done) => {
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
    // Once it has been written to the socket.
    if (isWhole && payload.length > smallBytes) setImmediate(watch, request, reply.raw, payload)
    done()
  })
}
