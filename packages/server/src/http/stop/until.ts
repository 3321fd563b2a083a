import type { FastifyInstance, FastifyReply } from 'fastify'
import type { StopNotice } from './stop.ts'

/**
 * How long finite responses may continue once the server stops. It is less than the time limit of a stop, so that the rest of the
 * shutdown can complete.
 */
export const usualFinishingMs = 20_000
const cutPauseMs = 50

/** On a stop, watches ('waiting') end immediately, since they have no end of their own; 'work' ends after `finishingMs`. */
type RequestKind = 'waiting' | 'work'

export type Until = (reply: FastifyReply, kind: RequestKind, timeoutMs?: number) => AbortSignal

/** Signals that abort a request when its timeout expires, its client disconnects, or the server stops. */
export function untilOf(app: FastifyInstance, notice: StopNotice, finishingMs: number): Until {
  const running = { waiting: new Set<AbortController>(), work: new Set<AbortController>() }
  const stopped = new Set<RequestKind>()
  const stop = (kind: RequestKind) => {
    stopped.add(kind)
    for (const each of running[kind]) each.abort()
  }
  let cutting: NodeJS.Timeout | undefined
  app.addHook('preClose', async () => {
    stop('waiting')
    const closingSince = performance.now()
    // Polled, because the notice may be given again with less time.
    cutting = setInterval(() => {
      if (performance.now() > Math.max(closingSince, notice.idleEnd()) + finishingMs) stop('work')
    }, cutPauseMs)
  })
  app.addHook('onClose', async () => clearInterval(cutting))
  return ({ raw }, kind, timeoutMs) => {
    const ends = new AbortController()
    if (stopped.has(kind) || raw.destroyed || raw.socket?.destroyed) {
      ends.abort()
      return ends.signal
    }
    running[kind].add(ends)
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => ends.abort(), timeoutMs)
    // 'close' of the response comes both when it was sent and when the client disconnected.
    raw.once('close', () => {
      clearTimeout(timer)
      running[kind].delete(ends)
      ends.abort()
    })
    return ends.signal
  }
}
