import type { FastifyInstance, FastifyReply } from 'fastify'

/**
 * How long answers that come to an end by themselves may go on once the server stops, in milliseconds: what is left of the
 * stop's patience is for stopping in good order.
 */
export const finishingTime = 20_000

/** What ends with the stop: waiting that would go on for ever does at once, work when its time to finish is up. */
export type Kind = 'waiting' | 'work'

/** Ends requests: when their time is up, their caller has gone away, or the server stops. */
export function untilOf(
  app: FastifyInstance,
  finishing: number,
): (reply: FastifyReply, kind: Kind, milliseconds?: number) => AbortSignal {
  const running = { waiting: new Set<AbortController>(), work: new Set<AbortController>() }
  const stopped = new Set<Kind>()
  const stop = (kind: Kind) => {
    stopped.add(kind)
    for (const each of running[kind]) each.abort()
  }
  let cutting: NodeJS.Timeout | undefined
  app.addHook('preClose', async () => {
    stop('waiting')
    cutting = setTimeout(() => stop('work'), finishing)
  })
  app.addHook('onClose', async () => clearTimeout(cutting))
  return ({ raw }, kind, milliseconds) => {
    const ends = new AbortController()
    if (stopped.has(kind) || raw.destroyed || raw.socket?.destroyed) {
      ends.abort()
      return ends.signal
    }
    running[kind].add(ends)
    const timer = milliseconds === undefined ? undefined : setTimeout(() => ends.abort(), milliseconds)
    // Of the answer, whether it has been sent or can no longer be.
    raw.once('close', () => {
      clearTimeout(timer)
      running[kind].delete(ends)
      ends.abort()
    })
    return ends.signal
  }
}
