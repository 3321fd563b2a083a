import type { FastifyInstance, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** In milliseconds, by the monotonic clock; 0 for requests refused before they were parsed. */
    startedAtMs: number
  }
}

/** Fastify's own `elapsedTime` requires its own logger or a hook for each response: without them it is 0. */
export function measureRequests(app: FastifyInstance): void {
  app.decorateRequest('startedAtMs', 0)
  app.addHook('onRequest', (request, _reply, done) => {
    request.startedAtMs = performance.now()
    done()
  })
}

/** Since the head of the request has arrived: includes its body and queueing. */
export const elapsedMs = ({ startedAtMs }: FastifyRequest): number =>
  startedAtMs === 0 ? 0 : performance.now() - startedAtMs
