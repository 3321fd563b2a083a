import type { FastifyInstance, FastifyReply } from 'fastify'

/** Ends the waiting of requests: when their time is up, their caller has gone away, or the server stops. */
export function untilOf(app: FastifyInstance): (reply: FastifyReply, milliseconds?: number) => AbortSignal {
  const waiting = new Set<AbortController>()
  let stopping = false
  app.addHook('preClose', async () => {
    stopping = true
    for (const each of waiting) each.abort()
  })
  return ({ raw }, milliseconds) => {
    const waits = new AbortController()
    if (stopping || raw.destroyed || raw.socket?.destroyed) {
      waits.abort()
      return waits.signal
    }
    waiting.add(waits)
    const timer = milliseconds === undefined ? undefined : setTimeout(() => waits.abort(), milliseconds)
    // Of the answer, whether it has been sent or can no longer be.
    raw.once('close', () => {
      clearTimeout(timer)
      waiting.delete(waits)
      waits.abort()
    })
    return waits.signal
  }
}
