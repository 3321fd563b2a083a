// CORS: web pages of other origins that may call the API from a browser, when the operator has listed them.
import type { FastifyInstance } from 'fastify'

/** Response headers that scripts may read. */
const exposed = [
  'cc_request_id',
  'ETag',
  'Idempotency-Replayed',
  'Retry-After',
  'Allow',
  'WWW-Authenticate',
  'Content-Disposition',
].join(', ')
const allowedMethods = 'GET, POST, PUT, DELETE'
const maxAgeSeconds = 600

/**
 * Answers preflight requests and allows pages of the listed origins to read responses. `Access-Control-Allow-Credentials` is never
 * sent, so browsers send no cookies: a page needs a token of its own and can never use the session of the browser's user.
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.url.startsWith('/api/')) return done()
    reply.header('vary', 'Origin')
    const { origin, 'access-control-request-headers': asked } = request.headers
    if (origin === undefined || !origins.includes(origin)) return done()
    reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', exposed)
    const isPreflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
    if (!isPreflight) return done()
    reply
      .code(204)
      .header('access-control-allow-methods', allowedMethods)
      .header('access-control-max-age', String(maxAgeSeconds))
    // Any header is allowed: the origin is trusted, and the request itself is validated as usual.
    if (asked !== undefined) reply.header('access-control-allow-headers', asked)
    reply.send()
  })
}
